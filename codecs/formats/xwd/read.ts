/** Reads X window dumps (X11/XWDFile.h, version 7; X11/Xlib, "Manipulating Images" for the order of bits and bytes). */
import type { Bitmap } from '../../bitmap.ts';
import { paint, rowsPresent } from '../../legacy/rows.ts';
import { type StillHeader, stillFormat } from '../../legacy/still.ts';
import { Reader, viewOf } from '../../metadata/bytes.ts';
import { FORMATS } from '../registry.ts';
import { FIELD, HEADER_BYTES, hasHeader, isLittleEndian, LAYOUT } from './header.ts';

/** Bytes of an entry of the colour map: number, red, green and blue in 16 bits each, flags. */
const COLOUR_BYTES = 12;
const MAX_COLOURS = 65_536;
/** A pixel holds an index for each of red, green and blue. */
const DIRECT_COLOUR = 5;

interface XwdHeader extends StillHeader {
  layout: number;
  bitsPerPixel: number;
  depth: 8;
  /** Bits of a pixel that are used, or planes. */
  planes: number;
  stride: number;
  unitBytes: number;
  isMostByteFirst: boolean;
  isMostBitFirst: boolean;
  visual: number;
  masks: readonly [red: number, green: number, blue: number];
  /** RGB triples; undefined if there is no map. */
  palette: Uint8Array | undefined;
  pixelsAt: number;
}

function readHeader(bytes: Uint8Array): XwdHeader | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const view = viewOf(bytes);
  if (!hasHeader(view)) return undefined;
  const reader = new Reader(bytes, FORMATS.xwd.name, isLittleEndian(view));
  const number = (field: number) => reader.u32(field * 4);
  const colours = number(FIELD.colours);
  const mapAt = number(FIELD.headerBytes);
  if (colours > MAX_COLOURS) return undefined;
  return {
    width: number(FIELD.width),
    height: number(FIELD.height),
    depth: 8,
    layout: number(FIELD.layout),
    bitsPerPixel: number(FIELD.bitsPerPixel),
    planes: number(FIELD.layout) === LAYOUT.planes ? number(FIELD.depth) : 1,
    stride: number(FIELD.stride),
    unitBytes: number(FIELD.unit) / 8,
    isMostByteFirst: number(FIELD.byteOrder) === 1,
    isMostBitFirst: number(FIELD.bitOrder) === 1,
    visual: number(FIELD.visual),
    masks: [number(FIELD.masks), number(FIELD.masks + 1), number(FIELD.masks + 2)],
    palette: colours > 0 ? readMap(reader, mapAt, colours) : undefined,
    pixelsAt: mapAt + colours * COLOUR_BYTES,
  };
}

/** Reads the high bytes of a map. Each entry names its own number. */
function readMap(reader: Reader, at: number, colours: number): Uint8Array {
  const palette = new Uint8Array(colours * 3);
  for (let index = 0; index < colours; index++) {
    const entry = at + index * COLOUR_BYTES;
    const pixel = reader.u32(entry);
    const place = pixel < colours ? pixel : index;
    for (let band = 0; band < 3; band++) palette[place * 3 + band] = reader.u16(entry + 4 + band * 2) >> 8;
  }
  return palette;
}

function readPixels(bytes: Uint8Array, header: XwdHeader): Bitmap | undefined {
  const { width, height, layout, bitsPerPixel, planes, stride, pixelsAt } = header;
  const rowBytes = Math.ceil((width * (layout === LAYOUT.pixels ? bitsPerPixel : 1)) / 8);
  if (stride < rowBytes) return undefined;
  // Planes follow each other, so the last one tells how many rows are whole.
  const lastPlane = { bytes, at: pixelsAt + (planes - 1) * stride * height, stride };
  const present = rowsPresent(lastPlane, rowBytes, height);
  if (present === 0) return undefined;
  const values = valuesOf(bytes, header, present);
  return { ...coloursOf(values, header, present), width, height, truncated: present < height };
}

