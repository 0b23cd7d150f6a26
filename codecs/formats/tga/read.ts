/** Reads Truevision TGA (Truevision TGA File Format Specification, version 2.0, 1991). */
import type { Size } from '../../../base/geometry.ts';
import { type Bitmap, checkPixels } from '../../bitmap.ts';
import { corruptImage, pageOutOfRange } from '../../errors.ts';
import type { FormatReader } from '../../format-reader.ts';
import { Reader, startsWith } from '../../metadata/bytes.ts';
import { orient } from '../../orient.ts';
import { FORMATS } from '../registry.ts';

const HEADER_BYTES = 18;
const FOOTER_BYTES = 26;
const SIGNATURE = 'TRUEVISION-XFILE';
/** Offset in the extension area of the meaning of the attribute bits (section C.7, field 24). */
const ATTRIBUTES_TYPE = 494;
const USEFUL_ALPHA = 3;
const PREMULTIPLIED_ALPHA = 4;

/** Image types. The types of run-length encoded images are 8 higher. */
const COLOUR_MAPPED = 1;
const TRUE_COLOUR = 2;
const GREY = 3;
const RUN_LENGTH_ENCODED = 8;

/** Bits of the image descriptor. */
const ATTRIBUTE_BITS = 0x0f;
const RIGHT_TO_LEFT = 0x10;
const TOP_TO_BOTTOM = 0x20;

interface ColourMap {
  at: number;
  first: number;
  length: number;
  /** Bits per entry. */
  bits: number;
}

interface Header extends Size {
  kind: number;
  packed: boolean;
  /** Bits per pixel as stored. */
  bits: number;
  map: ColourMap;
  pixelsAt: number;
  /** EXIF orientation. */
  orientation: number;
  alpha: 'none' | 'straight' | 'premultiplied';
}

export const tgaReader: FormatReader = {
  probe(bytes, { page }) {
    if (page > 1) throw pageOutOfRange(page, 1);
    const { width, height, alpha } = readHeader(bytes);
    return { width, height, pages: 1, depth: 8, hasAlpha: alpha !== 'none' };
  },
  decode(bytes, { page, maxPixels }) {
    if (page > 1) throw pageOutOfRange(page, 1);
    const header = readHeader(bytes);
    checkPixels(header, maxPixels);
    return { bitmap: orient(decode(bytes, header), header.orientation) };
  },
};

/** @throws Failure `corrupt_image` */
function readHeader(bytes: Uint8Array): Header {
  const reader = new Reader(bytes, FORMATS.tga.name, true);
  const type = reader.u8(2);
  const descriptor = reader.u8(17);
  const map = { at: HEADER_BYTES + reader.u8(0), first: reader.u16(3), length: reader.u16(5), bits: reader.u8(7) };
  const hasMap = reader.u8(1) === 1;
  const header: Header = {
    width: reader.u16(12),
    height: reader.u16(14),
    kind: type & ~RUN_LENGTH_ENCODED,
    packed: (type & RUN_LENGTH_ENCODED) !== 0,
    bits: reader.u8(16),
    map,
    pixelsAt: map.at + (hasMap ? map.length * bytesOf(map.bits) : 0),
    orientation: orientationOf(descriptor),
    alpha: 'none',
  };
  const { kind, bits, width, height } = header;
  const known =
    (kind === COLOUR_MAPPED && hasMap && (bits === 8 || bits === 16) && [15, 16, 24, 32].includes(map.bits)) ||
    (kind === TRUE_COLOUR && [15, 16, 24, 32].includes(bits)) ||
    (kind === GREY && (bits === 8 || bits === 16));
  if (!known || width === 0 || height === 0) throw corruptImage(FORMATS.tga.name, `type ${type} of ${bits} bits`);
  return { ...header, alpha: alphaOf(reader, header, descriptor & ATTRIBUTE_BITS) };
}

const bytesOf = (bits: number): number => (bits + 7) >> 3;

function orientationOf(descriptor: number): number {
  const right = (descriptor & RIGHT_TO_LEFT) !== 0;
  if ((descriptor & TOP_TO_BOTTOM) !== 0) return right ? 2 : 1;
  return right ? 3 : 4;
}

/** Attribute bits are alpha, unless the extension area defines them as something else. */
function alphaOf(reader: Reader, { kind, bits, map }: Header, attributeBits: number): Header['alpha'] {
  const stored = kind === COLOUR_MAPPED ? map.bits : bits;
  if (attributeBits === 0 || !(stored === 16 || stored === 32)) return 'none';
  const footer = reader.length - FOOTER_BYTES;
  if (footer < HEADER_BYTES || !startsWith(reader.bytes.subarray(footer + 8), SIGNATURE)) return 'straight';
  const extension = reader.u32(footer);
  if (extension === 0 || extension + ATTRIBUTES_TYPE >= reader.length) return 'straight';
  const type = reader.u8(extension + ATTRIBUTES_TYPE);
  if (type === PREMULTIPLIED_ALPHA) return 'premultiplied';
  return type === USEFUL_ALPHA ? 'straight' : 'none';
}

