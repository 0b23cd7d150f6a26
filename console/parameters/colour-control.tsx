import { Field } from '../ui/fields.tsx';
import type { ControlProps } from './control-props.ts';
import { colourKeywords } from './controls.ts';
import { helpOf, labelOf } from './labels.ts';

/** Picks a colour with the browser's picker or as text, or one of the words that the parameter also accepts. */
export function ColourControl({ parameter, value, onValue, error }: ControlProps) {
  const { name, default: usual } = parameter;
  const words = colourKeywords(parameter);
  const current = String(value ?? usual ?? '');
  return (
    <Field label={labelOf(name)} help={helpOf(parameter)} error={error}>
      {(described) => (
        <div class="colour">
          <input
            type="color"
            aria-label={`${labelOf(name)}, picker`}
            value={/^#?[0-9a-f]{6}$/i.test(current) ? `#${current.replace('#', '')}` : '#ffffff'}
            onInput={({ currentTarget }) => onValue(currentTarget.value)}
          />
          <input
            {...described}
            placeholder={String(usual ?? '#rrggbb')}
            value={String(value ?? '')}
            spellcheck={false}
            onInput={({ currentTarget: { value: text } }) => onValue(text === '' ? undefined : text)}
          />
          {words.map((word) => (
            <button key={word} type="button" aria-pressed={current === word} onClick={() => onValue(word)}>
              {word}
            </button>
          ))}
        </div>
      )}
    </Field>
  );
}