/** Returns the number that each pixel has. */
function valuesOf(bytes: Uint8Array, header: XwdHeader, rows: number): Uint32Array {
  const { width, height, layout, bitsPerPixel, planes, stride, pixelsAt, isMostByteFirst } = header;
  const values = new Uint32Array(width * height);
  const isWholeBytes = layout === LAYOUT.pixels && bitsPerPixel % 8 === 0;
  const readRow = isWholeBytes ? byteRow(bytes, bitsPerPixel / 8, isMostByteFirst) : bitRow(bytes, header);
  for (let plane = 0; plane < planes; plane++) {
    for (let y = 0; y < rows; y++) {
      readRow(values.subarray(y * width, (y + 1) * width), pixelsAt + (plane * height + y) * stride);
    }
  }
  return values;
}

type ReadRow = (row: Uint32Array, at: number) => void;

function byteRow(bytes: Uint8Array, pixelBytes: number, isMostByteFirst: boolean): ReadRow {
  return (row, at) => {
    for (let x = 0, read = at; x < row.length; x++, read += pixelBytes) {
      let value = 0;
      for (let index = 0; index < pixelBytes; index++) {
        value = (value << 8) | bytes[read + (isMostByteFirst ? index : pixelBytes - 1 - index)]!;
      }
      row[x] = value;
    }
  };
}

/** Adds the bits of a row to its pixels: one of a plane, or all of a pixel. */
function bitRow(bytes: Uint8Array, header: XwdHeader): ReadRow {
  const { layout, bitsPerPixel, unitBytes, isMostByteFirst, isMostBitFirst } = header;
  const bits = layout === LAYOUT.pixels ? bitsPerPixel : 1;
  const unitBits = unitBytes * 8;
  const bitAt = (at: number, index: number): number => {
    const inUnit = index % unitBits;
    const place = isMostBitFirst ? unitBits - 1 - inUnit : inUnit;
    const byte = isMostByteFirst ? unitBytes - 1 - (place >> 3) : place >> 3;
    return (bytes[at + Math.floor(index / unitBits) * unitBytes + byte]! >> (place & 7)) & 1;
  };
  return (row, at) => {
    for (let x = 0; x < row.length; x++) {
      for (let bit = 0; bit < bits; bit++) {
        const index = x * bits + (isMostBitFirst ? bit : bits - 1 - bit);
        row[x] = (row[x]! << 1) | bitAt(at, index);
      }
    }
  };
}

function coloursOf(values: Uint32Array, header: XwdHeader, rows: number): Pick<Bitmap, 'data' | 'channels'> {
  const { width, palette, masks, visual, bitsPerPixel, planes } = header;
  const painted = rows * width;
  if (masks.every((mask) => mask !== 0)) {
    return { channels: 3, data: byMasks(values, painted, masks, visual === DIRECT_COLOUR ? palette : undefined) };
  }
  if (palette) return { channels: 3, data: paint(values, palette, painted) };
  const highest = 2 ** Math.max(bitsPerPixel, planes) - 1;
  const grey = new Uint8Array(values.length);
  for (let index = 0; index < painted; index++) grey[index] = Math.round((values[index]! * 255) / highest);
  return { channels: 1, data: grey };
}

/** @param palette of a visual whose components are indices */
function byMasks(values: Uint32Array, painted: number, masks: XwdHeader['masks'], palette: Uint8Array | undefined) {
  const rgb = new Uint8Array(values.length * 3);
  for (const [band, mask] of masks.entries()) {
    const shift = 31 - Math.clz32(mask & -mask);
    const highest = mask >>> shift;
    for (let index = 0; index < painted; index++) {
      const component = (values[index]! & mask) >>> shift;
      rgb[index * 3 + band] = palette ? palette[component * 3 + band]! : Math.round((component * 255) / highest);
    }
  }
  return rgb;
}

export const still = stillFormat({ readHeader, readPixels });
