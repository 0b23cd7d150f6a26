import { useRef, useState } from 'preact/hooks';
import { to } from '../../../shell/router.ts';
import { Notice, Progress } from '../../../ui/feedback.tsx';
import { durationText, SCAN_STATUSES, shortAddress } from '../labels.ts';
import type { SectionProps, SiteScan } from '../types.ts';
import { isRunning, nextActions } from './states.ts';

/** Shows the state and progress of a scan, and the possible actions. */
export function ScanState({ scan, act }: Pick<SectionProps, 'scan' | 'act'>) {
  const card = useRef<HTMLElement>(null);
  const [isSending, setSending] = useState(false);
  const { status, error, id, totals } = scan;
  const run = async (action: ReturnType<typeof nextActions>[number]['action']) => {
    setSending(true);
    await act({ action });
    setSending(false);
    // The pressed button may be gone, so move the focus to the card.
    if (document.activeElement === document.body) card.current?.focus({ preventScroll: true });
  };
  return (
    <section ref={card} class="card state" tabindex={-1} aria-label="State of the scan">
      {status === 'failed' ? (
        <Notice kind="error">
          {SCAN_STATUSES.failed.meaning} {error?.message} {error && <code>{error.code}</code>}
        </Notice>
      ) : (
        <p role="status">{meaningOf(scan)}</p>
      )}
      {isRunning(scan) && <ScanProgress scan={scan} />}
      <div class="row">
        {status === 'done' && (
          <a class="button primary" href={to(['websites', id, 'package'])}>
            See the package
          </a>
        )}
        {status === 'review' && <a href={to(['websites', id, 'pages'])}>Choose the pages</a>}
        {nextActions(scan).map(({ action, label, isPrimary }) => (
          <button
            key={action}
            type="button"
            class={isPrimary ? 'primary' : undefined}
            disabled={isSending || (action === 'start' && totals.pages_selected === 0)}
            onClick={() => void run(action)}
          >
            {label}
          </button>
        ))}
      </div>
    </section>
  );
}

/** Returns the meaning of the status. A scan can also be done without replacing an image. */
function meaningOf({ status, totals }: SiteScan): string {
  if (status !== 'done' || totals.assets_mapped > 0) return SCAN_STATUSES[status].meaning;
  return totals.assets === 0
    ? 'No image was found on the pages that were read.'
    : 'No image becomes enough smaller to be replaced.';
}

function ScanProgress({ scan: { progress, domain, status } }: { scan: SiteScan }) {
  const { done, total, current_url, eta_seconds } = progress;
  const what = { discovering: 'Pages', scanning: 'Pages and images', packaging: 'Files' }[status as string] ?? 'Images';
  return (
    <div class="work">
      <Progress label={what} done={done} total={total ?? undefined} />
      <p class="help now">
        {current_url !== null && <span>Now: {shortAddress(current_url, domain)}</span>}
        {eta_seconds !== null && eta_seconds > 0 && <span>about {durationText(eta_seconds)} left</span>}
      </p>
    </div>
  );
}
