import { useId } from 'preact/hooks';
import { FieldError } from '../ui/fields.tsx';
import { SegmentedControl } from '../ui/segments.tsx';
import type { ControlProps } from './control-props.ts';
import { choiceLabel, helpOf, labelOf } from './labels.ts';

/** Shows a few choices side by side. */
export function Choices({ parameter, value, onValue, error }: ControlProps) {
  const helpId = useId();
  const { name, default: usual } = parameter;
  return (
    <div class="choices">
      <SegmentedControl
        label={labelOf(name)}
        isLabelShown
        options={parameter.enum!.map((choice) => ({ value: choice, label: choiceLabel(name, choice) }))}
        value={String(value ?? usual ?? '')}
        onValue={onValue}
        describedBy={helpId}
      />
      <p class="help" id={helpId}>
        {helpOf(parameter)}
      </p>
      {error && <FieldError>{error}</FieldError>}
    </div>
  );
}
