import { Tag } from '../../../ui/feedback.tsx';
import { bytesText } from '../../../ui/format.ts';
import type { SiteFinding } from '../types.ts';
import { findingText, SEVERITIES } from './texts.ts';

/** Lists the findings of one image. */
export function ImageFindings({ findings }: { findings: readonly SiteFinding[] }) {
  return (
    <section class="card" aria-label="Findings">
      <h3>Findings</h3>
      {findings.length === 0 && <p>Nothing was found fault with.</p>}
      <ul class="findings-of">
        {findings.map(({ code, severity, message, savings_bytes }) => {
          const { title, advice } = findingText(code);
          return (
            <li key={code}>
              <span class="row">
                <strong>{title}</strong>
                <Tag kind={SEVERITIES[severity].kind}>{SEVERITIES[severity].label}</Tag>
              </span>
              <p>
                {message}
                {savings_bytes ? ` ${bytesText(savings_bytes)} to save.` : ''}
              </p>
              <p class="help">{advice}</p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
