import { Facts } from '../../../ui/facts.tsx';
import { Notice } from '../../../ui/feedback.tsx';
import { bytesText, changeText } from '../../../ui/format.ts';
import type { CompletedRun } from '../use-run.ts';
import { factLines } from './facts.ts';
import { outcomeText, warningText } from './labels.ts';

/** Summarizes how the file changed. */
export function Summary({ done }: { done: CompletedRun }) {
  const { facts } = done.answer;
  const { originalBytes, bytes, outcome, warnings } = facts;
  const text = outcomeText(outcome);
  return (
    <div class="summary">
      {bytes !== undefined &&
        (isPack(done) ? (
          <p class="saved">
            <strong>{bytesText(bytes)}</strong>
          </p>
        ) : (
          originalBytes !== undefined && (
            <p class={bytes < originalBytes ? 'saved less' : 'saved'}>
              <strong>{changeText(originalBytes, bytes)}</strong>
              <span>
                {bytesText(originalBytes)} → {bytesText(bytes)}
              </span>
            </p>
          )
        ))}
      <Facts class="facts" facts={factLines(facts)} />
      {text && <p class="outcome">{text}</p>}
      {warnings.length > 0 && (
        <Notice kind="warning">
          {warnings.map((code) => (
            <p key={code}>{warningText(code)}</p>
          ))}
        </Notice>
      )}
    </div>
  );
}

/** Returns the summary in one line for screen readers. */
export function summaryText(done: CompletedRun): string {
  const { originalBytes, bytes } = done.answer.facts;
  if (originalBytes === undefined || bytes === undefined) return 'Done.';
  if (isPack(done)) return `Done. The files have ${bytesText(bytes)}.`;
  return `Done. ${bytesText(originalBytes)} became ${bytesText(bytes)}.`;
}

/** A pack of several files. Its size cannot be compared with that of the source image. */
const isPack = ({ asked }: CompletedRun): boolean => asked.operation.answers === 'zip';
