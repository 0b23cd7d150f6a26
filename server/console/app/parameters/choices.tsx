import { useId } from 'preact/hooks';
import { FieldError } from '../ui/fields.tsx';
import type { ControlProps } from './control-props.ts';
import { choiceLabel, helpOf, labelOf } from './labels.ts';

/** A few choices beside each other. */
export function Choices({ parameter, value, onValue, error }: ControlProps) {
  const id = useId();
  const { name, default: usual } = parameter;
  return (
    <fieldset class="choices" aria-describedby={`${id}-help`}>
      <legend>{labelOf(name)}</legend>
      <div>
        {parameter.enum!.map((choice) => (
          <label key={choice}>
            <input type="radio" name={id} checked={choice === (value ?? usual)} onChange={() => onValue(choice)} />
            <span>{choiceLabel(name, choice)}</span>
          </label>
        ))}
      </div>
      <p class="help" id={`${id}-help`}>
        {helpOf(parameter)}
      </p>
      {error && <FieldError>{error}</FieldError>}
    </fieldset>
  );
}
