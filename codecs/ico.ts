/** Writes Windows icons. */
import { unsupportedOutput } from './errors.ts';
import type { Samples } from './samples.ts';

const MIN_SIDE = 16;
const MAX_SIDE = 256;
const HEADER_BYTES = 6;
const ENTRY_BYTES = 16;
const INFO_HEADER_BYTES = 40;

const needsPng = (): never => {
  throw new Error('a side of 256 is written as PNG, for which there is no encoder here');
};

/**
 * Encodes squares of 16 to 256 pixels, in the given order. Sides below 256 become a 32-bit bitmap with its mask, which
 * every reader supports. 256 is stored as PNG, as Windows does since Vista, because the bitmap would take 270 kB.
 * @param encodePng called only for a side of 256; must keep every pixel
 * @throws Failure `unsupported_output` for any other size
 */
export function encodeIco(
  images: readonly Samples<4>[],
  encodePng: (image: Samples<4>) => Uint8Array = needsPng,
): Uint8Array<ArrayBuffer> {
  const encoded = images.map((image) => {
    checkSide(image);
    return {
      side: image.width,
      payload: image.width === MAX_SIDE ? encodePng(image) : encodeBitmap(image),
    };
  });
  let at = HEADER_BYTES + ENTRY_BYTES * encoded.length;
  const file = new Uint8Array(encoded.reduce((bytes, { payload }) => bytes + payload.length, at));
  const view = new DataView(file.buffer);
  view.setUint16(2, 1, true); // type: icon
  view.setUint16(4, encoded.length, true);
  for (const [index, { side, payload }] of encoded.entries()) {
    const entry = HEADER_BYTES + ENTRY_BYTES * index;
    // A side of 256 does not fit in the byte and is stored as 0.
    file[entry] = side;
    file[entry + 1] = side;
    view.setUint16(entry + 4, 1, true); // planes
    view.setUint16(entry + 6, 32, true); // bits per pixel
    view.setUint32(entry + 8, payload.length, true);
    view.setUint32(entry + 12, at, true);
    file.set(payload, at);
    at += payload.length;
  }
  return file;
}

function checkSide({ width, height }: Samples<4>): void {
  if (width === height && width >= MIN_SIDE && width <= MAX_SIDE) return;
  throw unsupportedOutput(`a square of ${MIN_SIDE} to ${MAX_SIDE} pixels with ico`, `${width} x ${height} pixels`);
}

/** Writes a BITMAPINFOHEADER, BGRA rows from bottom to top, then one mask bit per pixel: 1 where nothing is drawn. */
function encodeBitmap({ data, width, height }: Samples<4>): Uint8Array {
  const maskStride = Math.ceil(width / 32) * 4;
  const maskAt = INFO_HEADER_BYTES + width * height * 4;
  const bitmap = new Uint8Array(maskAt + maskStride * height);
  const view = new DataView(bitmap.buffer);
  view.setUint32(0, INFO_HEADER_BYTES, true);
  view.setInt32(4, width, true);
  // The height includes the mask.
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
