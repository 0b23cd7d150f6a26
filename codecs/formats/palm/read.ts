/**
 * Reads Palm OS bitmaps of versions 0 to 3 (Palm OS Programmer's API Reference, "Bitmaps": BitmapType, ColorTableType).
 */
import type { Bitmap } from '../../bitmap.ts';
import { indicesOf } from '../../legacy/rows.ts';
import { type StillHeader, stillFormat } from '../../legacy/still.ts';
import { Reader } from '../../metadata/bytes.ts';
import { tryParse } from '../../metadata/damage.ts';
import { PALM_PALETTE } from './palette.ts';

interface PalmHeader extends StillHeader {
  rowBytes: number;
  /** 1, 2, 4, 8 or 16. */
  bits: number;
  compression: number;
  version: number;
  /** RGB triples. */
  palette: Uint8Array;
  /** The transparent index, or the transparent 16-bit colour. */
  transparent: number | undefined;
  pixelsAt: number;
}

const COMPRESSED = 0x8000;
const HAS_COLOUR_TABLE = 0x4000;
const HAS_TRANSPARENCY = 0x2000;
const DIRECT_COLOUR = 0x0400;
const DEPTHS: readonly number[] = [1, 2, 4, 8, 16];
const [BY_LINE, BY_RUN, PACK_BITS] = [0, 1, 2];
/** Maximum number of bitmaps in a family, which holds the same image at several depths. */
const MAX_DEPTHS = 16;

function readHeader(bytes: Uint8Array): PalmHeader | undefined {
  let best: PalmHeader | undefined;
  const reader = new Reader(bytes, 'palm');
  tryParse(() => {
    for (let at = 0, depth = 0; depth < MAX_DEPTHS; depth++) {
      const { header, next } = headerAt(reader, at);
      if (header && header.bits > (best?.bits ?? 0)) best = header;
      if (next === 0) return;
      at += next;
    }
  });
  return best;
}

function headerAt(reader: Reader, at: number): { header: PalmHeader | undefined; next: number } {
  const version = reader.u8(at + 9);
  const third = version === 3;
  const flags = reader.u16(at + 6);
  const bits = version === 0 ? 1 : reader.u8(at + 8);
  const next = third ? reader.u32(at + 20) : reader.u16(at + 10) * 4;
  const width = reader.u16(at);
  const rowBytes = reader.u16(at + 4);
  if (version > 3 || !DEPTHS.includes(bits) || rowBytes * 8 < width * bits) return { header: undefined, next };

  let pixelsAt = at + (third ? 24 : 16);
  let palette = bits === 8 ? PALM_PALETTE : greys(bits);
  if ((flags & HAS_COLOUR_TABLE) !== 0) {
    const entries = Math.min(256, reader.u16(pixelsAt));
    palette = new Uint8Array(entries * 3);
    // The first byte of an entry is its index.
    for (let entry = 0; entry < entries; entry++) palette.set(reader.slice(pixelsAt + 3 + entry * 4, 3), entry * 3);
    pixelsAt += 2 + reader.u16(pixelsAt) * 4;
  }
  let transparent = third ? reader.u32(at + 16) : reader.u8(at + 12);
  if (bits === 16 && !third && (flags & DIRECT_COLOUR) !== 0) {
    const [red, green, blue] = reader.slice(pixelsAt + 5, 3);
    transparent = ((red! >> 3) << 11) | ((green! >> 2) << 5) | (blue! >> 3);
    pixelsAt += 8;
  }
  const hasAlpha = (flags & HAS_TRANSPARENCY) !== 0;
  const header: PalmHeader = {
    width,
    height: reader.u16(at + 2),
    rowBytes,
    bits,
    version,
    compression: (flags & COMPRESSED) === 0 ? -1 : reader.u8(at + 13),
    palette,
    transparent: hasAlpha ? transparent : undefined,
    hasAlpha,
    pixelsAt,
  };
  return { header, next };
}

/** Builds a grey palette in which 0 is white. */
function greys(bits: number): Uint8Array {
  const top = bits === 16 ? 0 : (1 << bits) - 1;
  return Uint8Array.from(
    { length: (top + 1) * 3 },
    (_, at) => 255 - Math.round((Math.floor(at / 3) * 255) / (top || 1)),
  );
}

