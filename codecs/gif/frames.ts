/** The encoder's input: composed frames, with each colour in one number. */
import type { Size } from '../../base/geometry.ts';

/** Composed frames, all of the same size. */
export interface AnimationFrames extends Size {
  /** Milliseconds of each frame, one entry per frame. */
  delays: readonly number[];
  /** Number of plays; 0 is without end; null means no loop block (once). */
  loop: number | null;
  /**
   * Returns the samples of one frame: RGBA, straight alpha, row by row. Frames may be read repeatedly and in any order,
   * at a cost; a call may overwrite the previous result.
   */
  read(index: number): Uint8Array;
}

/** A transparent pixel. Every other colour has its highest byte set. */
export const CLEAR = 0;
/** GIF has no partial transparency: from this alpha on a pixel is opaque. */
const OPAQUE_FROM = 128;

/** Packs an opaque colour with red, green and blue in the memory order of little-endian machines. */
export const colourOf = (red: number, green: number, blue: number): number =>
  (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;

const LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/** Fills `colours` with one number for every pixel of a frame. */
export function readColours(frames: AnimationFrames, index: number, colours: Uint32Array): void {
  const samples = frames.read(index);
  if (LITTLE_ENDIAN && samples.byteOffset % 4 === 0) {
    const pixels = new Uint32Array(samples.buffer, samples.byteOffset, colours.length);
    for (let pixel = 0; pixel < colours.length; pixel += 1) {
      const colour = pixels[pixel] as number;
      colours[pixel] = colour >>> 24 < OPAQUE_FROM ? CLEAR : colour | 0xff000000;
    }
    return;
  }
  for (let pixel = 0, at = 0; pixel < colours.length; pixel += 1, at += 4) {
    colours[pixel] =
      (samples[at + 3] as number) < OPAQUE_FROM
        ? CLEAR
        : 0xff000000 |
          ((samples[at + 2] as number) << 16) |
          ((samples[at + 1] as number) << 8) |
          (samples[at] as number);
  }
}
