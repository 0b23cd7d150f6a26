import { useId } from 'preact/hooks';
import './segments.css';

export interface SegmentsProps<T extends string> {
  label: string;
  /** Default: for screen readers alone. */
  isLabelShown?: boolean;
  options: readonly { value: T; label: string }[];
  value: T;
  onValue(value: NoInfer<T>): void;
  /** The id of what says more. */
  describedBy?: string;
}

/** One of a few, beside each other. */
export function Segments<T extends string>(props: SegmentsProps<T>) {
  const { label, isLabelShown = false, options, value, onValue, describedBy } = props;
  const name = useId();
  return (
    <fieldset class="segments" aria-describedby={describedBy}>
      <legend class={isLabelShown ? undefined : 'hidden'}>{label}</legend>
      <div>
        {options.map((option) => (
          <label key={option.value}>
            <input type="radio" name={name} checked={option.value === value} onChange={() => onValue(option.value)} />
            <span>{option.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
