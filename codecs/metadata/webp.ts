/** Metadata of WebP files: ICCP, EXIF and XMP chunks of the extended format (RFC 9649, section 2.7). */
import type { Size } from '../../base/geometry.ts';
import { corruptImage } from '../errors.ts';
import { bytesOf, concat, Reader, startsWith, uint32 } from './bytes.ts';
import { collectUntilDamage } from './damage.ts';
import type { Metadata } from './metadata.ts';

const FLAG = { animation: 0x02, xmp: 0x04, exif: 0x08, alpha: 0x10, icc: 0x20 } as const;
const RIFF_HEADER = 12;
const CHUNK_HEADER = 8;
/** Position, size, duration and flags of an animation frame, in front of its chunks. */
const FRAME_HEADER = 16;
/** Far more than any real animation has frames. */
const MAX_CHUNKS = 100_000;
const IMAGE_CHUNKS: ReadonlySet<string> = new Set(['ALPH', 'VP8 ', 'VP8L']);
const EXIF_PREFIX = 'Exif\0\0';

export interface Chunk {
  name: string;
  data: Uint8Array;
}

/** @throws Failure `corrupt_image` */
export function* chunksOf(bytes: Uint8Array): Generator<Chunk> {
  const reader = new Reader(bytes, 'webp');
  if (reader.text(0, 4) !== 'RIFF' || reader.text(8, 4) !== 'WEBP') throw corruptImage('webp', 'no RIFF header');
  // Sizes are little-endian; names are text.
  const sizes = new Reader(bytes, 'webp', true);
  const end = Math.min(bytes.length, CHUNK_HEADER + sizes.u32(4));
  yield* chunksBetween(sizes, RIFF_HEADER, end);
}

/** Yields the chunks of an animation frame. @throws Failure `corrupt_image` */
export function* frameChunks(frame: Uint8Array): Generator<Chunk> {
  yield* chunksBetween(new Reader(frame, 'webp', true), FRAME_HEADER, frame.length);
}

function* chunksBetween(reader: Reader, from: number, end: number): Generator<Chunk> {
  let count = 0;
  for (let at = from; at + CHUNK_HEADER <= end; ) {
    count += 1;
    if (count > MAX_CHUNKS) throw corruptImage(reader.format, `more than ${MAX_CHUNKS} chunks`);
    const size = reader.u32(at + 4);
    yield { name: reader.text(at, 4), data: reader.slice(at + CHUNK_HEADER, size) };
    at += CHUNK_HEADER + size + (size % 2);
  }
}

export function read(bytes: Uint8Array): Metadata {
  return collectUntilDamage<Metadata>({}, (metadata) => {
    for (const { name, data } of chunksOf(bytes)) {
      if (data.length === 0) continue;
      if (name === 'ICCP') metadata.icc ??= data.slice();
      else if (name === 'EXIF') {
        metadata.exif ??= data.slice(startsWith(data, EXIF_PREFIX) ? EXIF_PREFIX.length : 0);
      } else if (name === 'XMP ') metadata.xmp ??= data.slice();
    }
  });
}

/**
 * Replaces all metadata; WebP holds no IPTC and no density. Switches between the simple and the extended format as
 * needed.
 * @throws Failure `corrupt_image`
 */
export function write(bytes: Uint8Array, { icc, exif, xmp }: Metadata): Uint8Array {
  const chunks = [...chunksOf(bytes)];
  const image = chunks.filter(({ name }) => IMAGE_CHUNKS.has(name));
  const animation = chunks.filter(({ name }) => name === 'ANIM' || name === 'ANMF');
  const screen = readCanvas(chunks);
  const alpha = chunks.some(({ name }) => name === 'ALPH');
  const extended = animation.length > 0 || alpha || icc || exif || xmp || !screen.simple;
  const flags =
    (screen.alpha ? FLAG.alpha : 0) |
    (animation.length > 0 ? FLAG.animation : 0) |
    (icc ? FLAG.icc : 0) |
    (exif ? FLAG.exif : 0) |
    (xmp ? FLAG.xmp : 0);
  return riff([
    ...(extended
      ? [chunk('VP8X', concat([uint32(flags, true), uint24(screen.width - 1), uint24(screen.height - 1)]))]
      : []),
    ...(icc ? [chunk('ICCP', icc)] : []),
    ...animation.map(({ name, data }) => chunk(name, name === 'ANMF' ? bareFrame(data) : data)),
    ...(animation.length > 0 ? [] : image.map(({ name, data }) => chunk(name, data))),
    ...(exif ? [chunk('EXIF', exif)] : []),
    ...(xmp ? [chunk('XMP ', xmp)] : []),
  ]);
}

/** Wraps chunks in the header of a file. */
export function riff(chunks: readonly Uint8Array[]): Uint8Array {
  const body = concat([bytesOf('WEBP'), ...chunks]);
  return concat([bytesOf('RIFF'), uint32(body.length, true), body]);
}

/** Returns an animation frame with only the chunks of its image. */
function bareFrame(frame: Uint8Array): Uint8Array {
  const reader = new Reader(frame, 'webp', true);
  const chunks = [...frameChunks(frame)].filter(({ name }) => IMAGE_CHUNKS.has(name));
  return concat([reader.slice(0, FRAME_HEADER), ...chunks.map(({ name, data }) => chunk(name, data))]);
}

interface Canvas extends Size {
  alpha: boolean;
  /** Whether the image's own header has the same values, so that the extended header is not needed. */
  simple: boolean;
}

/** Reads size and transparency from the extended header, else from the coded image. @throws Failure `corrupt_image` */
function readCanvas(chunks: readonly Chunk[]): Canvas {
  const own = chunks.map(codedCanvas).find((screen) => screen !== undefined);
  const header = chunks.find(({ name }) => name === 'VP8X');
  if (!header) {
    if (!own) throw corruptImage('webp', 'no image');
    return { ...own, simple: true };
  }
  const reader = new Reader(header.data, 'webp', true);
  const [width, height] = [reader.u24(4) + 1, reader.u24(7) + 1];
  const alpha = (reader.u8(0) & FLAG.alpha) !== 0;
  return { width, height, alpha, simple: own?.width === width && own.height === height && own.alpha === alpha };
}

/**
 * Reads the size from the frame header of VP8 (RFC 6386, section 9.1) or VP8L (RFC 9649, section 3.4).
 * @returns undefined for another chunk
 * @throws Failure `corrupt_image`
 */
export function codedCanvas({ name, data }: Chunk): Omit<Canvas, 'simple'> | undefined {
  const reader = new Reader(data, 'webp', true);
  if (name === 'VP8 ') return { width: reader.u16(6) & 0x3fff, height: reader.u16(8) & 0x3fff, alpha: false };
  if (name !== 'VP8L') return undefined;
  const bits = reader.u32(1);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, alpha: ((bits >>> 28) & 1) === 1 };
}

export const uint24 = (value: number): Uint8Array => uint32(value, true).subarray(0, 3);

/** Serialises a chunk, padded to an even length. */
export const chunk = (name: string, data: Uint8Array): Uint8Array =>
  concat([bytesOf(name), uint32(data.length, true), data, new Uint8Array(data.length % 2)]);
