import type { InspectionRecord } from '../../../../client/types.generated.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { Notice, Warnings } from '../../../ui/feedback.tsx';
import { privacyText, warningText } from '../result/labels.ts';
import { inspectionGroups } from './inspection.ts';

/** Shows an inspection record. Data that a publisher may want to remove comes first. */
export function InspectRecord({ record }: { record: InspectionRecord }) {
  const { privacy, warnings, colors } = record;
  return (
    <>
      {privacy.length > 0 ? (
        <Notice kind="warning">
          <p>
            Whoever gets this file also gets {list(privacy.map(privacyText))}. Compress leaves it out unless “metadata”
            is set.
          </p>
        </Notice>
      ) : (
        <Notice kind="success">No location, camera or owner data found.</Notice>
      )}
      <Warnings texts={warnings.map(warningText)} />
      <div class="record-groups">
        {inspectionGroups(record).map(({ title, lines }) => (
          <section key={title} class="card">
            <h3>{title}</h3>
            <Facts class="record" facts={lines} />
            {title === 'Colours' && colors && <Palette colours={colors.palette} />}
          </section>
        ))}
      </div>
      <details>
        <summary>The whole record</summary>
        <CodeBlock label="Record" text={JSON.stringify(record, null, 2)} />
      </details>
    </>
  );
}

function Palette({ colours }: { colours: readonly string[] }) {
  return (
    <ul class="palette" aria-label="Palette">
      {colours.map((colour) => (
        <li key={colour} style={{ background: colour }}>
          <span class="hidden">{colour}</span>
        </li>
      ))}
    </ul>
  );
}

const LIST = new Intl.ListFormat('en');
const list = (words: readonly string[]): string => LIST.format(words);
