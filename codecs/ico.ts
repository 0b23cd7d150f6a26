/** Writes Windows icons holding one image. */
import { unsupportedOutput } from './errors.ts';
import type { Samples } from './samples.ts';

const SMALLEST_SIDE = 16;
const LARGEST_SIDE = 256;
const DIRECTORY_BYTES = 6 + 16;
const INFO_HEADER_BYTES = 40;

/**
 * Encodes a square of 16 to 256 pixels. Sides below 256 become a 32-bit bitmap with its mask, which every reader
 * knows; 256 is stored as PNG, as Windows does since Vista, because the bitmap would take 270 kB.
 * @param encodePng called only for a side of 256; must keep every pixel
 * @throws Failure `unsupported_output` for any other size
 */
export function encodeIco(
  picture: Samples<4>,
  encodePng: (picture: Samples<4>) => Uint8Array,
): Uint8Array<ArrayBuffer> {
  const { width, height } = picture;
  if (width !== height || width < SMALLEST_SIDE || width > LARGEST_SIDE) {
    throw unsupportedOutput(
      `a square of ${SMALLEST_SIDE} to ${LARGEST_SIDE} pixels with ico`,
      `${width} x ${height} pixels`,
    );
  }
  const payload = width === LARGEST_SIDE ? encodePng(picture) : encodeBitmap(picture);
  const file = new Uint8Array(DIRECTORY_BYTES + payload.length);
  const view = new DataView(file.buffer);
  view.setUint16(2, 1, true); // type: icon
  view.setUint16(4, 1, true); // images
  // A side of 256 does not fit its byte and is written as 0.
  file[6] = width;
  file[7] = height;
  view.setUint16(10, 1, true); // planes
  view.setUint16(12, 32, true); // bits per pixel
  view.setUint32(14, payload.length, true);
  view.setUint32(18, DIRECTORY_BYTES, true);
  file.set(payload, DIRECTORY_BYTES);
  return file;
}

/** BITMAPINFOHEADER, BGRA rows from bottom to top, then one mask bit per pixel: 1 where nothing is to be drawn. */
function encodeBitmap({ data, width, height }: Samples<4>): Uint8Array {
  const maskStride = Math.ceil(width / 32) * 4;
  const maskAt = INFO_HEADER_BYTES + width * height * 4;
  const bitmap = new Uint8Array(maskAt + maskStride * height);
  const view = new DataView(bitmap.buffer);
  view.setUint32(0, INFO_HEADER_BYTES, true);
  view.setInt32(4, width, true);
  // The height counts the mask too.
  view.setInt32(8, height * 2, true);
  view.setUint16(12, 1, true); // planes
  view.setUint16(14, 32, true); // bits per pixel

  let read = 0;
  for (let y = height - 1; y >= 0; y--) {
    let write = INFO_HEADER_BYTES + y * width * 4;
    for (let x = 0; x < width; x++, read += 4, write += 4) {
      const alpha = data[read + 3]!;
      bitmap[write] = data[read + 2]!;
      bitmap[write + 1] = data[read + 1]!;
      bitmap[write + 2] = data[read]!;
      bitmap[write + 3] = alpha;
      if (alpha === 0) bitmap[maskAt + y * maskStride + (x >> 3)]! |= 0x80 >> (x & 7);
    }
  }
  return bitmap;
}
