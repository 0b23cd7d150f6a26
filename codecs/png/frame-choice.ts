/** Chooses how a frame of an animated PNG is drawn over the one before: which area, and what happens before. */
import type { Size } from '../../base/geometry.ts';
import { areaOf, difference, type Rectangle } from '../rectangle.ts';
import { DISPOSAL, type Disposal } from './animation-structure.ts';

/** Pixels of RGBA frames as 32-bit words: one per pixel of 8-bit samples, two of 16-bit samples. */
export interface WordFrames extends Size {
  wordsPerPixel: 1 | 2;
}

export interface PreviousFrame {
  /** The canvas before it was drawn. */
  base: Uint32Array;
  /** The canvas after it was drawn. */
  target: Uint32Array;
  area: Rectangle;
  /** It is the first frame, before which there is nothing to restore. */
  isFirst: boolean;
}

export interface FrameChoice {
  /** What happens to the previous frame. */
  disposal: Disposal;
  /** The canvas on which the frame is drawn. */
  base: Uint32Array;
  /** Contains every pixel that differs from `base`; at least one pixel. */
  area: Rectangle;
}

/** A frame without changes still needs a pixel. */
const ONE_PIXEL: Rectangle = { left: 0, top: 0, right: 1, bottom: 1 };
/** Clearing or restoring is chosen if it leaves less than this share of the area to be drawn. */
const MAX_AREA_SHARE = 0.75;

/**
 * Chooses the disposal of the previous frame with which the smallest area must be drawn.
 * @param canClear whether the canvas may become transparent
 */
export function chooseFrame(
  frames: WordFrames,
  previous: PreviousFrame,
  next: Uint32Array,
  canClear: boolean,
): FrameChoice {
  const kept = choiceFrom(frames, DISPOSAL.none, previous.target, next);
  const others = [kept];
  if (canClear) others.push(choiceFrom(frames, DISPOSAL.background, cleared(frames, previous), next));
  if (!previous.isFirst) others.push(choiceFrom(frames, DISPOSAL.previous, previous.base, next));
  const smallest = others.reduce((best, each) => (areaOf(each.area) < areaOf(best.area) ? each : best));
  return areaOf(smallest.area) < MAX_AREA_SHARE * areaOf(kept.area) ? smallest : kept;
}

function choiceFrom(frames: WordFrames, disposal: Disposal, base: Uint32Array, next: Uint32Array): FrameChoice {
  const { width, wordsPerPixel } = frames;
  const words = difference(base, next, width * wordsPerPixel);
  const area = words && {
    ...words,
    left: Math.floor(words.left / wordsPerPixel),
    right: Math.ceil(words.right / wordsPerPixel),
  };
  return { disposal, base, area: area ?? ONE_PIXEL };
}

function cleared(frames: WordFrames, { target, area }: PreviousFrame): Uint32Array {
  const canvas = target.slice();
  for (const { start, end } of rowsOf(frames, area)) canvas.fill(0, start, end);
  return canvas;
}

/** Yields the words of each row of an area. */
export function* rowsOf(
  { width, wordsPerPixel }: WordFrames,
  { left, top, right, bottom }: Rectangle,
): Generator<{ start: number; end: number }> {
  for (let y = top; y < bottom; y += 1) {
    const row = y * width;
    yield { start: (row + left) * wordsPerPixel, end: (row + right) * wordsPerPixel };
  }
}

/** Copies the pixels of an area. */
export function cutOut(frames: WordFrames, canvas: Uint32Array, area: Rectangle): Uint32Array<ArrayBuffer> {
  const pixels = new Uint32Array(areaOf(area) * frames.wordsPerPixel);
  let at = 0;
  for (const { start, end } of rowsOf(frames, area)) {
    pixels.set(canvas.subarray(start, end), at);
    at += end - start;
  }
  return pixels;
}

/**
 * Makes the pixels transparent that need not change, so that they compress better.
 * @param base the pixels below
 * @param pixels are blended over them
 * @returns undefined if no pixel stays, or if a changed one is translucent, which blending would mix
 */
export function withoutUnchanged(
  { wordsPerPixel }: WordFrames,
  base: Uint32Array,
  pixels: Uint32Array,
): Uint32Array<ArrayBuffer> | undefined {
  const result = pixels.slice();
  let isAnyUnchanged = false;
  for (let at = 0; at < pixels.length; at += wordsPerPixel) {
    const last = at + wordsPerPixel - 1;
    if (pixels[at] === base[at] && pixels[last] === base[last]) {
      result.fill(0, at, last + 1);
      isAnyUnchanged = true;
    } else if (!isOpaque(pixels[last]!, wordsPerPixel)) return undefined;
  }
  return isAnyUnchanged ? result : undefined;
}

/** Alpha is the highest byte of the last word, or its upper half. */
const isOpaque = (word: number, wordsPerPixel: 1 | 2): boolean =>
  wordsPerPixel === 1 ? word >>> 24 === 0xff : word >>> 16 === 0xffff;
