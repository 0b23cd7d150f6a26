/** Reads PCX (ZSoft Corporation, "PCX Technical Reference Manual", revision 5, 1991). */
import type { Bitmap } from '../bitmap.ts';
import { Reader } from '../metadata/bytes.ts';
import type { Density } from '../samples.ts';
import { pcxPalette } from './pcx-palette.ts';
import { type StillHeader, stillFormat } from './still.ts';

export const NAME = 'PCX';

const MANUFACTURER = 0x0a;
const NEWEST_VERSION = 5;
const HEADER_BYTES = 128;
const RUN_LENGTHS = 1;
const FIRST_RUN = 0xc0;

export interface PcxHeader extends StillHeader {
  version: number;
  coded: boolean;
  /** Bits of a pixel in each plane. */
  bits: number;
  planes: number;
  /** Bytes of a row in each plane. */
  stride: number;
  density: Density | undefined;
}

/** Detects PCX. Safe on the main thread. One byte is no signature, so the other fields must be plausible too. */
export const isPcx = (bytes: Uint8Array): boolean => bytes.length > HEADER_BYTES && readPcxHeader(bytes) !== undefined;

/** @throws Failure `corrupt_image` when the header is truncated */
export function readPcxHeader(bytes: Uint8Array): PcxHeader | undefined {
  const reader = new Reader(bytes, NAME, true);
  const version = reader.u8(1);
  const coding = reader.u8(2);
  const bits = reader.u8(3);
  const planes = reader.u8(65);
  if (reader.u8(0) !== MANUFACTURER || version > NEWEST_VERSION || version === 1 || coding > RUN_LENGTHS)
    return undefined;
  if (!isLayout(bits, planes)) return undefined;
  const width = reader.u16(8) - reader.u16(4) + 1;
  const height = reader.u16(10) - reader.u16(6) + 1;
  if (width <= 0 || height <= 0) return undefined;
  const x = reader.u16(12);
  const y = reader.u16(14);
  return {
    width,
    height,
    hasAlpha: bits === 8 && planes === 4,
    version,
    coded: coding === RUN_LENGTHS,
    bits,
    planes,
    // Some writers store a number of pixels here instead of bytes. A row needs at least this many bytes.
    stride: Math.max(reader.u16(66), Math.ceil((width * bits) / 8)),
    density: x > 0 && y > 0 ? { x, y } : undefined,
  };
}

/**
 * Whether the layout is valid: palette indices of up to eight bits, or eight bits each for red, green, blue and alpha.
 */
function isLayout(bits: number, planes: number): boolean {
  if (bits === 8 && (planes === 3 || planes === 4)) return true;
  return [1, 2, 4, 8].includes(bits) && planes >= 1 && bits * planes <= 8;
}

export function readPcxPixels(bytes: Uint8Array, header: PcxHeader): Bitmap | undefined {
  const { width, height, bits, planes, stride, coded, density } = header;
  const direct = planes >= 3 && bits === 8;
  const channels = direct ? (planes as 3 | 4) : 1;
  const data = new Uint8Array(width * height * channels);
  const row = new Uint8Array(stride * planes);
  const rows = coded ? runReader(bytes) : plainReader(bytes);
  let present = 0;
  // Incomplete rows are not painted.
  while (present < height && rows.read(row)) {
    const to = present * width * channels;
    if (direct) interleave(row, stride, width, planes, data, to);
    else putIndices(row, header, data, to);
    present++;
  }
  if (present === 0) return undefined;

  const size = { width, height, density, truncated: present < height };
  if (direct) return { ...size, data, channels };
  const palette = pcxPalette(bytes, header, rows.at());
  const rgb = new Uint8Array(width * height * 3);
  for (let pixel = 0, write = 0; pixel < present * width; pixel++, write += 3) {
    const colour = data[pixel]! * 3;
    rgb[write] = palette[colour]!;
    rgb[write + 1] = palette[colour + 1]!;
    rgb[write + 2] = palette[colour + 2]!;
  }
  return { ...size, data: rgb, channels: 3 };
}

interface RowSource {
  /** Fills `row`; returns false when the file ends first. */
  read(row: Uint8Array): boolean;
  /** Offset of the next row in the file. */
  at(): number;
}

/**
 * Reads runs: a byte with its two top bits set gives the count of the next one. Runs of some writers continue into the
 * next row.
 */
function runReader(bytes: Uint8Array): RowSource {
  let at = HEADER_BYTES;
  let left = 0;
  let value = 0;
  return {
    at: () => at,
    read(row) {
      for (let write = 0; write < row.length; ) {
        if (left > 0) {
          const end = Math.min(row.length, write + left);
          left -= end - write;
          row.fill(value, write, end);
          write = end;
          continue;
        }
        if (at >= bytes.length) return false;
        value = bytes[at++]!;
        if (value < FIRST_RUN) {
          row[write++] = value;
          continue;
        }
        if (at >= bytes.length) return false;
        left = value - FIRST_RUN;
        value = bytes[at++]!;
      }
      return true;
    },
  };
}

function plainReader(bytes: Uint8Array): RowSource {
  let at = HEADER_BYTES;
  return {
    at: () => at,
    read(row) {
      if (at + row.length > bytes.length) return false;
      row.set(bytes.subarray(at, at + row.length));
      at += row.length;
      return true;
    },
  };
}

function interleave(
  row: Uint8Array,
  stride: number,
  width: number,
  planes: number,
  data: Uint8Array,
  to: number,
): void {
  for (let plane = 0; plane < planes; plane++) {
    const from = plane * stride;
    for (let x = 0, write = to + plane; x < width; x++, write += planes) data[write] = row[from + x]!;
  }
}

/** Adds the bits of each plane; the first plane holds the lowest bits. */
function putIndices(row: Uint8Array, { width, bits, planes, stride }: PcxHeader, data: Uint8Array, to: number): void {
  const mask = (1 << bits) - 1;
  for (let plane = 0; plane < planes; plane++) {
    const from = plane * stride;
    for (let x = 0, bit = 0; x < width; x++, bit += bits) {
      const part = (row[from + (bit >> 3)]! >> (8 - bits - (bit & 7))) & mask;
      data[to + x]! |= part << (plane * bits);
    }
  }
}

export const pcxStill = stillFormat({ readHeader: readPcxHeader, readPixels: readPcxPixels });
