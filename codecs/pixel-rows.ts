/** The pixels of a picture for an encoder of our own, from the top, as they are computed. */
import { isSequential } from './picture.ts';
import type { Image, VipsApi } from './vips.ts';
import { bytesPerSample } from './vips-memory.ts';

/** A picture that is read as a whole, in bytes: to ask for its parts one by one takes longer. */
const MAX_WHOLE_BYTES = 32 * 2 ** 20;
/** Parts of a larger one. */
const PART_BYTES = 4 * 2 ** 20;

/**
 * All pixels of a picture that is small enough, in a buffer of their own; of 16 bits the lower byte first.
 * @throws a libvips error for pixels that cannot be decoded
 */
export function wholePixels(image: Image): Uint8Array<ArrayBuffer> | undefined {
  return image.height * rowBytesOf(image) <= MAX_WHOLE_BYTES ? bytesOfPixels(image) : undefined;
}

const rowBytesOf = ({ width, bands, format }: Image): number => width * bands * bytesPerSample(format);

function bytesOfPixels(image: Image): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = image.writeToMemory();
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
}

/**
 * @param take gets any number of bytes at a time, which are its own only until it returns
 * @throws a libvips error for pixels that cannot be decoded, and what `take` throws
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

/** Rows that come once. A call for each of them takes 30 to 60 µs. */
function readOnce(vips: VipsApi, image: Image, take: (data: Uint8Array) => void): void {
  const target = new vips.TargetCustom();
  let fault: { error: unknown } | undefined;
  target.onWrite = (data) => {
    // What is thrown through libvips ends the thread.
    try {
      take(data);
      return data.length;
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
