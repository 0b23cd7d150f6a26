/** Passes the pixels of an image to an encoder of our own, from the top, as they are computed. */
import { freeChunk } from '../base/free-buffer.ts';
import { isSequential } from './decoded-image.ts';
import type { Image, VipsApi } from './vips.ts';
import { bytesPerSample } from './vips-memory.ts';

/** Largest image that is read as a whole, in bytes. Reading it in parts takes longer. */
const MAX_WHOLE_BYTES = 32 * 2 ** 20;
/** Size of the parts of a larger image. */
const PART_BYTES = 4 * 2 ** 20;

/**
 * Returns all pixels of a small image in a buffer of their own. 16-bit samples are little-endian.
 * @returns undefined for a larger image
 * @throws a libvips error for pixels that cannot be decoded
 */
export const wholePixels = (image: Image): Uint8Array<ArrayBuffer> | undefined =>
  image.height * rowBytesOf(image) <= MAX_WHOLE_BYTES ? bytesOfPixels(image) : undefined;

/** Bytes of a row of pixels. */
export const rowBytesOf = ({ width, bands, format }: Image): number => width * bands * bytesPerSample(format);

/** The samples of an image in a buffer of their own. 16-bit samples are little-endian. */
export function bytesOfPixels(image: Image): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = image.writeToMemory();
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
}

/**
 * Passes the pixels of an image to `take`.
 * @param take receives any number of bytes at a time, which are valid only until it returns
 * @throws a libvips error for pixels that cannot be decoded, and whatever `take` throws
 */
export function readRows(vips: VipsApi, image: Image, take: (data: Uint8Array) => void): void {
  if (isSequential(image)) readOnce(vips, image, take);
  else readParts(image, Math.ceil(PART_BYTES / rowBytesOf(image)), take);
}

function readParts(image: Image, rows: number, take: (data: Uint8Array) => void): void {
  for (let top = 0; top < image.height; top += rows) {
    const part = image.crop(0, top, image.width, Math.min(rows, image.height - top));
    take(bytesOfPixels(part));
  }
}

/** Reads rows that can be read only once. Each row takes one call of 30 to 60 µs. */
function readOnce(vips: VipsApi, image: Image, take: (data: Uint8Array) => void): void {
  const target = new vips.TargetCustom();
  let fault: { error: unknown } | undefined;
  target.onWrite = (data) => {
    // An exception thrown through libvips ends the thread.
    try {
      const { length } = data;
      take(data);
      // Garbage of each row would stay between blocks of the allocator that are in use, and the process would keep it.
      freeChunk(data);
      return length;
    } catch (error) {
      fault = { error };
      return -1;
    }
  };
  try {
    image.writeToTarget(target, '.raw');
  } catch (error) {
    throw fault ? fault.error : error;
  }
}
