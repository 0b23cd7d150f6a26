/**
 * Reads the merged image of Photoshop documents of 16 bits per sample (Adobe Photoshop File Formats Specification, "Image
 * Data Section"). ImageMagick, which reads all others, keeps 8 bits.
 */
import type { Size } from '../../../base/geometry.ts';
import { type Bitmap, checkPixels } from '../../bitmap.ts';
import { corruptImage, pageOutOfRange } from '../../errors.ts';
import type { FormatReader } from '../../format-reader.ts';
import { unpackBits } from '../../legacy/packbits-read.ts';
import { Reader } from '../../metadata/bytes.ts';
import { tryParse } from '../../metadata/damage.ts';
import { NAME } from './claims.ts';
import { hasMergedTransparency, mergedAt, psdFacts } from './facts.ts';

const DEPTH = 16;
const SAMPLE_BYTES = 2;
/** Channels of colour by colour mode: grey and RGB. */
const COLOUR_CHANNELS: Readonly<Record<number, 1 | 3>> = { 1: 1, 3: 3 };
const MAX = 65_535;
const RAW = 0;
const RLE = 1;
/** Large documents (PSB) have lengths of twice the size. */
const LARGE_VERSION = 2;

interface Layout extends Size {
  /** With transparency. */
  channels: 1 | 2 | 3 | 4;
  hasAlpha: boolean;
  compression: number;
  /** Where the rows begin, or the lengths of packed rows. */
  at: number;
  /** Bytes of the length of a packed row. */
  countBytes: 2 | 4;
}

/** Returns undefined for documents that ImageMagick reads. */
function layoutOf(bytes: Uint8Array): Layout | undefined {
  return tryParse(() => {
    const reader = new Reader(bytes, NAME);
    const colours = COLOUR_CHANNELS[reader.u16(24)];
    const channels = reader.u16(12);
    if (reader.u16(22) !== DEPTH || colours === undefined) return undefined;
    const hasAlpha = channels === colours + 1 && hasMergedTransparency(reader);
    if (channels !== colours && !hasAlpha) return undefined;
    const start = mergedAt(reader);
    const compression = reader.u16(start);
    const isUpright = (psdFacts(bytes).stored?.orientation ?? 1) === 1;
    if (!isUpright || (compression !== RAW && compression !== RLE)) return undefined;
    const countBytes = reader.u16(4) === LARGE_VERSION ? 4 : 2;
    return {
      ...{ width: reader.u32(18), height: reader.u32(14), channels: channels as Layout['channels'], hasAlpha },
      ...{ compression, at: start + 2, countBytes },
    };
  });
}

export const isDeepPsd = (bytes: Uint8Array): boolean => layoutOf(bytes) !== undefined;

/** @throws Failure `corrupt_image`, `page_out_of_range` */
function open(bytes: Uint8Array, page: number): Layout {
  const layout = layoutOf(bytes);
  if (!layout || layout.width === 0 || layout.height === 0) throw corruptImage(NAME);
  if (page > 1) throw pageOutOfRange(page, 1);
  return layout;
}

const isGrey = (channels: number): channels is 1 | 2 => channels <= 2;

export const deepPsdReader: FormatReader = {
  probe(bytes, { page }) {
    const { width, height, channels, hasAlpha } = open(bytes, page);
    return { width, height, pages: 1, depth: DEPTH, hasAlpha, ...(isGrey(channels) ? { channels } : {}) };
  },
  decode(bytes, { page, maxPixels }) {
    const layout = open(bytes, page);
    checkPixels(layout, maxPixels);
    return { bitmap: readMerged(bytes, layout) };
  },
};

/** Planes of big-endian samples, one channel after the other. Missing rows stay black. */
function readMerged(bytes: Uint8Array, layout: Layout): Bitmap {
  const { width, height, channels, hasAlpha, at, compression, countBytes } = layout;
  const rowBytes = width * SAMPLE_BYTES;
  const rows = height * channels;
  const isPacked = compression === RLE;
  const least = isPacked ? rows * countBytes : rowBytes;
  if (bytes.length - at < least) throw corruptImage(NAME, `${bytes.length - at} bytes of the merged image`);
  const lengths = new Reader(bytes, NAME);
  const data = new Uint16Array(width * rows);
  const row = new Uint8Array(rowBytes);
  const view = new DataView(row.buffer);
  let from = isPacked ? at + rows * countBytes : at;
  let truncated = false;
  for (let index = 0; index < rows; index += 1) {
    const lengthAt = at + index * countBytes;
    const length = isPacked ? (countBytes === 2 ? lengths.u16(lengthAt) : lengths.u32(lengthAt)) : rowBytes;
    row.fill(0);
    if (isPacked) truncated ||= unpackBits(bytes, from, from + length, row, 0, rowBytes).write < rowBytes;
    else row.set(bytes.subarray(from, from + rowBytes));
    truncated ||= from + length > bytes.length;
    from += length;
    const to = (index % height) * width * channels + Math.floor(index / height);
    for (let x = 0; x < width; x += 1) data[to + x * channels] = view.getUint16(x * SAMPLE_BYTES);
  }
  if (hasAlpha) removeWhite(data, channels);
  const { icc, density } = psdFacts(bytes).blocks;
  return { data, width, height, channels, icc, density, ...(truncated ? { truncated } : {}) };
}

/** Removes the white with which the merged image of a transparent document is blended. */
function removeWhite(data: Uint16Array, channels: number): void {
  for (let at = 0; at < data.length; at += channels) {
    const alpha = data[at + channels - 1]!;
    if (alpha === MAX) continue;
    for (let channel = at; channel < at + channels - 1; channel += 1) {
      const colour = alpha === 0 ? 0 : MAX - ((MAX - data[channel]!) * MAX) / alpha;
      data[channel] = Math.min(MAX, Math.max(0, Math.round(colour)));
    }
  }
}
