import { Tag } from '../../ui/feedback.tsx';
import { ScrollBox } from '../../ui/scroll-box.tsx';
import { opName, reasonText } from './labels.ts';

interface StepRow {
  /** Starts at 1. */
  index: number;
  op: string;
  /** Why the step is skipped. */
  reason: string | null;
  width: number | null;
  height: number | null;
  duration_ms?: number;
}

/** Shows what each step did, or would do. */
export function StepTable({ label, steps }: { label: string; steps: readonly StepRow[] }) {
  const hasTimes = steps.some(({ duration_ms: ms }) => ms !== undefined);
  return (
    <ScrollBox label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">Done</th>
            <th scope="col">Size after it</th>
            {hasTimes && <th scope="col">Time</th>}
          </tr>
        </thead>
        <tbody>
          {steps.map(({ index, op, reason, width, height, duration_ms: ms }) => (
            <tr key={index}>
              <td>
                {index} {opName(op)}
              </td>
              <td>{reason === null ? <Tag kind="success">yes</Tag> : <>no: {reasonText(reason)}</>}</td>
              <td>{width === null || height === null ? 'depends on the picture' : `${width} × ${height}`}</td>
              {hasTimes && <td>{reason === null ? `${ms} ms` : ''}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
