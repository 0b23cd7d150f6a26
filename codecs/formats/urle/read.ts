/**
 * Reads Utah RLE files (S. W. Thomas, "Design of the Utah RLE Format", University of Utah, 1986; Murray and vanRyper,
 * "Encyclopedia of Graphics File Formats", "Utah RLE").
 */
import type { Bitmap } from '../../bitmap.ts';
import { type StillHeader, stillFormat } from '../../legacy/still.ts';
import { Reader } from '../../metadata/bytes.ts';
import { FORMATS } from '../registry.ts';

const MAGIC = 0xcc52;
const FIXED_BYTES = 15;
const FLAG = { noBackground: 2, alpha: 4, comments: 8 } as const;
const BITS = 8;

/** Operations of a scan line; with the flag, the operand has 16 bits. */
const OPERATION = { skipLines: 1, setColour: 2, skipPixels: 3, bytes: 5, run: 6, end: 7 } as const;
const LONG = 0x40;
const ALPHA_CHANNEL = 255;

interface UrleHeader extends StillHeader {
  /** Colour channels in the file. */
  colours: number;
  hasAlpha: boolean;
  /** Channels that the image has. */
  channels: 1 | 2 | 3 | 4;
  background: Uint8Array;
  /** Levels of each channel of the map, one channel after the other; undefined if there is no map. */
  map: Uint8Array | undefined;
  mapChannels: number;
  mapLength: number;
  pixelsAt: number;
}

function readHeader(bytes: Uint8Array): UrleHeader | undefined {
  const reader = new Reader(bytes, FORMATS.urle.name, true);
  const [flags, colours] = [reader.u8(10), reader.u8(11)];
  const [mapChannels, mapBits] = [reader.u8(13), reader.u8(14)];
  if (reader.u16(0) !== MAGIC || reader.u8(12) !== BITS || mapBits > BITS) return undefined;
  // Images with other channels hold data that are not colours.
  if (![1, 3].includes(colours) || ![0, 1, 3].includes(mapChannels)) return undefined;
  const hasBackground = (flags & FLAG.noBackground) === 0;
  // The fixed part is odd, so that one byte follows it at least.
  const backgroundBytes = hasBackground ? colours + (1 - (colours % 2)) : 1;
  const mapLength = 2 ** mapBits;
  const mapAt = FIXED_BYTES + backgroundBytes;
  const commentsAt = mapAt + mapChannels * mapLength * 2;
  const hasAlpha = (flags & FLAG.alpha) !== 0;
  const isColour = colours === 3 || mapChannels === 3;
  return {
    width: reader.u16(6),
    height: reader.u16(8),
    colours,
    hasAlpha,
    channels: isColour ? (hasAlpha ? 4 : 3) : hasAlpha ? 2 : 1,
    background: hasBackground ? reader.slice(FIXED_BYTES, colours) : new Uint8Array(colours),
    // The high byte of each level.
    map:
      mapChannels > 0
        ? reader.slice(mapAt, mapChannels * mapLength * 2).filter((_, index) => index % 2 === 1)
        : undefined,
    mapChannels,
    mapLength,
    pixelsAt: flags & FLAG.comments ? commentsAt + 2 + evenLength(reader.u16(commentsAt)) : commentsAt,
  };
}

const evenLength = (length: number): number => length + (length % 2);

function readPixels(bytes: Uint8Array, header: UrleHeader): Bitmap | undefined {
  const { width, height, channels } = header;
  const planes = expand(bytes, header);
  if (planes.rows === 0) return undefined;
  return { width, height, channels, data: interleave(planes, header), truncated: planes.rows < height };
}

interface Planes {
  colours: readonly Uint8Array[];
  alpha: Uint8Array | undefined;
  /** Rows that the file holds, from below. */
  rows: number;
}

/** Expands the scan lines, of which the first is the lowest. */
function expand(bytes: Uint8Array, header: UrleHeader): Planes {
  const { width, height, colours, hasAlpha, background } = header;
  const pixels = width * height;
  const planes = Array.from({ length: colours }, (_, band) => new Uint8Array(pixels).fill(background[band]!));
  const alpha = hasAlpha ? new Uint8Array(pixels) : undefined;
  let [read, line, x] = [header.pixelsAt, 0, 0];
  let plane: Uint8Array | undefined = planes[0];
  while (read + 2 <= bytes.length && line < height) {
    const operation = bytes[read]! & ~LONG;
    const isLong = (bytes[read]! & LONG) !== 0;
    if (operation === OPERATION.end) return { colours: planes, alpha, rows: height };
    if (isLong && read + 4 > bytes.length) break;
    const operand = isLong ? bytes[read + 2]! | (bytes[read + 3]! << 8) : bytes[read + 1]!;
    read += isLong ? 4 : 2;
    if (operation === OPERATION.skipLines) [line, x] = [line + operand, 0];
    else if (operation === OPERATION.setColour) [plane, x] = [operand === ALPHA_CHANNEL ? alpha : planes[operand], 0];
    else if (operation === OPERATION.skipPixels) x += operand;
    else if (operation === OPERATION.bytes || operation === OPERATION.run) {
      const isRun = operation === OPERATION.run;
      const count = operand + 1;
      const length = isRun ? 2 : evenLength(count);
      const row = (height - 1 - line) * width;
      const end = Math.min(width, x + count);
      if (isRun) plane?.fill(bytes[read] ?? 0, row + x, row + end);
      else if (x < end) plane?.set(bytes.subarray(read, read + end - x), row + x);
      x += count;
      read += length;
    } else break;
  }
  return { colours: planes, alpha, rows: Math.min(line, height) };
}

function interleave({ colours, alpha }: Planes, header: UrleHeader): Uint8Array {
  const { width, height, channels, map, mapChannels, mapLength } = header;
  const data = new Uint8Array(width * height * channels);
  const bands = channels - (alpha ? 1 : 0);
  for (let band = 0; band < bands; band++) {
    const plane = colours[Math.min(band, colours.length - 1)]!;
    const levels = map?.subarray(Math.min(band, mapChannels - 1) * mapLength).subarray(0, mapLength);
    for (let index = 0, write = band; index < plane.length; index++, write += channels) {
      data[write] = levels ? levels[plane[index]!]! : plane[index]!;
    }
  }
  if (alpha) for (let index = 0; index < alpha.length; index++) data[index * channels + bands] = alpha[index]!;
  return data;
}

export const still = stillFormat({ readHeader, readPixels });
