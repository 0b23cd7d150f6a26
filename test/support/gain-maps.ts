/** JPEG files with a gain map, put together byte by byte and never by the code under test. */
import sharp from 'sharp';
import { pattern } from './test-images.ts';

export const BASE = { width: 160, height: 120 };
/** A quarter of the base, as phones write it. */
export const MAP = { width: 40, height: 30 };

const ADOBE = 'http://ns.adobe.com/hdr-gain-map/1.0/';
const ISO = 'urn:iso:std:iso:ts:21496:-1\0';

export const xmpPacket = (attributes: string, content = ''): string =>
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description ${attributes}>${content}</rdf:Description></rdf:RDF></x:xmpmeta>`;

/** XMP of a map, with the two values that have no default. */
export const adobeXmp = (more = '', content = ''): string =>
  xmpPacket(
    `xmlns:hdrgm="${ADOBE}" hdrgm:Version="1.0" hdrgm:GainMapMax="2.5" hdrgm:HDRCapacityMax="3" ${more}`,
    content,
  );

export const APPLE_XMP = xmpPacket(
  'xmlns:apdi="http://ns.apple.com/pixeldatainfo/1.0/" xmlns:HDRGainMap="http://ns.apple.com/HDRGainMap/1.0/" apdi:AuxiliaryImageType="urn:com:apple:photo:2020:aux:hdrgainmap" HDRGainMap:HDRGainMapVersion="131072" HDRGainMap:HDRGainMapHeadroom="4"',
);

/** Four-byte integers, as the metadata of ISO 21496-1 has them behind its versions and flags. */
export const isoMetadata = (flags: number, ...numbers: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(5 + 4 * numbers.length);
  bytes[4] = flags;
  for (const [index, number] of numbers.entries()) bytes.writeInt32BE(number, 5 + 4 * index);
  return bytes;
};

/** One channel: gains from 0 to 2.5, gamma 1, offsets of 1/64, headrooms 0 and 3. */
export const ISO_METADATA = isoMetadata(0, 0, 1, 3, 1, 0, 1, 5, 2, 1, 1, 1, 64, 1, 64);

function segment(marker: number, signature: string, payload: Uint8Array | string): Buffer {
  const content = Buffer.concat([Buffer.from(signature, 'latin1'), Buffer.from(payload)]);
  return Buffer.concat([Buffer.from([0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 255]), content]);
}

const xmpSegment = (xmp: string) => segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0', xmp);

/** Inserts segments behind the start of image. */
const withSegments = (jpeg: Buffer, segments: readonly Buffer[]) =>
  Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);

export interface GainMapOptions {
  /** XMP of the map; empty for none. Default: that of Adobe. */
  xmp?: string;
  /** Metadata of ISO 21496-1, in the map and announced in the base. */
  iso?: Buffer;
  /** Properties of the XMP of the base besides the list of items. */
  baseAttributes?: string;
  /** Where the map is found: both, or one. Default: both. */
  listedIn?: 'both' | 'directory' | 'xmp';
  littleEndian?: boolean;
  orientation?: number;
  /** White columns at the left of the base, and as many of the map in its scale. */
  margin?: number;
}

/** A scene without symmetry whose grey levels are those of its map. @param margin white columns of the base at its left */
export function scene(width: number, height: number, margin = 0) {
  const { data } = pattern(BASE.width, BASE.height);
  for (let y = 0; y < BASE.height; y += 1) data.fill(255, y * BASE.width * 3, (y * BASE.width + margin) * 3);
  return sharp(data, { raw: { ...BASE, channels: 3 } })
    .toColourspace('b-w')
    .resize(width, height, { fit: 'fill', kernel: 'linear' });
}

/** A JPEG with a gain map. */
export async function withGainMap(options: GainMapOptions = {}): Promise<Buffer> {
  const { xmp = adobeXmp(), iso, baseAttributes = '', listedIn = 'both', littleEndian = false } = options;
  const { orientation, margin } = options;
  const isAdobe = xmp.includes(ADOBE);
  const map = withSegments(await scene(MAP.width, MAP.height, margin).jpeg({ quality: 95 }).toBuffer(), [
    ...(xmp ? [xmpSegment(xmp)] : []),
    ...(iso ? [segment(0xe2, ISO, iso)] : []),
  ]);
  const base = scene(BASE.width, BASE.height, margin).toColourspace('srgb');
  if (orientation !== undefined) base.withMetadata({ orientation });
  const items =
    `<C:Directory xmlns:C="http://ns.google.com/photos/1.0/container/" xmlns:I="http://ns.google.com/photos/1.0/container/item/"><rdf:Seq>` +
    `<rdf:li rdf:parseType="Resource"><C:Item I:Semantic="Primary" I:Mime="image/jpeg"/></rdf:li>` +
    `<rdf:li rdf:parseType="Resource"><C:Item I:Semantic="GainMap" I:Mime="image/jpeg" I:Length="${map.length}"/></rdf:li></rdf:Seq></C:Directory>`;
  const announced = isAdobe
    ? xmpPacket(`xmlns:hdrgm="${ADOBE}" hdrgm:Version="1.0" ${baseAttributes}`, listedIn === 'directory' ? '' : items)
    : baseAttributes && xmpPacket(baseAttributes);
  const plain = withSegments(await base.jpeg({ quality: 95 }).toBuffer(), [
    ...(announced ? [xmpSegment(announced)] : []),
    ...(iso ? [segment(0xe2, ISO, Buffer.alloc(4))] : []),
  ]);
  if (listedIn === 'xmp') return Buffer.concat([plain, map]);
  const at = 2;
  const length = directory(0, 0, 0, littleEndian).length;
  const firstBytes = plain.length + length;
  // Offsets count from the byte order mark behind marker, length and signature.
  const entries = directory(firstBytes, map.length, firstBytes - (at + 8), littleEndian);
  return Buffer.concat([plain.subarray(0, at), entries, plain.subarray(at), map]);
}

/** The directory of two images (CIPA DC-007). */
function directory(firstBytes: number, secondBytes: number, offset: number, littleEndian: boolean): Buffer {
  const bytes = Buffer.alloc(8 + 10 + 2 * 12 + 4 + 32);
  const u16 = (value: number, at: number) =>
    littleEndian ? bytes.writeUInt16LE(value, at) : bytes.writeUInt16BE(value, at);
  const u32 = (value: number, at: number) =>
    littleEndian ? bytes.writeUInt32LE(value, at) : bytes.writeUInt32BE(value, at);
  bytes.write(littleEndian ? 'II' : 'MM');
  u16(42, 2);
  u32(8, 4);
  u16(2, 8);
  // The number of images, then their entries.
  for (const [at, tag, type, count, value] of [
    [10, 0xb001, 4, 1, 2],
    [22, 0xb002, 7, 32, 46],
  ] as const) {
    u16(tag, at);
    u16(type, at + 2);
    u32(count, at + 4);
    u32(value, at + 8);
  }
  u32(0x030000, 46);
  u32(firstBytes, 50);
  u32(secondBytes, 66);
  u32(offset, 70);
  return segment(0xe2, 'MPF\0', bytes);
}

/** Finds the map as ExifTool does, by the directory. */
export function mapIn(file: Uint8Array): Buffer | undefined {
  const bytes = Buffer.from(file);
  const at = bytes.indexOf('MPF\0', 0, 'latin1');
  if (at === -1) return undefined;
  const origin = at + 4;
  const littleEndian = bytes.toString('latin1', origin, origin + 2) === 'II';
  const u16 = (where: number) => (littleEndian ? bytes.readUInt16LE(where) : bytes.readUInt16BE(where));
  const u32 = (where: number) => (littleEndian ? bytes.readUInt32LE(where) : bytes.readUInt32BE(where));
  const fields = origin + u32(origin + 4);
  for (let field = fields + 2; field < fields + 2 + 12 * u16(fields); field += 12) {
    if (u16(field) !== 0xb002) continue;
    const second = origin + u32(field + 8) + 16;
    const start = origin + u32(second + 8);
    return bytes.subarray(start, start + u32(second + 4));
  }
  return undefined;
}
