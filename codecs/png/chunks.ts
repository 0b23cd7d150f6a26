/** Reads the chunks that are needed for the pixels of a PNG (PNG, third edition, section 11.2). */

import { crc32 } from 'node:zlib';
import type { Size } from '../../base/geometry.ts';
import { latin1, startsWith, viewOf } from '../metadata/bytes.ts';
import { SIGNATURE } from '../metadata/png-chunks.ts';

/** Colour types. */
export const GREY = 0;
export const RGB = 2;
export const PALETTE = 3;
const GREY_ALPHA = 4;
const RGBA = 6;

/** Depths of each colour type, in bits. */
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  [GREY]: [1, 2, 4, 8, 16],
  [RGB]: [8, 16],
  [PALETTE]: [1, 2, 4, 8],
  [GREY_ALPHA]: [8, 16],
  [RGBA]: [8, 16],
};

export interface PngChunks extends Size {
  /** The content of IHDR. */
  header: Uint8Array;
  depth: number;
  colour: number;
  interlaced: boolean;
  /** The content of PLTE. */
  palette: Uint8Array | undefined;
  /** The content of tRNS. */
  transparency: Uint8Array | undefined;
  /** The contents of IDAT; at least one. */
  data: [Uint8Array, ...Uint8Array[]];
}

/** Maximum number of chunks. A chunk can have as few as twelve bytes; encoders write 4 to 64 kB of pixels into each. */
const MAX_CHUNKS = 2 ** 16;
/** Bytes of a chunk besides its content: length, name, checksum. */
const FRAME_BYTES = 12;
const HEADER_BYTES = 13;
const ANCILLARY_BIT = 0x20;

/**
 * Reads the chunks of a file.
 * @returns undefined if anything is damaged, missing, repeated or out of order, or if a critical chunk is unknown
 */
export function readChunks(file: Uint8Array): PngChunks | undefined {
  if (!startsWith(file, SIGNATURE)) return undefined;
  const view = viewOf(file);
  let chunks: Omit<PngChunks, 'data'> | undefined;
  const data: Uint8Array[] = [];
  let hasDataEnded = false;
  let start = SIGNATURE.length;
  for (let count = 0; count < MAX_CHUNKS; count += 1) {
    if (start + FRAME_BYTES > file.length) return undefined;
    const end = start + FRAME_BYTES + view.getUint32(start);
    if (end > file.length || crc32(file.subarray(start + 4, end - 4)) !== view.getUint32(end - 4)) return undefined;
    const name = latin1(file.subarray(start + 4, start + 8));
    const content = file.subarray(start + 8, end - 4);
    start = end;
    if (!chunks) {
      chunks = name === 'IHDR' ? readHeader(content) : undefined;
      if (!chunks) return undefined;
    } else if (name === 'IDAT') {
      if (hasDataEnded) return undefined;
      data.push(content);
    } else if (name === 'IEND') {
      const [first, ...rest] = data;
      const isComplete = content.length === 0 && first && (chunks.colour !== PALETTE || chunks.palette);
      return isComplete ? { ...chunks, data: [first, ...rest] } : undefined;
    } else {
      hasDataEnded = data.length > 0;
      if (name === 'PLTE' || name === 'tRNS') {
        const isGood = name === 'PLTE' ? isPalette(chunks, content) : isTransparency(chunks, content);
        if (hasDataEnded || !isGood) return undefined;
        chunks[name === 'PLTE' ? 'palette' : 'transparency'] = content;
      } else if ((file[start - content.length - 8]! & ANCILLARY_BIT) === 0) return undefined;
    }
  }
  return undefined;
}

function readHeader(header: Uint8Array): Omit<PngChunks, 'data'> | undefined {
  if (header.length !== HEADER_BYTES) return undefined;
  const view = viewOf(header);
  const [width, height] = [view.getUint32(0), view.getUint32(4)];
  const [depth, colour, compression, filter, interlace] = header.subarray(8) as unknown as [
    number,
    number,
    number,
    number,
    number,
  ];
  const isKnown = compression === 0 && filter === 0 && interlace <= 1 && DEPTHS[colour]?.includes(depth);
  if (!isKnown || width === 0 || height === 0) return undefined;
  return {
    ...{ header, width, height, depth, colour },
    interlaced: interlace === 1,
    palette: undefined,
    transparency: undefined,
  };
}

type Head = Omit<PngChunks, 'data'>;

/** Bytes of a colour in PLTE. */
const COLOUR_BYTES = 3;

function isPalette({ colour, depth, palette, transparency }: Head, content: Uint8Array): boolean {
  if (palette || transparency || colour === GREY || colour === GREY_ALPHA) return false;
  const colours = content.length / COLOUR_BYTES;
  return Number.isInteger(colours) && colours > 0 && colours <= (colour === PALETTE ? 2 ** depth : 256);
}

function isTransparency({ colour, depth, palette, transparency }: Head, content: Uint8Array): boolean {
  if (transparency) return false;
  if (colour === PALETTE)
    return palette !== undefined && content.length > 0 && content.length <= palette.length / COLOUR_BYTES;
  const samples = colour === GREY ? 1 : colour === RGB ? 3 : 0;
  if (samples === 0 || content.length !== 2 * samples) return false;
  const view = viewOf(content);
  return Array.from({ length: samples }, (_, index) => view.getUint16(2 * index)).every((value) => value < 2 ** depth);
}
