/** PNG files of every kind, and their pixels as decoded by libvips. */
import { deflateSync } from 'node:zlib';
import { be32, text, u8 } from '../../../bench/bombs/bytes.ts';
import { chunk } from '../../../bench/bombs/png.ts';
import type { DecodedPixels } from '../../../codecs/decoded-image.ts';
import { type Chunk, chunksOf } from '../../../codecs/metadata/png-chunks.ts';
import { passesOf } from '../../../codecs/png/rows.ts';
import type { VipsApi } from '../../../codecs/vips.ts';
import type { Random } from '../../support/random.ts';

const SIGNATURE = text('\x89PNG\r\n\x1a\n');
/** The filter types 0 to 4 (PNG, third edition, section 9.2). */
export const FILTERS = [0, 1, 2, 3, 4] as const;

/** Every colour type with its bit depths (section 11.2.1). */
export const KINDS: readonly { colour: number; depth: number }[] = [
  ...[1, 2, 4, 8, 16].map((depth) => ({ colour: 0, depth })),
  ...[8, 16].map((depth) => ({ colour: 2, depth })),
  ...[1, 2, 4, 8].map((depth) => ({ colour: 3, depth })),
  ...[8, 16].map((depth) => ({ colour: 4, depth })),
  ...[8, 16].map((depth) => ({ colour: 6, depth })),
];

export interface PngKind {
  width: number;
  height: number;
  colour: number;
  depth: number;
  interlaced?: boolean;
  /** The content of tRNS. */
  transparency?: Uint8Array;
  /** Number of palette colours. Default: as many as the depth allows. */
  colours?: number;
  /** Filter type of every row. Default: random. */
  filter?: number;
  /** Upper bound (exclusive) of filtered bytes. Default: 256. */
  below?: number;
}

/** Returns random filtered bytes. Every filter decodes them to a valid image. */
export function randomRows(random: Random, header: Uint8Array, { filter, below = 256 }: PngKind): Buffer {
  const rows = passesOf(header).flatMap((pass) =>
    Array.from({ length: pass.rows }, () => {
      const row = Buffer.from(Array.from({ length: pass.rowBytes }, () => random.integer(below)));
      row[0] = filter ?? random.pick(FILTERS);
      return row;
    }),
  );
  return Buffer.concat(rows);
}

export function headerOf({ width, height, depth, colour, interlaced = false }: PngKind): Buffer {
  return Buffer.concat([be32(width, height), u8(depth, colour, 0, 0, interlaced ? 1 : 0)]);
}

/** Writes a file of random pixels, or of these rows. */
export function makePng(random: Random, kind: PngKind, rows?: Uint8Array): Buffer {
  const header = headerOf(kind);
  const { colour, depth, colours = 2 ** depth, transparency } = kind;
  const palette = () => Buffer.from(Array.from({ length: 3 * colours }, () => random.integer(256)));
  const data = deflateSync(rows ?? randomRows(random, header, kind));
  const half = data.length >> 1;
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    ...(colour === 3 ? [chunk('PLTE', palette())] : []),
    ...(transparency ? [chunk('tRNS', transparency)] : []),
    chunk('IDAT', data.subarray(0, half)),
    chunk('IDAT', data.subarray(half)),
    chunk('IEND'),
  ]);
}

/** Returns the file with changed chunks and correct checksums. */
export function withChunks(file: Uint8Array, change: (chunks: Chunk[]) => Pick<Chunk, 'name' | 'data'>[]): Buffer {
  const changed = change([...chunksOf(file)]);
  return Buffer.concat([SIGNATURE, ...changed.map(({ name, data }) => chunk(name, data))]);
}

/** Decodes a file with libvips in its strictest mode. Returns undefined if libvips refuses the file. */
export function loadWithVips(vips: VipsApi, file: Uint8Array): Required<DecodedPixels> | undefined {
  try {
    const image = vips.Image.pngloadBuffer(file, { fail_on: 'truncated', unlimited: true });
    const { width, height, bands } = image;
    const { buffer, byteOffset, byteLength } = image.writeToMemory() as Uint8Array<ArrayBuffer>;
    const depth = String(image.format) === 'ushort' ? 16 : 8;
    return { data: new Uint8Array(buffer, byteOffset, byteLength), width, height, bands, depth };
  } catch (error) {
    if (error instanceof Error) throw error;
    return undefined;
  }
}

/** Returns whether two images are the same. */
export function isSame(one: DecodedPixels, other: DecodedPixels): boolean {
  const facts = ({ width, height, bands, depth = 8 }: DecodedPixels) => `${width} ${height} ${bands} ${depth}`;
  return facts(one) === facts(other) && Buffer.compare(one.data, other.data) === 0;
}
