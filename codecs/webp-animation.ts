/** Encodes animated WebP (RFC 9649, section 2.7.1) and keeps every frame as a frame of its own. */

import type { Timing } from './decoded-image.ts';
import { concat, Reader, uint32 } from './metadata/bytes.ts';
import { type Chunk, chunk, chunksOf, riff, uint24 } from './metadata/webp.ts';
import type { Modules } from './modules.ts';
import type { Image, VipsApi } from './vips.ts';
import type { WebpSettings } from './webp.ts';
import { encodeWebpFrames } from './webp-choice.ts';

/**
 * The largest number of plays that the 16 bits of the header can hold. A GIF can have one more, because it stores the
 * number of repetitions.
 */
const MAX_LOOPS = 65_535;

/** Limits the plays of an animation to what the header can hold, where 65,536 would become 0, which is for ever. */
export function limitPlays(column: Image): void {
  column.setInt('loop', Math.min(column.getInt('loop'), MAX_LOOPS));
}

/** The delay of every frame until its own delay is written, in milliseconds. */
const UNIFORM_DELAY = 100;

/**
 * Encodes an animation.
 * @param column the frames, stacked vertically
 * @param settings of lossy frames: each frame is lossy or lossless, whichever the encoder estimates to be smaller;
 * `lossless` keeps every pixel
 * @returns a still image when there is only one frame
 */
export function encodeWebpAnimation(
  context: { vips: VipsApi; modules: Modules },
  column: Image,
  timing: Timing,
  settings: WebpSettings | 'lossless',
): Uint8Array {
  const frames = timing.delays.length;
  const [width, height] = [column.width, column.height / frames];
  const paged = column.copy();
  if (frames > 1) {
    paged.setInt('page-height', height);
    // The delays are written afterwards. A list of them can be lost when it is copied to a memory that has grown:
    // wasm-vips 0.0.19 copies it through a view of the memory as it was at the start.
    paged.setInt('gif-delay', UNIFORM_DELAY / 10);
  }
  const bytes = encodeWebpFrames(context, paged, frames, settings);
  if (frames === 1) return bytes;
  const chunks = [...chunksOf(bytes)];
  const moving = chunks.some(({ name }) => name === 'ANIM') ? chunks : toAnimation(chunks, width, height, frames);
  return riff(restoreFrames(moving, timing).map(({ name, data }) => chunk(name, data)));
}

const FLAG = { animation: 0x02, alpha: 0x10 } as const;
/** Offset after the background colour. */
const LOOP_COUNT_AT = 4;
/** Offset in the header of a frame, after its position and size. */
const DURATION_AT = 12;
/** Flags after the duration. A set bit means that the area is cleared after the frame. */
const FLAGS_AT = 15;
const CLEARED = 1;

/** Position and size of a frame, as stored in its header. */
type Area = Uint8Array;

const frameOf = (area: Area, delay: number, flags: number, image: Uint8Array): Chunk => ({
  name: 'ANMF',
  data: concat([area, uint24(delay), Uint8Array.of(flags), image]),
});

const areaOf = (width: number, height: number): Area =>
  concat([uint24(0), uint24(0), uint24(width - 1), uint24(height - 1)]);

/**
 * Returns a transparent image in lossless coding (RFC 9649, section 3). One symbol per channel takes no bits, whatever
 * the size.
 */
function clearImage(area: Area): Uint8Array {
  const reader = new Reader(area, 'webp', true);
  const [width, height] = [reader.u24(6), reader.u24(9)];
  const hasAlpha = 1 << 28;
  const size = uint32((width | (height << 14) | hasAlpha) >>> 0, true);
  return chunk('VP8L', concat([Uint8Array.of(0x2f), size, Uint8Array.of(0x88, 0x88, 0x08)]));
}

const ONE_PIXEL = areaOf(1, 1);

/** Returns a frame that changes nothing, and optionally clears an area afterwards. */
function unchanged(delay: number, cleared: Area | undefined): Chunk {
  const area = cleared ?? ONE_PIXEL;
  return frameOf(area, delay, cleared ? CLEARED : 0, clearImage(area));
}

/**
 * Converts a still image back to an animation. libwebp makes a still image of an animation in which nothing changes.
 */
function toAnimation(chunks: readonly Chunk[], width: number, height: number, frames: number): Chunk[] {
  const image = chunks.filter(({ name }) => name !== 'VP8X').map(({ name, data }) => chunk(name, data));
  const screen = concat([uint32(FLAG.animation | FLAG.alpha, true), uint24(width - 1), uint24(height - 1)]);
  return [
    { name: 'VP8X', data: screen },
    { name: 'ANIM', data: new Uint8Array(6) },
    frameOf(areaOf(width, height), frames * UNIFORM_DELAY, 0, concat(image)),
  ];
}

/**
 * Writes the delays and the loop count. libwebp merges equal frames into one with the total delay; the merged ones are
 * restored as frames that change nothing.
 */
function restoreFrames(chunks: readonly Chunk[], { delays, loop }: Timing): Chunk[] {
  const seen = chunks.filter(({ name }) => name === 'ANMF').length;
  let next = 0;
  const restored = chunks.flatMap(({ name, data }) => {
    if (name === 'VP8X' && seen < delays.length)
      return [{ name, data: replaced(data, 0, Uint8Array.of((data[0] ?? 0) | FLAG.alpha)) }];
    if (name === 'ANIM')
      return [{ name, data: replaced(data, LOOP_COUNT_AT, uint32(Math.min(loop, MAX_LOOPS), true).subarray(0, 2)) }];
    if (name !== 'ANMF') return [{ name, data }];
    const shown = new Reader(data, 'webp', true).u24(DURATION_AT) / UNIFORM_DELAY;
    const times = delays.slice(next, next + shown);
    next += shown;
    return separate(data, times);
  });
  if (next !== delays.length) throw new Error(`the encoder made ${next} frames of ${delays.length}`);
  return restored;
}

/**
 * Splits a merged frame into equal frames. The first one draws the content. If the area is to be cleared, the last one
 * clears it.
 */
function separate(frame: Uint8Array, [own = 0, ...others]: readonly number[]): Chunk[] {
  const [area, flags] = [frame.subarray(0, DURATION_AT), frame[FLAGS_AT] ?? 0];
  const goes = others.length > 0 && (flags & CLEARED) !== 0;
  const first = frameOf(area, own, goes ? flags & ~CLEARED : flags, frame.subarray(FLAGS_AT + 1));
  return [
    first,
    ...others.map((delay, place) => unchanged(delay, goes && place === others.length - 1 ? area : undefined)),
  ];
}

/** Returns a copy with other bytes at one offset. */
function replaced(data: Uint8Array, at: number, bytes: Uint8Array): Uint8Array {
  const copy = data.slice();
  copy.set(bytes, at);
  return copy;
}
