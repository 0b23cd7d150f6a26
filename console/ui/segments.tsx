import { useId } from 'preact/hooks';
import './segments.css';

export interface SegmentsProps<T extends string> {
  label: string;
  /** By default the label is for screen readers only. */
  isLabelShown?: boolean;
  options: readonly { value: T; label: string }[];
  value: T;
  onValue(value: NoInfer<T>): void;
  /** Id of an element with a description. */
  describedBy?: string;
}

/** A choice of one among a few options, side by side. */
export function SegmentedControl<T extends string>(props: SegmentsProps<T>) {
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
