import { Notice } from '../../../ui/feedback.tsx';
import { bytesText, changeText } from '../../../ui/format.ts';
import type { Done } from '../use-run.ts';
import { factLines } from './facts.ts';
import { outcomeText, warningText } from './words.ts';

/** What became of the file, in a few words. */
export function Summary({ done }: { done: Done }) {
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
      <dl class="facts">
        {factLines(facts).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
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

/** In one line, for who does not see it. */
export function spoken(done: Done): string {
  const { originalBytes, bytes } = done.answer.facts;
  if (originalBytes === undefined || bytes === undefined) return 'Done.';
  if (isPack(done)) return `Done. The files have ${bytesText(bytes)}.`;
  return `Done. ${bytesText(originalBytes)} became ${bytesText(bytes)}.`;
}

/** Many files: how they compare with the one image says nothing. */
const isPack = ({ asked }: Done): boolean => asked.operation.answers === 'zip';
