import { useId } from 'preact/hooks';
import './segments.css';

export interface SegmentsProps<T extends string> {
  label: string;
  options: readonly { value: T; label: string }[];
  value: T;
  onValue(value: NoInfer<T>): void;
}

/** One of a few, in a row. */
export function Segments<T extends string>({ label, options, value, onValue }: SegmentsProps<T>) {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class="hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            class="hidden"
            name={name}
            checked={option.value === value}
            onChange={() => onValue(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
