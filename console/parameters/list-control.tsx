import { useEffect, useState } from 'preact/hooks';
import { Field } from '../ui/fields.tsx';
import type { ControlProps } from './controls.ts';
import { helpOf, labelOf } from './labels.ts';

interface ListControlProps extends ControlProps {
  /** Reads the value from the lines. */
  read(text: string): unknown;
}

/** Edits a list, one item per line. */
export function ListControl({ parameter, value, onValue, error, read }: ListControlProps) {
  const given = Array.isArray(value) ? value.join('\n') : '';
  const [text, setText] = useState(given);
  // Keeps the text as typed while it means the current value. Replaces it when the value changes elsewhere.
  useEffect(() => setText((typed) => (String(read(typed)) === String(value ?? '') ? typed : given)), [given]);
  return (
    <Field label={labelOf(parameter.name)} help={helpOf(parameter)} error={error}>
      {(described) => (
        <textarea
          {...described}
          rows={3}
          spellcheck={false}
          placeholder="One a line"
          value={text}
          onInput={({ currentTarget: { value: typed } }) => {
            setText(typed);
            onValue(typed.trim() === '' ? undefined : read(typed));
          }}
        />
      )}
    </Field>
  );
}
