import { useRef } from 'preact/hooks';
import { labelOf } from '../../../parameters/labels.ts';
import { Field } from '../../../ui/fields.tsx';

export interface PartFieldProps {
  part: { name: string; description: string };
  file: File | undefined;
  onFile(file: File | undefined): void;
  error: string | undefined;
}

/** Chooses an additional image of a request. */
export function PartField({ part, file, onFile, error }: PartFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div class="parameter">
      <Field label={labelOf(part.name)} help={part.description} error={error}>
        {(described) => (
          <input
            {...described}
            ref={input}
            type="file"
            onChange={({ currentTarget }) => onFile(currentTarget.files?.[0])}
          />
        )}
      </Field>
      {file && (
        <button
          type="button"
          class="quiet reset"
          aria-label={`Reset ${labelOf(part.name)}`}
          onClick={() => {
            input.current!.value = '';
            onFile(undefined);
          }}
        >
          Reset
        </button>
      )}
    </div>
  );
}
