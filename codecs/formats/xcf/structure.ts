/** Parses header, properties and layers of GIMP images (GIMP developers, "Document describing the file format XCF"). */
import type { Size } from '../../../base/geometry.ts';
import { corruptImage } from '../../errors.ts';
import { Reader } from '../../metadata/bytes.ts';
import { tryParse } from '../../metadata/damage.ts';
import type { Density } from '../../samples.ts';
import { FORMATS } from '../registry.ts';

export const BASE = { rgb: 0, grey: 1, indexed: 2 } as const;

/** How the numbers of a channel are stored. */
export interface Precision {
  bytes: 1 | 2 | 4 | 8;
  float: boolean;
  /** Whether values are linear light rather than sRGB. */
  linear: boolean;
  littleEndian: boolean;
}

export interface Layer extends Size {
  left: number;
  top: number;
  /** Channels as stored, the alpha last. */
  channels: number;
  hasAlpha: boolean;
  visible: boolean;
  /** 0 to 1. */
  opacity: number;
  mode: number;
  group: boolean;
  /** Positions in the tree, from the outermost group on; undefined for layers outside of groups. */
  path: number[] | undefined;
  /** Offset of the tree of tiles. */
  hierarchy: number;
  /** Offset of the tree of tiles of the applied mask. */
  mask: number | undefined;
}

export interface Xcf extends Size {
  reader: Reader;
  base: number;
  precision: Precision;
  compression: number;
  /** RGB triples. */
  colours: Uint8Array;
  icc: Uint8Array | undefined;
  density: Density | undefined;
  /** From top to bottom. */
  layers: Layer[];
  pointerBytes: 4 | 8;
}

const PROPERTY = {
  end: 0,
  colours: 1,
  opacity: 6,
  mode: 7,
  visible: 8,
  applyMask: 11,
  offsets: 15,
  compression: 17,
  resolution: 19,
  parasites: 21,
  group: 29,
  path: 30,
  floatOpacity: 33,
} as const;

const PRECISION_SINCE = 4;
const LONG_POINTERS_SINCE = 11;
const BIG_ENDIAN_SINCE = 12;
const MAX_LAYERS = 5_000;
const MAX_PROPERTIES = 1_000;
const MAX_SIDE = 524_288;
const FULL_OPACITY = 255;

const name = FORMATS.xcf.name;

/** @throws Failure `corrupt_image` */
export function readXcf(bytes: Uint8Array): Xcf {
  const reader = new Reader(bytes, name);
  const version = reader.text(9, 4) === 'file' ? 0 : Number(reader.text(10, 3));
  if (reader.text(0, 9) !== 'gimp xcf ' || !(version >= 0 && version < 100)) throw corruptImage(name, 'signature');
  const [width, height, base] = [14, 18, 22].map((at) => reader.u32(at)) as [number, number, number];
  if (!(width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE && base <= BASE.indexed)) {
    throw corruptImage(name, `${width} x ${height}`);
  }
  const precise = version >= PRECISION_SINCE;
  const { properties, end } = readProperties(reader, precise ? 30 : 26);
  const pointerBytes = version >= LONG_POINTERS_SINCE ? 8 : 4;
  const colours = properties.get(PROPERTY.colours);
  const resolution = properties.get(PROPERTY.resolution);
  const xcf: Xcf = {
    reader,
    width,
    height,
    base,
    precision: {
      ...(precise ? precisionOf(version, reader.u32(26)) : EIGHT_BITS),
      littleEndian: version < BIG_ENDIAN_SINCE,
    },
    compression: properties.get(PROPERTY.compression)?.u8(0) ?? 0,
    colours: colours ? colours.slice(4, Math.min(256, colours.u32(0)) * 3) : new Uint8Array(0),
    icc: tryParse(() => iccOf(properties.get(PROPERTY.parasites))),
    density: resolution && densityOf(resolution),
    layers: [],
    pointerBytes,
  };
  for (const pointer of pointersAt(xcf, end, MAX_LAYERS)) {
    const layer = tryParse(() => readLayer(xcf, pointer));
    if (layer) xcf.layers.push(layer);
  }
  return xcf;
}

const EIGHT_BITS = { bytes: 1, float: false, linear: false } as const;

/**
 * Decodes the precision. Version 4 has codes 0 to 4. In later versions the hundreds are the type, and 50 is added when
 * it is not linear.
 */
