/** Writes Truevision TGA 2.0, run-length encoded (Truevision TGA File Format Specification, version 2.0). */
import { unsupportedOutput } from '../../errors.ts';
import type { Samples } from '../../samples.ts';

const MAX_SIDE = 0xffff;
const HEADER_BYTES = 18;
const EXTENSION_BYTES = 495;
const FOOTER_BYTES = 26;
const SIGNATURE = 'TRUEVISION-XFILE.\0';
const MAX_PACKET_PIXELS = 128;

/** Image types of run-length encoded images. */
const RLE_TRUE_COLOUR = 10;
const RLE_GREY = 11;
const TOP_LEFT_ORIGIN = 0x20;
/** Values of the extension area's attributes type: no alpha, or alpha that is not premultiplied. */
const NO_ALPHA = 0;
const USEFUL_ALPHA = 3;

/**
 * Encodes an image.
 * @throws Failure `unsupported_output` for a side of more than 65535 pixels
 */
export function encodeTga({ data, width, height, channels }: Samples): Uint8Array<ArrayBuffer> {
  if (width > MAX_SIDE || height > MAX_SIDE) {
    throw unsupportedOutput(`at most ${MAX_SIDE} pixels a side with tga`, `${width} x ${height} pixels`);
  }
  // The longest that a packed row can become; see packRow.
  const longestRow = width * channels + Math.ceil(width / MAX_PACKET_PIXELS);
  const file = new Uint8Array(HEADER_BYTES + longestRow * height + EXTENSION_BYTES + FOOTER_BYTES);
  const view = new DataView(file.buffer);
  file[2] = channels === 1 ? RLE_GREY : RLE_TRUE_COLOUR;
  view.setUint16(12, width, true);
  view.setUint16(14, height, true);
  file[16] = channels * 8;
  file[17] = TOP_LEFT_ORIGIN | (channels === 4 ? 8 : 0);

  const row = new Uint32Array(width);
  let end = HEADER_BYTES;
  for (let y = 0; y < height; y++) {
    readRow(data, y * width * channels, channels, row);
    end = packRow(row, channels, file, end);
  }

  const footerAt = end + EXTENSION_BYTES;
  view.setUint16(end, EXTENSION_BYTES, true);
  file[footerAt - 1] = channels === 4 ? USEFUL_ALPHA : NO_ALPHA;
  view.setUint32(footerAt, end, true);
  file.set(new TextEncoder().encode(SIGNATURE), footerAt + 8);
  return file.slice(0, footerAt + FOOTER_BYTES);
}

/** Converts each pixel to one number whose bytes, lowest first, are those of the file: grey, BGR or BGRA. */
function readRow(data: Uint8Array, at: number, channels: 1 | 3 | 4, row: Uint32Array): void {
  for (let x = 0, read = at; x < row.length; x++, read += channels) {
    if (channels === 1) row[x] = data[read]!;
    else row[x] = (data[read]! << 16) | (data[read + 1]! << 8) | data[read + 2]!;
    if (channels === 4) row[x]! |= data[read + 3]! << 24;
  }
}

/**
 * Packs one row and returns the offset after it. Version 2.0 forbids packets that cross the end of a row. A repeat
 * interrupts a raw packet only if that saves more than the header of the next one costs, so a row grows by at most one
 * byte per 128 pixels.
 */
function packRow(row: Uint32Array, bytesPerPixel: number, file: Uint8Array, at: number): number {
  const worthwhile = bytesPerPixel === 1 ? 3 : 2;
  let end = at;
  for (let x = 0; x < row.length; ) {
    const repeats = runLength(row, x);
    if (repeats >= worthwhile) {
      file[end++] = 0x80 | (repeats - 1);
      end = putPixel(row[x]!, bytesPerPixel, file, end);
      x += repeats;
      continue;
    }
    const header = end++;
    const start = x;
    do end = putPixel(row[x++]!, bytesPerPixel, file, end);
    while (x < row.length && x - start < MAX_PACKET_PIXELS && !startsRun(row, x, worthwhile));
    file[header] = x - start - 1;
  }
  return end;
}

/** Counts the equal pixels from x on, at most one packet. */
function runLength(row: Uint32Array, x: number): number {
  const limit = Math.min(row.length, x + MAX_PACKET_PIXELS);
  let end = x + 1;
  while (end < limit && row[end] === row[x]) end++;
  return end - x;
}

const startsRun = (row: Uint32Array, x: number, length: number): boolean =>
  row[x] === row[x + 1] && (length === 2 || row[x] === row[x + 2]);

function putPixel(pixel: number, bytesPerPixel: number, file: Uint8Array, at: number): number {
  for (let byte = 0; byte < bytesPerPixel; byte++) file[at + byte] = pixel >>> (8 * byte);
  return at + bytesPerPixel;
}
