import { useEffect, useState } from 'preact/hooks';
import { Field } from '../ui/fields.tsx';
import type { ControlProps } from './control-props.ts';
import { helpOf, labelOf } from './labels.ts';

interface ListControlProps extends ControlProps {
  /** What the lines mean. */
  read(text: string): unknown;
}

/** One item a line. */
export function ListControl({ parameter, value, onValue, error, read }: ListControlProps) {
  const given = Array.isArray(value) ? value.join('\n') : '';
  const [text, setText] = useState(given);
  // What was typed stays as it was typed, unless it is something else now, as when it is reset.
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
