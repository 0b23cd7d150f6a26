/**
 * The bitmaps and pixel maps in a Macintosh PICT (Apple, "Inside Macintosh: Imaging With QuickDraw", 1994, chapter 4
 * and appendix A).
 */

import { unpackBits } from '../../legacy/packbits-read.ts';
import type { Reader } from '../../metadata/bytes.ts';
import { type Rect, readRect } from './rect.ts';

export interface PixelMap {
  /** Bits of a pixel. */
  bits: 1 | 2 | 4 | 8 | 16 | 32;
  /** 4 means that the first of four is alpha. */
  components: number;
  rowBytes: number;
  packing: Packing;
  bounds: Rect;
  source: Rect;
  target: Rect;
  mode: number;
  /** RGB triples; undefined for direct colours, and for a bitmap, which is drawn in the current colours. */
  palette: Uint8Array | undefined;
  /** Offset of the region that limits the drawing; undefined when there is none. */
  maskAt: number | undefined;
  dataAt: number;
}

/**
 * none: uncompressed; unpadded: 32 bits without the first byte; bytes, words: PackBits; planes: PackBits of all reds,
 * greens and blues of a row.
 */
type Packing = 'none' | 'unpadded' | 'bytes' | 'words' | 'planes';

const IS_PIXEL_MAP = 0x8000;
const ROW_BYTES_MASK = 0x3fff;
const PIXEL_MAP_BYTES = 36;
const MIN_PACKED_ROW_BYTES = 8;
const MAX_BYTE_COUNTED_ROW_BYTES = 250;
const DIRECT = [0x9a, 0x9b];
const WITH_REGION = [0x91, 0x99, 0x9b];
const PACKED = [0x98, 0x99];
const BIT_DEPTHS = [1, 2, 4, 8, 16, 32];

/** @returns undefined when it cannot be read @throws Failure `corrupt_image` when the file ends inside it */
export function readPixelMap(reader: Reader, opcode: number, start: number): PixelMap | undefined {
  const direct = DIRECT.includes(opcode);
  // The pattern of a pen or background is a pixel map followed directly by its data.
  const pattern = opcode < 0x90;
  let at = start + (direct ? 4 : 0);
  const flags = reader.u16(at);
  const rowBytes = flags & ROW_BYTES_MASK;
  const bounds = readRect(reader, at + 2);
  at += 10;

  let bits = 1;
  let components = 1;
  let packType = 0;
  let palette: Uint8Array | undefined;
  if (direct || flags & IS_PIXEL_MAP) {
    packType = reader.u16(at + 2);
    bits = reader.u16(at + 18);
    components = reader.u16(at + 20);
    at += PIXEL_MAP_BYTES;
    if (!direct) {
      const colours = reader.u16(at + 6) + 1;
      palette = readColours(reader, at, colours);
      at += 8 + colours * 8;
    }
  }
  const width = bounds.right - bounds.left;
  if (!BIT_DEPTHS.includes(bits) || direct !== bits > 8 || width <= 0 || bounds.bottom <= bounds.top) return undefined;
  if (Math.ceil((width * bits) / 8) > rowBytes) return undefined;

  const packed = direct || pattern || PACKED.includes(opcode);
  const map = { bits: bits as PixelMap['bits'], components, rowBytes, bounds, palette };
  const packing = packed ? packingOf(packType, bits, rowBytes) : 'none';
  if (pattern) return { ...map, packing, source: bounds, target: bounds, mode: 0, maskAt: undefined, dataAt: at };
  const maskAt = WITH_REGION.includes(opcode) ? at + 18 : undefined;
  return {
    ...map,
    packing,
    source: readRect(reader, at),
    target: readRect(reader, at + 8),
    mode: reader.u16(at + 16),
    maskAt,
    dataAt: at + 18 + (maskAt === undefined ? 0 : Math.max(2, reader.u16(maskAt))),
  };
}

function packingOf(packType: number, bits: number, rowBytes: number): Packing {
  if (rowBytes < MIN_PACKED_ROW_BYTES || packType === 1) return 'none';
  if (bits <= 8) return 'bytes';
  if (packType === 2) return 'unpadded';
  return bits === 16 ? 'words' : 'planes';
}

const MAX_COLOURS = 256;
const BY_POSITION = 0x8000;

/** Reads colours of 16 bits each for red, green and blue. Each has an index, unless they are in sequence. */
function readColours(reader: Reader, at: number, count: number): Uint8Array {
  const palette = new Uint8Array(MAX_COLOURS * 3);
  const counted = (reader.u16(at + 4) & BY_POSITION) !== 0;
  for (let colour = 0; colour < Math.min(count, MAX_COLOURS); colour++) {
    const colourAt = at + 8 + colour * 8;
    const index = counted ? colour : reader.u16(colourAt);
    if (index >= MAX_COLOURS) continue;
    for (let channel = 0; channel < 3; channel++) palette[index * 3 + channel] = reader.u8(colourAt + 2 + channel * 2);
  }
  return palette;
}

