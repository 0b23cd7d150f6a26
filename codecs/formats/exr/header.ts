/** The header of OpenEXR files (OpenEXR File Layout, Academy Software Foundation). */
import type { Size } from '../../../base/geometry.ts';
import { corruptImage } from '../../errors.ts';
import { latin1, Reader } from '../../metadata/bytes.ts';
import { FORMATS } from '../registry.ts';

export const PIXEL_TYPE = { uint: 0, half: 1, float: 2 } as const;

export interface Channel {
  name: string;
  /** One of {@link PIXEL_TYPE}. */
  type: number;
  /** Bytes of a sample. */
  bytes: number;
  /** Distance between samples in pixels, across and down. */
  sampling: readonly [x: number, y: number];
}

export interface ExrHeader extends Size {
  /** In storage order, which is the order of their names. */
  channels: Channel[];
  compression: number;
  /** Position and size of the stored pixels. */
  left: number;
  top: number;
  /** Undefined for images stored in lines. */
  tile: { width: number; height: number } | undefined;
  multipart: boolean;
  deep: boolean;
  /** Offset of the table of block offsets. */
  tableAt: number;
}

const SINGLE_TILED = 0x200;
const DEEP = 0x800;
const MULTIPART = 0x1000;
const MAX_ATTRIBUTES = 1_000;
const MAX_CHANNELS = 256;
const MAX_NAME_LENGTH = 256;
const MAX_SIDE = 1 << 24;

const name = FORMATS.exr.name;

/** Reads the header of the first part. @throws Failure `corrupt_image` */
export function readExrHeader(bytes: Uint8Array): ExrHeader {
  const reader = new Reader(bytes, name, true);
  const flags = reader.u32(4);
  const { attributes, end } = readAttributes(reader, 8);
  const need = (attribute: string) => {
    const found = attributes.get(attribute);
    if (!found) throw corruptImage(name, `no ${attribute}`);
    return found;
  };
  const [left, top, right, bottom] = [0, 4, 8, 12].map((at) => need('dataWindow').u32(at) | 0) as [
    number,
    number,
    number,
    number,
  ];
  const [width, height] = [right - left + 1, bottom - top + 1];
  if (!(width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE)) throw corruptImage(name, 'size');
  const multipart = (flags & MULTIPART) !== 0;
  const tiles = attributes.get('tiles');
  const tiled = (flags & SINGLE_TILED) !== 0 || attributes.get('type')?.text(0, 5) === 'tiled';
  const tile = tiled && tiles ? { width: tiles.u32(0), height: tiles.u32(4) } : undefined;
  if (tiled && !(tile && tile.width > 0 && tile.height > 0)) throw corruptImage(name, 'tiles');
  return {
    channels: readChannels(need('channels')),
    compression: need('compression').u8(0),
    left,
    top,
    width,
    height,
    tile,
    multipart,
    deep: (flags & DEEP) !== 0,
    tableAt: multipart ? endOfHeaders(reader, end) : end,
  };
}

/** Skips the headers of the other parts, which end with an empty one. */
function endOfHeaders(reader: Reader, from: number): number {
  let at = from;
  for (let part = 0; part < MAX_ATTRIBUTES && reader.u8(at) !== 0; part++) at = readAttributes(reader, at).end;
  return at + 1;
}

/** Reads attributes: each is a name, a type, a length and a value. An empty name ends them. */
function readAttributes(reader: Reader, from: number): { attributes: Map<string, Reader>; end: number } {
  const attributes = new Map<string, Reader>();
  let at = from;
  while (reader.u8(at) !== 0) {
    if (attributes.size === MAX_ATTRIBUTES) throw corruptImage(name, 'attributes without end');
    const attribute = readName(reader, at);
    at += attribute.length + 1;
    at += readName(reader, at).length + 1;
    const length = reader.u32(at);
    // Duplicates are rejected, because a hostile file could contain one attribute many times.
    if (attributes.has(attribute)) throw corruptImage(name, `two attributes ${attribute}`);
    attributes.set(attribute, new Reader(reader.slice(at + 4, length), name, true));
    at += 4 + length;
  }
  return { attributes, end: at + 1 };
}

function readName(reader: Reader, at: number): string {
  const text = latin1(reader.bytes.subarray(at, at + MAX_NAME_LENGTH));
  const end = text.indexOf('\0');
  if (end === -1) throw corruptImage(name, 'a name without end');
  return text.slice(0, end);
}

function readChannels(reader: Reader): Channel[] {
  const channels: Channel[] = [];
  for (let at = 0; reader.u8(at) !== 0; ) {
    if (channels.length === MAX_CHANNELS) throw corruptImage(name, 'channels without end');
    const channel = readName(reader, at);
    at += channel.length + 1;
    const type = reader.u32(at);
    if (type > PIXEL_TYPE.float) throw corruptImage(name, `samples of type ${type}`);
    const sampling = [reader.u32(at + 8), reader.u32(at + 12)] as const;
    channels.push({ name: channel, type, bytes: type === PIXEL_TYPE.half ? 2 : 4, sampling });
    at += 16;
  }
  if (channels.length === 0) throw corruptImage(name, 'no channels');
  return channels;
}

/** The channels to display: indices of red, green and blue, or of grey, and of the alpha. */
export interface VisibleChannels {
  colours: number[];
  alpha: number | undefined;
}

/** Selects the unnamed layer, else the first layer with colours, else the first channel. */
export function selectVisibleChannels(channels: readonly Channel[]): VisibleChannels {
  const index = (wanted: string) => channels.findIndex((channel) => channel.name === wanted);
  const layers = [
    '',
    ...channels.flatMap(({ name: channel }) => (channel.endsWith('.R') ? [channel.slice(0, -1)] : [])),
  ];
  for (const layer of layers) {
    for (const names of [['R', 'G', 'B'], ['Y']]) {
      const colours = names.map((letter) => index(layer + letter));
      if (colours.includes(-1)) continue;
      const alpha = index(`${layer}A`);
      return { colours, alpha: alpha === -1 ? undefined : alpha };
    }
  }
  return { colours: [0], alpha: undefined };
}
