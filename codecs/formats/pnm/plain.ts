/**
 * Packs the plain formats of Netpbm, whose samples are ASCII numbers, into their binary formats: P1, P2 and P3 into P4,
 * P5 and P6 (pbm(5), pgm(5), ppm(5)). libvips takes 0.15 µs to read a number and 0.3 µs for each missing one, so a file
 * of 1 kB that claims 100 megapixels took 90 s. It also reads the digits of P1 without spaces as one number.
 */

import { corruptImage } from '../../errors.ts';
import { FORMATS } from '../registry.ts';

const NEWLINE = 10;
const COMMENT = 35;
const ZERO = 48;
const NINE = 57;

const LETTER_P = 0x50;
const BITMAP = 0x31;
const GREY = 0x32;
const RGB = 0x33;
const MAX_SAMPLE = 65_535;

export const isPlainPnm = (bytes: Uint8Array): boolean =>
  bytes[0] === LETTER_P && (bytes[1] === BITMAP || bytes[1] === GREY || bytes[1] === RGB);

/**
 * Returns the image in a binary format, with all complete rows of the file; the file itself when it has no size.
 * @throws Failure `corrupt_image` for samples of more than 16 bits
 */
export const packPlainPnm = (bytes: Uint8Array): Uint8Array =>
  bytes[1] === BITMAP ? packBitmap(bytes) : packSamples(bytes, bytes[1] === RGB ? 3 : 1);

function packBitmap(bytes: Uint8Array): Uint8Array {
  const [width, afterWidth] = readNumber(bytes, 2);
  const [height, pixelsAt] = readNumber(bytes, afterWidth);
  if (width === 0 || height === 0) return bytes;
  // A pixel takes at least one byte, so the file contains not even one row.
  if (width > bytes.length) return Buffer.from(`P4\n${width} ${height}\n`);
  const stride = Math.ceil(width / 8);
  const rows = Math.min(height, Math.ceil(bytes.length / width));
  const header = Buffer.from(`P4\n${width} ${height}\n`);
  const packed = new Uint8Array(header.length + stride * rows);
  packed.set(header);

  let pixel = 0;
  for (let at = pixelsAt; at < bytes.length && pixel < width * rows; at++) {
    const bit = bytes[at]! - ZERO;
    if (bytes[at] === COMMENT) at = endOfLine(bytes, at);
    if (bit !== 0 && bit !== 1) continue;
    const x = pixel % width;
    packed[header.length + ((pixel - x) / width) * stride + (x >> 3)]! |= bit << (7 - (x & 7));
    pixel++;
  }
  const whole = Math.floor(pixel / width);
  return whole < rows ? packed.subarray(0, header.length + stride * whole) : packed;
}

function packSamples(bytes: Uint8Array, channels: 1 | 3): Uint8Array {
  const [width, afterWidth] = readNumber(bytes, 2);
  const [height, afterHeight] = readNumber(bytes, afterWidth);
  const [maximum, samplesAt] = readNumber(bytes, afterHeight);
  if (width === 0 || height === 0) return bytes;
  if (maximum === 0 || maximum > MAX_SAMPLE) throw corruptImage(FORMATS.pnm.name, `samples up to ${maximum}`);
  const sampleBytes = maximum > 255 ? 2 : 1;
  const rowSamples = width * channels;
  // A sample takes at least a digit and a space; the last one needs no space.
  const samples = Math.max(0, bytes.length - samplesAt + 1) / 2;
  const rows = Math.min(height, Math.floor(samples / rowSamples));
  const header = Buffer.from(`P${channels === 3 ? 6 : 5}\n${width} ${height}\n${maximum}\n`);
  const packed = new Uint8Array(header.length + rows * rowSamples * sampleBytes);
  packed.set(header);
  let to = header.length;
  let value = -1;
  for (let at = samplesAt; at <= bytes.length && to < packed.length; at++) {
    const byte = bytes[at] ?? NEWLINE;
    if (byte >= ZERO && byte <= NINE) {
      value = Math.min(maximum, Math.max(0, value) * 10 + byte - ZERO);
      continue;
    }
    if (value >= 0) {
      if (sampleBytes === 2) packed[to++] = value >> 8;
      packed[to++] = value & 0xff;
      value = -1;
    }
    if (byte === COMMENT) at = endOfLine(bytes, at);
  }
  const rowBytes = rowSamples * sampleBytes;
  return packed.subarray(0, to - ((to - header.length) % rowBytes));
}

function endOfLine(bytes: Uint8Array, from: number): number {
  const end = bytes.indexOf(NEWLINE, from);
  return end === -1 ? bytes.length : end;
}

/** Reads the next number and returns its end; 0 if there is none. */
function readNumber(bytes: Uint8Array, from: number): [value: number, end: number] {
  let at = from;
  while (at < bytes.length && !isDigit(bytes[at]!)) at = bytes[at] === COMMENT ? endOfLine(bytes, at) + 1 : at + 1;
  let value = 0;
  for (; at < bytes.length && isDigit(bytes[at]!) && value < 2 ** 31; at++) value = value * 10 + bytes[at]! - ZERO;
  return [value, at];
}

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE;
