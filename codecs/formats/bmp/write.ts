/**
 * Writes Windows bitmaps, bottom-up and uncompressed, with the BITMAPFILEHEADER and BITMAPINFOHEADER of the Windows GDI
 * reference.
 */
import { type Density, METRES_PER_INCH, type Samples } from '../../samples.ts';

const FILE_HEADER_BYTES = 14;
const INFO_HEADER_BYTES = 40;
const GREY_LEVELS = 256;

/**
 * Encodes RGB as 24 bits and grey as 8 bits with a grey palette.
 * @param density written in whole pixels per metre, which is precise enough to keep whole dots per inch
 */
export function encodeBmp(image: Samples<1 | 3> & { density?: Density | undefined }): Uint8Array<ArrayBuffer> {
  const { data, width, height, channels, density } = image;
  const colours = channels === 1 ? GREY_LEVELS : 0;
  // Rows are padded to a multiple of four bytes.
  const stride = Math.ceil((width * channels) / 4) * 4;
  const pixelsAt = FILE_HEADER_BYTES + INFO_HEADER_BYTES + colours * 4;
  const file = new Uint8Array(pixelsAt + stride * height);
  const view = new DataView(file.buffer);

  file.set([0x42, 0x4d]); // BM
  view.setUint32(2, file.length, true);
  view.setUint32(10, pixelsAt, true);
  view.setUint32(14, INFO_HEADER_BYTES, true);
  view.setInt32(18, width, true);
  view.setInt32(22, height, true);
  view.setUint16(26, 1, true); // planes
  view.setUint16(28, channels * 8, true);
  view.setUint32(34, stride * height, true);
  if (density) {
    view.setInt32(38, Math.round(density.x / METRES_PER_INCH), true);
    view.setInt32(42, Math.round(density.y / METRES_PER_INCH), true);
  }
  view.setUint32(46, colours, true);
  for (let level = 0; level < colours; level++) {
    file.fill(
      level,
      FILE_HEADER_BYTES + INFO_HEADER_BYTES + level * 4,
      FILE_HEADER_BYTES + INFO_HEADER_BYTES + level * 4 + 3,
    );
  }

  const copyRow = channels === 1 ? copyGrey : copyRgbAsBgr;
  for (let y = 0; y < height; y++)
    copyRow(data, y * width * channels, file, pixelsAt + (height - 1 - y) * stride, width);
  return file;
}

function copyGrey(from: Uint8Array, fromAt: number, to: Uint8Array, toAt: number, width: number): void {
  to.set(from.subarray(fromAt, fromAt + width), toAt);
}

function copyRgbAsBgr(from: Uint8Array, fromAt: number, to: Uint8Array, toAt: number, width: number): void {
  const end = toAt + width * 3;
  for (let read = fromAt, write = toAt; write < end; read += 3, write += 3) {
    to[write] = from[read + 2]!;
    to[write + 1] = from[read + 1]!;
    to[write + 2] = from[read]!;
  }
}