const rowsOf = ({ bounds }: PixelMap): number => bounds.bottom - bounds.top;

const plainRowBytes = ({ packing, rowBytes }: PixelMap): number =>
  packing === 'unpadded' ? (rowBytes * 3) / 4 : rowBytes;

/** Returns start and end of a row of packed data, behind its byte count. */
function packedRow(reader: Reader, { rowBytes }: PixelMap, at: number): { start: number; end: number } | undefined {
  const countBytes = rowBytes > MAX_BYTE_COUNTED_ROW_BYTES ? 2 : 1;
  if (at + countBytes > reader.length) return undefined;
  const start = at + countBytes;
  return { start, end: start + (countBytes === 2 ? reader.u16(at) : reader.u8(at)) };
}

/** Returns the end of the data, which is behind the end of the file when they are truncated. */
export function pixelsEnd(reader: Reader, map: PixelMap): number {
  if (map.packing === 'none' || map.packing === 'unpadded') return map.dataAt + rowsOf(map) * plainRowBytes(map);
  let at = map.dataAt;
  for (let row = 0; row < rowsOf(map); row++) {
    const packed = packedRow(reader, map, at);
    if (!packed) return reader.length + 1;
    at = packed.end;
  }
  return at;
}

/**
 * Yields the rows of a pixel map as RGBA, reusing the same memory. A bitmap is drawn in two colours. Ends where the
 * data end.
 */
export function* readRows(reader: Reader, map: PixelMap, colours: Uint8Array): Generator<Uint8Array> {
  const width = map.bounds.right - map.bounds.left;
  const rgba = new Uint8Array(width * 4).fill(255);
  const expanded = new Uint8Array(map.rowBytes);
  const palette = map.palette ?? colours;
  let at = map.dataAt;
  for (let row = 0; row < rowsOf(map); row++) {
    let bytes: Uint8Array = expanded;
    if (map.packing === 'none' || map.packing === 'unpadded') {
      const rowBytes = plainRowBytes(map);
      if (at + rowBytes > reader.length) return;
      bytes = reader.slice(at, rowBytes);
      at += rowBytes;
    } else {
      const packed = packedRow(reader, map, at);
      if (!packed || packed.end > reader.length) return;
      unpackBits(reader.bytes, packed.start, packed.end, expanded, 0, expanded.length, map.packing === 'words' ? 2 : 1);
      at = packed.end;
    }
    if (map.bits <= 8) putIndexed(bytes, map.bits, palette, rgba);
    else if (map.bits === 16) putWords(bytes, rgba);
    else putDirect(bytes, width, map, rgba);
    yield rgba;
  }
}

function putIndexed(bytes: Uint8Array, bits: number, palette: Uint8Array, rgba: Uint8Array): void {
  const mask = (1 << bits) - 1;
  for (let write = 0, bit = 0; write < rgba.length; write += 4, bit += bits) {
    const colour = ((bytes[bit >> 3]! >> (8 - bits - (bit & 7))) & mask) * 3;
    rgba[write] = palette[colour]!;
    rgba[write + 1] = palette[colour + 1]!;
    rgba[write + 2] = palette[colour + 2]!;
  }
}

/** Five bits per channel; the top bit is unused. */
function putWords(bytes: Uint8Array, rgba: Uint8Array): void {
  for (let write = 0, read = 0; write < rgba.length; write += 4, read += 2) {
    const pixel = (bytes[read]! << 8) | bytes[read + 1]!;
    for (let channel = 0; channel < 3; channel++) {
      const level = (pixel >> (10 - channel * 5)) & 31;
      rgba[write + channel] = (level << 3) | (level >> 2);
    }
  }
}

function putDirect(bytes: Uint8Array, width: number, { packing, components }: PixelMap, rgba: Uint8Array): void {
  const alpha = components === 4 && packing !== 'unpadded';
  // In packed planes the channels follow each other; elsewhere the bytes of a pixel do, with an unused one in front.
  const step = packing === 'planes' ? 1 : packing === 'unpadded' ? 3 : 4;
  const next = packing === 'planes' ? width : 1;
  const first = packing === 'planes' ? (alpha ? width : 0) : packing === 'unpadded' ? 0 : 1;
  for (let x = 0, write = 0, read = first; x < width; x++, write += 4, read += step) {
    rgba[write] = bytes[read]!;
    rgba[write + 1] = bytes[read + next]!;
    rgba[write + 2] = bytes[read + 2 * next]!;
    if (alpha) rgba[write + 3] = bytes[read - next]!;
  }
}
