/** Edits one field of a condition. */
import { useId } from 'preact/hooks';
import { declarations } from '../../declarations/declarations.ts';
import { choiceLabel } from '../../parameters/labels.ts';
import { readValue, validationError } from '../../parameters/values.ts';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { conditionLabel } from './labels.ts';

interface ConditionFieldProps {
  name: string;
  value: unknown;
  onValue(value: unknown): void;
}

export function ConditionField({ name, value, onValue }: ConditionFieldProps) {
  const declared = declarations.conditions.find((condition) => condition.name === name)!;
  const label = conditionLabel(name);
  if (name === 'format' || name === 'not_format')
    return <Formats label={label} choices={declared.enum!} value={[value].flat() as string[]} onValue={onValue} />;
  if (declared.type === 'boolean')
    return (
      <SelectField
        label={label}
        value={String(value)}
        options={[
          { value: 'true', label: 'yes' },
          { value: 'false', label: 'no' },
        ]}
        onValue={(text) => onValue(text === 'true')}
      />
    );
  if (declared.enum)
    return <SelectField label={label} value={String(value)} options={declared.enum} onValue={onValue} />;
  return (
    <TextField
      label={label}
      value={String(value)}
      error={validationError(declared, value)}
      onValue={(text) => onValue(readValue(declared, text))}
    />
  );
}

interface FormatsProps {
  label: string;
  choices: readonly string[];
  value: readonly string[];
  onValue(value: readonly string[]): void;
}

function Formats({ label, choices, value, onValue }: FormatsProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="row">
        {value.map((format) => (
          <button
            key={format}
            type="button"
            class="chip"
            aria-label={`Remove ${format}`}
            // The last format can only be removed with the whole condition.
            aria-disabled={value.length === 1}
            onClick={() => value.length > 1 && onValue(value.filter((other) => other !== format))}
          >
            {choiceLabel('format', format)} <span aria-hidden="true">×</span>
          </button>
        ))}
        <select
          id={id}
          value=""
          onChange={({ currentTarget }) => {
            const format = currentTarget.value;
            currentTarget.value = '';
            if (format) onValue([...value, format]);
          }}
        >
          <option value="">or …</option>
          {choices
            .filter((format) => !value.includes(format))
            .map((format) => (
              <option key={format} value={format}>
                {choiceLabel('format', format)}
              </option>
            ))}
        </select>
      </div>
    </div>
  );
}
