/**
 * Metadata of PNG files: iCCP, eXIf, pHYs, XMP in iTXt, and the text chunks in which libvips and ImageMagick store
 * blocks.
 */
import { deflateSync } from 'node:zlib';
import { corruptImage } from '../../errors.ts';
import { appendRange, bytesOf, concat, latin1, type Range, startsWith, uint32, viewOf } from '../../metadata/bytes.ts';
import { Unpacker } from '../../metadata/compression.ts';
import { collectUntilDamage } from '../../metadata/damage.ts';
import { bareIptc } from '../../metadata/iptc.ts';
import type { Density, Metadata } from '../../metadata/metadata.ts';
import { chunk, chunksOf, describingChunks, SIGNATURE } from '../../metadata/png-chunks.ts';

const XMP_KEYWORD = 'XML:com.adobe.xmp';
const RAW_PROFILE = 'Raw profile type ';
const EXIF_PREFIX = 'Exif\0\0';
const XMP_PREFIX = 'http://ns.adobe.com/xap/1.0/\0';
const METRES_PER_INCH = 0.0254;
const PER_METRE = 1;
const MAX_UINT31 = 0x7fffffff;

/**
 * Chunks that belong to the image, including animation, significant bits and the background colour. The colour chunks
 * (iCCP, sRGB, gAMA, cHRM, cICP, mDCV, cLLI) are not kept: the profile that is written replaces them all.
 */
const IMAGE_CHUNKS: ReadonlySet<string> = new Set([
  'IHDR',
  'PLTE',
  'IDAT',
  'IEND',
  'tRNS',
  'bKGD',
  'sBIT',
  'acTL',
  'fcTL',
  'fdAT',
]);

export function read(bytes: Uint8Array): Metadata {
  return collectUntilDamage<Metadata>({}, (metadata) => {
    const unpacker = new Unpacker();
    for (const { name, data } of describingChunks(bytes)) {
      if (name === 'iCCP') Object.assign(metadata, profile(data, unpacker));
      else if (name === 'eXIf' && data.length > 0) metadata.exif = withoutPrefix(data, EXIF_PREFIX).slice();
      else if (name === 'pHYs') Object.assign(metadata, density(data));
      else if (name === 'iTXt') Object.assign(metadata, packet(data, unpacker));
      // A block in a chunk of its own takes precedence over one in another text chunk.
      else if (name === 'tEXt' || name === 'zTXt') {
        Object.assign(metadata, { ...textBlock(name, data, unpacker), ...metadata });
      }
    }
  });
}

const withoutPrefix = (data: Uint8Array, prefix: string): Uint8Array =>
  startsWith(data, prefix) ? data.subarray(prefix.length) : data;

/** Splits data into a null-terminated keyword and the rest. */
function keyword(data: Uint8Array): { key: string; rest: Uint8Array } {
  const end = data.indexOf(0);
  return end === -1
    ? { key: '', rest: new Uint8Array(0) }
    : { key: latin1(data.subarray(0, end)), rest: data.subarray(end + 1) };
}

function profile(data: Uint8Array, unpacker: Unpacker): { icc?: Uint8Array } {
  const { rest } = keyword(data);
  const icc = unpacker.inflate(rest.subarray(1));
  return icc && icc.length > 0 ? { icc } : {};
}

function density(data: Uint8Array): { density?: Density } {
  if (data.length < 9 || data[8] !== PER_METRE) return {};
  const view = viewOf(data);
  const [x, y] = [view.getUint32(0), view.getUint32(4)];
  return x > 0 && y > 0 ? { density: { x: x * METRES_PER_INCH, y: y * METRES_PER_INCH } } : {};
}

/** Reads keyword, compression flag and method, language, translated keyword and text. */
function packet(data: Uint8Array, unpacker: Unpacker): { xmp?: Uint8Array } {
  const { key, rest } = keyword(data);
  if (key !== XMP_KEYWORD || rest.length < 2) return {};
  const text = keyword(keyword(rest.subarray(2)).rest).rest;
  const xmp = rest[0] === 1 ? unpacker.inflate(text) : text.slice();
  return xmp && xmp.length > 0 ? { xmp } : {};
}

/** Reads blocks in plain text chunks: XMP as libvips writes it, and ImageMagick's raw profiles. */
function textBlock(name: string, data: Uint8Array, unpacker: Unpacker): Metadata {
  const { key, rest } = keyword(data);
  if (key !== XMP_KEYWORD && !key.startsWith(RAW_PROFILE)) return {};
  const text = name === 'zTXt' ? unpacker.inflate(rest.subarray(1)) : rest.slice();
  if (!text || text.length === 0) return {};
  return key === XMP_KEYWORD ? { xmp: text } : rawProfile(key.slice(RAW_PROFILE.length).toLowerCase(), text);
}

/** Decodes a raw profile: a name, a length and hexadecimal digits, each on lines of their own. */
function rawProfile(type: string, text: Uint8Array): Metadata {
  const [, , ...digits] = latin1(text).trim().split(/\s+/);
  const block = new Uint8Array(Buffer.from(digits.join(''), 'hex'));
  if (block.length === 0) return {};
  if (startsWith(block, XMP_PREFIX)) return { xmp: block.subarray(XMP_PREFIX.length) };
  if (type === 'exif' || type === 'app1') return { exif: withoutPrefix(block, EXIF_PREFIX) };
  if (type === 'xmp') return { xmp: block };
  const iptc = type === 'iptc' ? bareIptc(block) : undefined;
  return iptc ? { iptc } : {};
}

/**
 * Replaces all metadata and the colour chunks with the given blocks; PNG holds no IPTC. Pixels for other primaries or
 * another gamma must be converted beforehand.
 * @throws Failure `corrupt_image`
 */
export function write(bytes: Uint8Array, { icc, exif, xmp, density: resolution }: Metadata): Uint8Array {
  const header: Range[] = [];
  const image: Range[] = [];
  for (const found of chunksOf(bytes)) {
    if (IMAGE_CHUNKS.has(found.name)) appendRange(found.name === 'IHDR' ? header : image, found);
  }
  if (header.length !== 1) throw corruptImage('png', `${header.length} headers`);
  return concat([
    bytesOf(SIGNATURE),
    { bytes, ranges: header },
    ...(icc ? [chunk('iCCP', concat([bytesOf('icc\0\0'), deflateSync(icc)]))] : []),
    ...(resolution ? [chunk('pHYs', physical(resolution))] : []),
    ...(exif ? [chunk('eXIf', exif)] : []),
    ...(xmp ? [chunk('iTXt', concat([bytesOf(`${XMP_KEYWORD}\0\0\0\0\0`), xmp]))] : []),
    { bytes, ranges: image },
  ]);
}

function physical({ x, y }: Density): Uint8Array {
  const perMetre = (value: number) => uint32(Math.min(MAX_UINT31, Math.round(value / METRES_PER_INCH)));
  return concat([perMetre(x), perMetre(y), Uint8Array.of(PER_METRE)]);
}
