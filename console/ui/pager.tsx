import { countText } from './format.ts';

export interface PagerProps {
  /** Name of the listed items, for example `images`. */
  what: string;
  slice: { offset: number; limit: number; total: number };
  onOffset(offset: number): void;
}

/** Shows the position in a long list, with buttons for the previous and next part. */
export function Pager({ what, slice: { offset, limit, total }, onOffset }: PagerProps) {
  if (total <= limit && offset === 0) return null;
  const last = Math.min(total, offset + limit);
  return (
    <nav class="row pager" aria-label={`Parts of the list of ${what}`}>
      <button type="button" disabled={offset === 0} onClick={() => onOffset(Math.max(0, offset - limit))}>
        Back
      </button>
      <span>
        {total === 0 ? 0 : countText(offset + 1)} to {countText(last)} of {countText(total)} {what}
      </span>
      <button type="button" disabled={last >= total} onClick={() => onOffset(offset + limit)}>
        Next
      </button>
    </nav>
  );
}
