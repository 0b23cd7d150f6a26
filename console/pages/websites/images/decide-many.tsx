import { useState } from 'preact/hooks';
import { Progress } from '../../../ui/feedback.tsx';
import { pluralize } from '../labels.ts';
import type { Approval, SectionProps, SiteAsset } from '../types.ts';
import type { Decisions } from './decisions.ts';

export interface DecideManyProps extends Pick<SectionProps, 'scan' | 'act'> {
  /** The images on the current page of the list. */
  assets: readonly SiteAsset[];
  ticked: ReadonlySet<number>;
  onTicked(seqs: ReadonlySet<number>): void;
  decisions: Decisions;
}

/** Selects images and decides on all selected ones, including those on other pages of the list. */
export function DecideMany({ scan, act, assets, ticked, onTicked, decisions }: DecideManyProps) {
  const [isSending, setSending] = useState(false);
  const { progress } = decisions;
  const isAll = assets.length > 0 && assets.every(({ seq }) => ticked.has(seq));
  const isBusy = isSending || progress !== undefined;
  const canConvert = scan.status === 'ready' || scan.status === 'done';
  const run = async (approval: Approval) => {
    await decisions.run([...ticked], { approval });
    onTicked(new Set());
  };
  const convert = async () => {
    setSending(true);
    if (await act({ action: 'optimize', assets: [...ticked] })) onTicked(new Set());
    setSending(false);
  };
  const toggleAll = () => {
    const after = new Set(ticked);
    for (const { seq } of assets) {
      if (isAll) after.delete(seq);
      else after.add(seq);
    }
    onTicked(after);
  };
  return (
    <section class="row many" aria-label="Several images at once">
      <label class="row">
        <input type="checkbox" checked={isAll} onChange={toggleAll} />
        All shown
      </label>
      {progress && progress.total > 1 ? (
        <Progress label="Decided" {...progress} />
      ) : ticked.size === 0 ? (
        <span class="help">
          Approve an image by <kbd>a</kbd> and reject it by <kbd>r</kbd> while it has the focus.
        </span>
      ) : (
        <>
          <span role="status">{pluralize(ticked.size, 'image')} chosen</span>
          <button type="button" disabled={isBusy} onClick={() => void run('approved')}>
            Approve
          </button>
          <button type="button" disabled={isBusy} onClick={() => void run('rejected')}>
            Reject
          </button>
          <button type="button" class="quiet" disabled={isBusy} onClick={() => void run('auto')}>
            Leave it to the settings
          </button>
          {canConvert && (
            <button type="button" class="quiet" disabled={isBusy} onClick={() => void convert()}>
              Convert
            </button>
          )}
        </>
      )}
    </section>
  );
}