function readPixels(bytes: Uint8Array, header: PalmHeader): Bitmap | undefined {
  const { width, height, bits, palette, transparent, rowBytes } = header;
  const { data: rows, present } = unpack(bytes, header);
  if (present === 0) return undefined;
  const channels = transparent === undefined ? 3 : 4;
  const data = new Uint8Array(width * height * channels);
  const indices =
    bits === 16 ? undefined : indicesOf({ bytes: rows, at: 0, stride: rowBytes }, width, height, present, bits);
  for (let y = 0, pixel = 0; y < present; y++) {
    for (let x = 0; x < width; x++, pixel++) {
      const to = pixel * channels;
      const at = y * rowBytes + x * 2;
      const value = indices ? indices[pixel]! : (rows[at]! << 8) | rows[at + 1]!;
      if (indices) {
        data[to] = palette[value * 3] ?? 0;
        data[to + 1] = palette[value * 3 + 1] ?? 0;
        data[to + 2] = palette[value * 3 + 2] ?? 0;
      } else {
        data[to] = Math.round(((value >> 11) * 255) / 31);
        data[to + 1] = Math.round((((value >> 5) & 63) * 255) / 63);
        data[to + 2] = Math.round(((value & 31) * 255) / 31);
      }
      if (channels === 4) data[to + 3] = value === transparent ? 0 : 255;
    }
  }
  return { data, width, height, channels, truncated: present < height };
}

/** Unpacks rows of `rowBytes`, and counts those present. */
function unpack(bytes: Uint8Array, { compression, version, rowBytes, height, pixelsAt }: PalmHeader) {
  const length = rowBytes * height;
  if (compression < 0) {
    const data = bytes.subarray(pixelsAt, pixelsAt + length);
    return { data, present: Math.floor(data.length / rowBytes) };
  }
  const at = pixelsAt + sizeFieldBytes(bytes.subarray(pixelsAt), version);
  const data = new Uint8Array(length);
  let end = 0;
  if (compression === BY_LINE) end = unpackLines(bytes, at, data, rowBytes);
  else if (compression === BY_RUN) end = unpackRuns(bytes, at, data);
  else if (compression === PACK_BITS) end = unpackBits(bytes, at, data);
  return { data, present: Math.floor(end / rowBytes) };
}

/** Returns the length of the size field in front of the packed rows, which some writers omit. */
function sizeFieldBytes(packed: Uint8Array, version: number): number {
  const field = version === 3 ? 4 : 2;
  const size = packed.subarray(0, field).reduce((sum, byte) => sum * 256 + byte, 0);
  const plausible = size === packed.length || size === packed.length - field || size + 1 === packed.length;
  return plausible ? field : 0;
}

/** Unpacks lines in which a byte marks which of the next eight differ from the row above. */
function unpackLines(bytes: Uint8Array, from: number, data: Uint8Array, rowBytes: number): number {
  let at = from;
  for (let row = 0; row < data.length; row += rowBytes) {
    for (let column = 0; column < rowBytes; column += 8) {
      if (at >= bytes.length) return row;
      const differs = bytes[at++]!;
      for (let index = 0; index < 8 && column + index < rowBytes; index++) {
        const to = row + column + index;
        if ((differs & (0x80 >> index)) !== 0) data[to] = bytes[at++] ?? 0;
        else if (row > 0) data[to] = data[to - rowBytes]!;
      }
    }
  }
  return data.length;
}

function unpackRuns(bytes: Uint8Array, from: number, data: Uint8Array): number {
  let end = 0;
  for (let at = from; at + 1 < bytes.length && end < data.length; at += 2) {
    const next = Math.min(data.length, end + bytes[at]!);
    data.fill(bytes[at + 1]!, end, next);
    end = next;
  }
  return end;
}

function unpackBits(bytes: Uint8Array, from: number, data: Uint8Array): number {
  let end = 0;
  for (let at = from; at + 1 < bytes.length && end < data.length; ) {
    const code = bytes[at++]!;
    if (code === 128) continue;
    const count = code < 128 ? code + 1 : 257 - code;
    const next = Math.min(data.length, end + count);
    if (code < 128) data.set(bytes.subarray(at, at + next - end), end);
    else data.fill(bytes[at]!, end, next);
    at += code < 128 ? count : 1;
    end = next;
  }
  return end;
}

export const still = stillFormat({ readHeader, readPixels });