/** Decodes the pixels in stored order. */
function decode(bytes: Uint8Array, header: Header): Bitmap {
  const { width, height, kind, bits, packed, alpha, pixelsAt } = header;
  const pixelBytes = bytesOf(bits);
  const length = width * height * pixelBytes;
  const { data: stored, end } = packed
    ? unpack(bytes, pixelsAt, length, pixelBytes)
    : {
        data: bytes.subarray(pixelsAt, pixelsAt + length),
        end: Math.min(length, Math.max(0, bytes.length - pixelsAt)),
      };
  const pixels = Math.floor(end / pixelBytes);
  const hasAlpha = alpha !== 'none';
  const channels = ((kind === GREY ? 1 : 3) + (hasAlpha ? 1 : 0)) as Bitmap['channels'];
  const data = new Uint8Array(width * height * channels);
  if (kind === COLOUR_MAPPED) mapColours(bytes, header, stored, pixels, data, hasAlpha);
  else if (kind === GREY) copyGrey(stored, pixels, pixelBytes, data, channels);
  else copyColours(stored, pixels, bits, data, hasAlpha);
  if (alpha === 'premultiplied') unpremultiply(data, channels);
  if (hasAlpha) makeOpaqueIfHidden(data, channels, pixels);
  return { data, width, height, channels, ...(pixels < width * height ? { truncated: true } : {}) };
}

/** Unpacks packets of up to 128 pixels: raw, or one repeated pixel. Some writers let packets cross the ends of rows. */
function unpack(
  bytes: Uint8Array,
  from: number,
  length: number,
  pixelBytes: number,
): { data: Uint8Array; end: number } {
  const data = new Uint8Array(length);
  let end = 0;
  for (let at = from; end < length && at < bytes.length; ) {
    const packet = bytes[at++]!;
    const repeated = packet >= 0x80;
    const wanted = Math.min(((packet & 0x7f) + 1) * pixelBytes, length - end);
    if (repeated) {
      if (at + pixelBytes > bytes.length) break;
      for (let index = 0; index < wanted; index++) data[end + index] = bytes[at + (index % pixelBytes)]!;
      at += pixelBytes;
      end += wanted;
    } else {
      const found = bytes.subarray(at, at + wanted);
      data.set(found, end);
      at += wanted;
      end += found.length;
    }
  }
  return { data, end };
}

function copyGrey(stored: Uint8Array, pixels: number, pixelBytes: number, data: Uint8Array, channels: number): void {
  for (let pixel = 0; pixel < pixels; pixel++) {
    data[pixel * channels] = stored[pixel * pixelBytes]!;
    if (channels === 2) data[pixel * 2 + 1] = stored[pixel * 2 + 1]!;
  }
}

const FIVE_BITS = Uint8Array.from({ length: 32 }, (_, value) => Math.round((value * 255) / 31));

/** Copies BGR, BGRA, or pixels of two bytes with five bits per channel, low byte first. */
function copyColours(stored: Uint8Array, pixels: number, bits: number, data: Uint8Array, hasAlpha: boolean): void {
  const pixelBytes = bytesOf(bits);
  const channels = hasAlpha ? 4 : 3;
  for (let pixel = 0, from = 0, to = 0; pixel < pixels; pixel++, from += pixelBytes, to += channels) {
    if (pixelBytes === 2) {
      const value = stored[from]! | (stored[from + 1]! << 8);
      data[to] = FIVE_BITS[(value >> 10) & 31]!;
      data[to + 1] = FIVE_BITS[(value >> 5) & 31]!;
      data[to + 2] = FIVE_BITS[value & 31]!;
      if (hasAlpha) data[to + 3] = value & 0x8000 ? 255 : 0;
    } else {
      data[to] = stored[from + 2]!;
      data[to + 1] = stored[from + 1]!;
      data[to + 2] = stored[from]!;
      if (hasAlpha) data[to + 3] = stored[from + 3]!;
    }
  }
}

/** Replaces indices by colours. Indices outside the map are black. */
function mapColours(
  bytes: Uint8Array,
  { map, bits }: Header,
  stored: Uint8Array,
  pixels: number,
  data: Uint8Array,
  hasAlpha: boolean,
): void {
  const channels = hasAlpha ? 4 : 3;
  const entryBytes = bytesOf(map.bits);
  const entries = bytes.subarray(map.at, map.at + map.length * entryBytes);
  const colours = new Uint8Array(map.length * channels);
  copyColours(entries, Math.floor(entries.length / entryBytes), map.bits, colours, hasAlpha);
  for (let pixel = 0, to = 0; pixel < pixels; pixel++) {
    const index = (bits === 16 ? stored[pixel * 2]! | (stored[pixel * 2 + 1]! << 8) : stored[pixel]!) - map.first;
    for (let channel = 0; channel < channels; channel++, to++) data[to] = colours[index * channels + channel] ?? 0;
  }
}

function unpremultiply(data: Uint8Array, channels: number): void {
  for (let at = 0; at < data.length; at += channels) {
    const alpha = data[at + channels - 1]!;
    if (alpha === 0) continue;
    for (let channel = 0; channel < channels - 1; channel++) {
      data[at + channel] = Math.min(255, Math.round((data[at + channel]! * 255) / alpha));
    }
  }
}

/** Makes the image opaque if its alpha is 0 everywhere. Some writers declare alpha but do not fill it. */
function makeOpaqueIfHidden(data: Uint8Array, channels: number, pixels: number): void {
  const last = pixels * channels;
  for (let at = channels - 1; at < last; at += channels) if (data[at] !== 0) return;
  for (let at = channels - 1; at < last; at += channels) data[at] = 255;
}
