/** Reads the frames of an animation for encoders of our own. */
import type { Timing } from './decoded-image.ts';
import type { Image } from './vips.ts';
import { bytesPerSample } from './vips-memory.ts';

/** Frames of up to this size together are read at once. Larger ones are read alone. */
const MAX_READ_BYTES = 4 * 2 ** 20;

/**
 * Returns a function that reads the samples of a frame, which encoders do several times for each and mostly in order.
 * libvips takes a millisecond for every reading, and more if the frames are images of their own: 1,024 frames of one
 * pixel took 20 s.
 * @param column the frames, stacked vertically; if its rows can be read only once, there is one frame
 * @returns bytes, which the next call may replace; 16-bit samples are little-endian
 */
export function frameReader(column: Image, height: number): (index: number) => Uint8Array<ArrayBuffer> {
  const { width } = column;
  const frames = column.height / height;
  const frameBytes = width * height * column.bands * bytesPerSample(column.format);
  const perRead = Math.max(1, Math.floor(MAX_READ_BYTES / frameBytes));
  let first = Number.NaN;
  let pixels = new Uint8Array();
  return (index) => {
    const start = index - (index % perRead);
    if (start !== first) {
      const part = column.crop(0, start * height, width, Math.min(perRead, frames - start) * height);
      const { buffer, byteOffset, byteLength } = part.writeToMemory();
      pixels = new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
      first = start;
    }
    return pixels.subarray((index - start) * frameBytes, (index - start + 1) * frameBytes);
  };
}

/** Returns the timing that `encode` has added to a column of frames. */
export const columnTiming = (column: Image, frames: number): Timing => ({
  delays: column.getArrayInt('delay').slice(0, frames),
  loop: column.getInt('loop'),
});
