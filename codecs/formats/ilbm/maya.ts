/** Decodes the tiled images of Maya and Alias, in an IFF with chunks aligned to four bytes (Autodesk, "Maya IFF"). */
import type { Size } from '../../../base/geometry.ts';
import type { Bitmap } from '../../bitmap.ts';
import { corruptImage, unsupportedFormat } from '../../errors.ts';
import { latin1, Reader } from '../../metadata/bytes.ts';
import { readChunks } from './chunks.ts';
import { NAME } from './header.ts';

const TYPE_BYTES = 4;
const HAS_COLOUR = 1;
const HAS_ALPHA = 2;
const WIDE_SAMPLES = 1;
const TILE_HEADER_BYTES = 8;

export interface MayaHeader extends Size {
  hasAlpha: boolean;
  sampleBytes: 1 | 2;
}

export const isMaya = (bytes: Uint8Array): boolean => latin1(bytes.subarray(0, 4)) === 'FOR4';

/** @throws Failure `corrupt_image`, `unsupported_format` */
export function readMayaHeader(bytes: Uint8Array): MayaHeader {
  for (const { id, data } of readContents(bytes)) {
    if (id !== 'TBHD') continue;
    const reader = new Reader(data, NAME);
    const width = reader.u32(0);
    const height = reader.u32(4);
    const flags = reader.u32(12);
    if (width === 0 || height === 0) throw corruptImage(NAME, `${width} x ${height}`);
    if ((flags & HAS_COLOUR) === 0) throw unsupportedFormat('a Maya IFF without colours');
    const sampleBytes = reader.u16(16) === WIDE_SAMPLES ? 2 : 1;
    return { width, height, hasAlpha: (flags & HAS_ALPHA) !== 0, sampleBytes };
  }
  throw corruptImage(NAME, 'TBHD');
}

/** Returns the chunks of the outer group. */
const readContents = (bytes: Uint8Array) => readChunks(bytes.subarray(8 + TYPE_BYTES), 4);

/** Decodes the image. The caller has checked that width x height is small enough to allocate. */
export function decodeMaya(bytes: Uint8Array): Bitmap {
  const header = readMayaHeader(bytes);
  const { width, height, hasAlpha } = header;
  const channels = hasAlpha ? 4 : 3;
  const data = new Uint8Array(width * height * channels);
  let filled = 0;
  for (const group of readContents(bytes)) {
    if (group.id !== 'FOR4' || latin1(group.data.subarray(0, TYPE_BYTES)) !== 'TBMP') continue;
    for (const tile of readChunks(group.data.subarray(TYPE_BYTES), 4)) {
      // Stops once the image is full: a file that repeats its tiles could cost any amount of work.
      if (tile.id !== 'RGBA' || tile.data.length < TILE_HEADER_BYTES || filled >= width * height) continue;
      filled += decodeTile(tile.data, header, data, channels);
    }
  }
  if (filled === 0) throw corruptImage(NAME, 'no tile');
  return { data, width, height, channels, truncated: filled < width * height };
}

/**
 * Decodes a tile. Rows run from bottom to top. Samples are in the order alpha, blue, green, red: by pixel, or by
 * channel when compressed; of 16 bits, the upper bytes of all channels come first. Only the upper eight of 16 bits are
 * kept.
 * @returns number of pixels that are present
 */
function decodeTile(
  tile: Uint8Array,
  { width, height, sampleBytes }: MayaHeader,
  data: Uint8Array,
  channels: number,
): number {
  const reader = new Reader(tile, NAME);
  const left = reader.u16(0);
  const bottom = reader.u16(2);
  const columns = reader.u16(4) - left + 1;
  const rows = reader.u16(6) - bottom + 1;
  if (columns < 1 || rows < 1 || left + columns > width || bottom + rows > height) throw corruptImage(NAME, 'tile');
  const pixels = columns * rows;
  const pixelBytes = channels * sampleBytes;
  const stored = tile.subarray(TILE_HEADER_BYTES);
  // A tile that would not shrink is stored uncompressed, whatever the header declares.
  const plain = stored.length >= pixels * pixelBytes;
  const samples = plain ? stored : unpackChannels(stored, pixels * channels);
  const present = plain ? pixels : Math.floor(samples.length / channels);
  const pixelStep = plain ? pixelBytes : 1;
  const channelStep = plain ? sampleBytes : pixels;
  for (let channel = 0; channel < channels; channel++) {
    const start = (channels - 1 - channel) * channelStep;
    for (let row = 0, read = start; row < rows; row++) {
      let write = ((height - 1 - bottom - row) * width + left) * channels + channel;
      for (let x = 0; x < columns; x++, read += pixelStep, write += channels) data[write] = samples[read] ?? 0;
    }
  }
  return present;
}

/** Expands packets of up to 128 bytes: literal ones or, when the highest bit is set, one repeated byte. */
function unpackChannels(packed: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size);
  let write = 0;
  for (let read = 0; read < packed.length && write < size; ) {
    const packet = packed[read++]!;
    const count = Math.min((packet & 0x7f) + 1, size - write);
    if (packet & 0x80) {
      out.fill(packed[read] ?? 0, write, write + count);
      read++;
    } else {
      out.set(packed.subarray(read, read + count), write);
      read += count;
    }
    write += count;
  }
  return out.subarray(0, write);
}
