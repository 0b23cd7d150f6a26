/** Chooses what happens to an image before the next one is drawn (GIF89a, section 23), by its cost. */

import type { Rectangle } from '../rectangle.ts';
import { CLEAR } from './frames.ts';

export const DISPOSAL = { none: 1, background: 2, previous: 3 } as const;
export type Disposal = (typeof DISPOSAL)[keyof typeof DISPOSAL];

/** An image that is written only once the next frame is known. */
export interface PendingImage {
  /** The colours before it is drawn. */
  base: Uint32Array;
  /** The colours after it is drawn. */
  target: Uint32Array;
  rectangle: Rectangle;
  /** Whether it is the first image, which has no previous state to restore. */
  first: boolean;
}

export interface DisposalChoice {
  disposal: Disposal;
  /** The rectangle of the disposed image, enlarged when more must be cleared than it drew. */
  rectangle: Rectangle;
}

/** Restoring is chosen over leaving everything if it needs less than this share of the pixels. */
const RESTORE_THRESHOLD = 0.75;

/** Chooses the disposal for which the fewest pixels must be written for the next frame. */
export function chooseDisposal(
  { base, target, rectangle, first }: PendingImage,
  next: Uint32Array,
  width: number,
): DisposalChoice {
  let left = 0;
  let previous = 0;
  let leavable = true;
  let restorable = !first;
  const cleared = { ...rectangle };
  for (let at = 0; at < next.length; at += 1) {
    const colour = next[at] as number;
    if (colour !== target[at]) {
      left += 1;
      if (colour === CLEAR) {
        leavable = false;
        const x = at % width;
        const y = (at - x) / width;
        if (x < cleared.left) cleared.left = x;
        if (x >= cleared.right) cleared.right = x + 1;
        if (y < cleared.top) cleared.top = y;
        if (y >= cleared.bottom) cleared.bottom = y + 1;
      }
    }
    if (colour !== base[at]) {
      previous += 1;
      if (colour === CLEAR) restorable = false;
    }
  }
  const background = leavable ? Number.POSITIVE_INFINITY : left + shownIn(cleared, target, next, width);
  const leave = leavable ? left * RESTORE_THRESHOLD : Number.POSITIVE_INFINITY;
  if (restorable && previous < Math.min(leave, background)) return { disposal: DISPOSAL.previous, rectangle };
  if (leavable) return { disposal: DISPOSAL.none, rectangle };
  return { disposal: DISPOSAL.background, rectangle: cleared };
}

/**
 * Counts how many more pixels must be drawn when the rectangle is cleared: those that stay, minus those that vanish.
 */
function shownIn(
  { left, top, right, bottom }: Rectangle,
  target: Uint32Array,
  next: Uint32Array,
  width: number,
): number {
  let more = 0;
  for (let y = top; y < bottom; y += 1) {
    for (let at = y * width + left; at < y * width + right; at += 1) {
      if (next[at] === CLEAR) more -= target[at] === CLEAR ? 0 : 1;
      else if (next[at] === target[at]) more += 1;
    }
  }
  return more;
}
