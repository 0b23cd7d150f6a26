/** What the encoder reads: composed frames, as colours in one number each. */

/** Composed frames, all of one size. */
export interface AnimationFrames {
  width: number;
  height: number;
  /** Milliseconds of each frame; as many as there are frames. */
  delays: readonly number[];
  /** How often it plays; 0 is for ever; null: no loop block (once). */
  loop: number | null;
  /**
   * Samples of one frame: RGBA, straight alpha, row by row. May be called more than once and in any order, at a cost;
   * what it gave before may be overwritten by the next call.
   */
  read(index: number): Uint8Array;
}

/** A pixel that shows nothing. Every other colour has its highest byte set. */
export const CLEAR = 0;
/** GIF has no partial transparency: from here on a pixel is opaque. */
const OPAQUE_FROM = 128;

/** An opaque colour, as red, green and blue lie in memory on little-endian machines. */
export function colourOf(red: number, green: number, blue: number): number {
  return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
}

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
