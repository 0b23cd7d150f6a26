/** Chooses how the frames of a WebP are encoded: lossy, lossless, or each in the smaller way. */

import { isSequential } from './decoded-image.ts';
import { chunksOf, frameChunks } from './metadata/webp.ts';
import type { Modules } from './modules.ts';
import { isSamePixel } from './pixel-facts.ts';
import type { Image, VipsApi } from './vips.ts';
import {
  encodeLosslessWebp,
  encodeLosslessWebpAnimation,
  encodeMixedWebp,
  encodeWebp,
  type WebpSettings,
} from './webp.ts';

/**
 * Minimum share of sampled pixels with the colour of a neighbour, from which lossless coding is tried. It is 0.94 and
 * more in animations that are smaller when lossless, and 0.4 to 0.85 in filmed ones, also when they come from a GIF.
 */
const MIN_EQUAL_SHARE = 0.9;
const SAMPLED_FRAMES = 4;
const SAMPLED_STRIPS = 8;
const STRIP_ROWS = 16;

/** Frames that are encoded in both ways before all frames are. */
const TRIAL_FRAMES = 3;
/**
 * How much larger these frames may be when lossless. The first of them is coded as a whole frame, which costs lossless
 * coding more.
 */
const MAX_TRIAL_GROWTH = 1.3;

/**
 * Encodes a still image (one frame) or an animation.
 * @param column the frames, stacked vertically, with `page-height`
 */
export function encodeWebpFrames(
  context: { vips: VipsApi; modules: Modules },
  column: Image,
  frames: number,
  settings: WebpSettings | 'lossless',
): Uint8Array {
  const { modules } = context;
  if (settings === 'lossless')
    return frames > 1 ? encodeLosslessWebpAnimation(modules, column, frames, true) : encodeLosslessWebp(column);
  return frames > 1 ? encodeSmallerAnimation(modules, column, frames, settings) : encodeWebp(context, column, settings);
}

/**
 * Encodes an animation in the smaller of two ways. libwebp itself tries lossless coding for frames of few colours. If
 * the animation is a drawing of more colours, this also tries the whole animation lossless. A filmed animation is never
 * encoded twice.
 * @param column the frames, stacked vertically; if its rows can be read only once, only libwebp chooses
 */
function encodeSmallerAnimation(modules: Modules, column: Image, frames: number, settings: WebpSettings): Uint8Array {
  const mixed = encodeMixedWebp(column, settings);
  if (isSequential(column) || !hasLossyFrame(mixed)) return mixed;
  if (!isMostlyEqual(column, frames) || !mayBeSmaller(modules, column, frames, settings)) return mixed;
  const lossless = encodeLosslessWebpAnimation(modules, column, frames, false);
  return lossless.length <= mixed.length ? lossless : mixed;
}

function hasLossyFrame(bytes: Uint8Array): boolean {
  for (const { name, data } of chunksOf(bytes)) {
    if (name === 'VP8 ') return true;
    if (name === 'ANMF') for (const chunk of frameChunks(data)) if (chunk.name === 'VP8 ') return true;
  }
  return false;
}

/** Whether most pixels in a few frames equal their left or upper neighbour. Stops where the rest cannot change that. */
function isMostlyEqual(column: Image, frames: number): boolean {
  const { width, bands } = column;
  const height = column.height / frames;
  const rows = Math.min(STRIP_ROWS, height);
  const step = Math.max(rows, Math.floor(height / SAMPLED_STRIPS));
  const strips = 1 + Math.floor((height - rows) / step);
  const places = Math.min(SAMPLED_FRAMES, frames);
  const seen = Math.max(1, (width - 1) * (rows - 1));
  let tolerated = (1 - MIN_EQUAL_SHARE) * places * strips * seen;
  for (let place = 0; place < places; place += 1) {
    const frame = Math.round((place * (frames - 1)) / Math.max(1, places - 1));
    for (let top = 0; top + rows <= height; top += step) {
      const strip = column.crop(0, frame * height + top, width, rows);
      tolerated -= seen - countEqual(strip.writeToMemory() as Uint8Array, width, bands);
      if (tolerated < 0) return false;
    }
  }
  return true;
}

function countEqual(samples: Uint8Array, width: number, bands: number): number {
  const row = width * bands;
  let equal = 0;
  for (let start = row; start < samples.length; start += row) {
    for (let at = start + bands; at < start + row; at += bands) {
      if (isSamePixel(samples, at, at - bands, bands) || isSamePixel(samples, at, at - row, bands)) equal += 1;
    }
  }
  return equal;
}

/** Whether lossless coding does well enough on a few frames in the middle to be tried on all of them. */
function mayBeSmaller(modules: Modules, column: Image, frames: number, settings: WebpSettings): boolean {
  if (frames <= 2 * TRIAL_FRAMES) return true;
  const height = column.height / frames;
  const top = Math.floor((frames - TRIAL_FRAMES) / 2) * height;
  const part = column.crop(0, top, column.width, TRIAL_FRAMES * height).copy();
  part.setInt('page-height', height);
  // These fields describe all frames of the column, so they are wrong for a part.
  for (const field of ['delay', 'n-pages']) part.remove(field);
  return (
    encodeLosslessWebpAnimation(modules, part, TRIAL_FRAMES, false).length <=
    encodeMixedWebp(part, settings).length * MAX_TRIAL_GROWTH
  );
}