function precisionOf(version: number, code: number): Omit<Precision, 'littleEndian'> {
  if (version < 5) {
    const linear = code >= 2;
    return { bytes: ([1, 2, 4, 2, 4] as const)[code] ?? unknownPrecision(code), float: code >= 3, linear };
  }
  const kind = Math.floor(code / 100);
  const bytes = ({ 1: 1, 2: 2, 3: 4, 5: 2, 6: 4, 7: 8 } as const)[kind] ?? unknownPrecision(code);
  return { bytes, float: kind >= 5, linear: code % 100 < 50 };
}

function unknownPrecision(code: number): never {
  throw corruptImage(name, `precision ${code}`);
}

/** Reads properties: each is a type, a length and a value. */
function readProperties(reader: Reader, from: number): { properties: Map<number, Reader>; end: number } {
  const properties = new Map<number, Reader>();
  let at = from;
  for (let count = 0; count < MAX_PROPERTIES; count++) {
    const [type, length] = [reader.u32(at), reader.u32(at + 4)];
    if (type === PROPERTY.end) return { properties, end: at + 8 };
    properties.set(type, new Reader(reader.slice(at + 8, length), name));
    at += 8 + length;
  }
  throw corruptImage(name, 'properties without end');
}

/** Reads pointers up to the first 0. */
export function pointersAt({ reader, pointerBytes }: Xcf, from: number, most: number): number[] {
  const pointers: number[] = [];
  for (let at = from; pointers.length < most; at += pointerBytes) {
    const pointer = pointerBytes === 8 ? reader.u64(at) : reader.u32(at);
    if (pointer === 0) break;
    pointers.push(pointer);
  }
  return pointers;
}

function readLayer(xcf: Xcf, at: number): Layer {
  const { reader, pointerBytes } = xcf;
  const type = reader.u32(at + 8);
  const { properties, end } = readProperties(reader, at + 16 + reader.u32(at + 12));
  const pointer = (offset: number) => (pointerBytes === 8 ? reader.u64(offset) : reader.u32(offset));
  const number = (property: number, fallback: number) => properties.get(property)?.u32(0) ?? fallback;
  const offsets = properties.get(PROPERTY.offsets);
  const path = properties.get(PROPERTY.path);
  const exact = properties.get(PROPERTY.floatOpacity);
  const mask = pointer(end + pointerBytes);
  const hasAlpha = type % 2 === 1;
  return {
    width: reader.u32(at),
    height: reader.u32(at + 4),
    left: offsets ? offsets.u32(0) | 0 : 0,
    top: offsets ? offsets.u32(4) | 0 : 0,
    channels: (type <= 1 ? 3 : 1) + (hasAlpha ? 1 : 0),
    hasAlpha,
    visible: number(PROPERTY.visible, 1) !== 0,
    opacity: exact ? floatAt(exact, 0) : number(PROPERTY.opacity, FULL_OPACITY) / FULL_OPACITY,
    mode: number(PROPERTY.mode, 0),
    group: properties.has(PROPERTY.group),
    path: path && Array.from({ length: Math.min(64, Math.floor(path.length / 4)) }, (_, index) => path.u32(index * 4)),
    hierarchy: pointer(end),
    mask: mask !== 0 && number(PROPERTY.applyMask, 1) !== 0 ? maskHierarchy(xcf, mask) : undefined,
  };
}

/** Returns the tiles of a mask, which is a channel: its size, its name, its properties, its tiles. */
const maskHierarchy = ({ reader, pointerBytes }: Xcf, at: number): number | undefined =>
  tryParse(() => {
    const { end } = readProperties(reader, at + 12 + reader.u32(at + 8));
    return pointerBytes === 8 ? reader.u64(end) : reader.u32(end);
  });

function floatAt(reader: Reader, at: number): number {
  const bytes = reader.slice(at, 4);
  const value = new DataView(bytes.buffer, bytes.byteOffset).getFloat32(0);
  return value >= 0 && value <= 1e6 ? value : 0;
}

function densityOf(resolution: Reader): Density | undefined {
  const [x, y] = [floatAt(resolution, 0), floatAt(resolution, 4)];
  return x >= 1 && y >= 1 ? { x, y } : undefined;
}

/** Returns the ICC profile among the parasites, each of which is a name, flags and data. */
function iccOf(parasites: Reader | undefined): Uint8Array | undefined {
  for (let at = 0; parasites && at < parasites.length; ) {
    const nameBytes = parasites.u32(at);
    const dataAt = at + 12 + nameBytes;
    const length = parasites.u32(dataAt - 4);
    if (parasites.text(at + 4, nameBytes) === 'icc-profile\0') return parasites.slice(dataAt, length);
    at = dataAt + length;
  }
  return undefined;
}
