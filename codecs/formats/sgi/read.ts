/** Reads SGI images (Paul Haeberli, "The SGI Image File Format", version 1.00, Silicon Graphics). */
import type { Bitmap } from '../../bitmap.ts';
import { type StillHeader, stillFormat } from '../../legacy/still.ts';
import { Reader } from '../../metadata/bytes.ts';

export const NAME = 'SGI image';

const MAGIC = 474;
const HEADER_BYTES = 512;
const CODED = 1;
const DITHERED = 1;
/** The file contains a colour map for other files, and no image. */
const COLOUR_MAP = 3;

interface SgiHeader extends StillHeader {
  coded: boolean;
  bytesPerSample: 1 | 2;
  /** Planes of the file. */
  planes: number;
  /** Planes of the image: grey, grey with alpha, RGB, RGBA. */
  channels: 1 | 2 | 3 | 4;
  dithered: boolean;
}

/** Detects SGI. Safe on the main thread. The two bytes of the signature are not enough, so the header is checked. */
export const isSgi = (bytes: Uint8Array): boolean => bytes.length > HEADER_BYTES && readHeader(bytes) !== undefined;

function readHeader(bytes: Uint8Array): SgiHeader | undefined {
  const reader = new Reader(bytes, NAME);
  const coding = reader.u8(2);
  const bytesPerSample = reader.u8(3);
  const dimensions = reader.u16(4);
  const map = reader.u32(104);
  if (reader.u16(0) !== MAGIC || coding > CODED || dimensions < 1 || dimensions > 3 || map >= COLOUR_MAP)
    return undefined;
  if (bytesPerSample !== 1 && bytesPerSample !== 2) return undefined;
  const width = reader.u16(6);
  const height = dimensions >= 2 ? reader.u16(8) : 1;
  const planes = dimensions === 3 ? reader.u16(10) : 1;
  if (width === 0 || height === 0 || planes === 0) return undefined;
  const dithered = map === DITHERED && bytesPerSample === 1;
  const channels = Math.min(planes, 4) as 1 | 2 | 3 | 4;
  return {
    width,
    height,
    depth: bytesPerSample === 1 ? 8 : 16,
    hasAlpha: !dithered && channels % 2 === 0,
    coded: coding === CODED,
    bytesPerSample,
    planes,
    channels: dithered ? 1 : channels,
    dithered,
  };
}

function readPixels(bytes: Uint8Array, header: SgiHeader): Bitmap | undefined {
  const { width, height, channels, bytesPerSample } = header;
  const samples = width * height * channels;
  const data = bytesPerSample === 1 ? new Uint8Array(samples) : new Uint16Array(samples);
  const present = header.coded ? expand(bytes, header, data) : copy(bytes, header, data);
  if (present === 0) return undefined;
  const bitmap: Bitmap = { data, width, height, channels, truncated: present < height * channels };
  return header.dithered ? { ...bitmap, data: undither(data), channels: 3 } : bitmap;
}

/** Returns where row `y`, counted from the bottom of a plane, starts among the interleaved samples. */
const rowAt = ({ width, height, channels }: SgiHeader, y: number, channel: number): number =>
  (height - 1 - y) * width * channels + channel;

/** @returns how many rows of all planes are present, like {@link expand} */
function copy(bytes: Uint8Array, header: SgiHeader, data: Uint8Array | Uint16Array): number {
  const { width, height, channels, bytesPerSample } = header;
  const rowBytes = width * bytesPerSample;
  let present = 0;
  for (let channel = 0; channel < channels; channel++) {
    for (let y = 0; y < height; y++) {
      const from = HEADER_BYTES + (channel * height + y) * rowBytes;
      if (from + rowBytes > bytes.length) return present;
      let write = rowAt(header, y, channel);
      for (let read = from; read < from + rowBytes; read += bytesPerSample, write += channels) {
        data[write] = bytesPerSample === 1 ? bytes[read]! : (bytes[read]! << 8) | bytes[read + 1]!;
      }
      present++;
    }
  }
  return present;
}

/**
 * Expands rows. One table has the start of each row, another one its length in bytes. Rows outside the file stay black.
 */
function expand(bytes: Uint8Array, header: SgiHeader, data: Uint8Array | Uint16Array): number {
  const { height, channels, planes } = header;
  const reader = new Reader(bytes, NAME);
  const lengthsAt = HEADER_BYTES + 4 * height * planes;
  let present = 0;
  for (let row = 0; row < height * channels; row++) {
    const lengthAt = lengthsAt + 4 * row;
    if (lengthAt + 4 > bytes.length) break;
    const start = reader.u32(HEADER_BYTES + 4 * row);
    const end = start + reader.u32(lengthAt);
    if (end > bytes.length) continue;
    const y = row % height;
    const write = rowAt(header, y, (row - y) / height);
    if (expandRow(bytes, start, end, header, data, write)) present++;
  }
  return present;
}

/**
 * Expands one row. The low seven bits of a packet's first number count samples: literal ones when the eighth bit is
 * set, else one sample that is repeated. All numbers are as wide as a sample.
 * @returns whether the row is complete
 */
function expandRow(
  bytes: Uint8Array,
  start: number,
  end: number,
  { width, channels, bytesPerSample }: SgiHeader,
  data: Uint8Array | Uint16Array,
  at: number,
): boolean {
  const sample = (from: number) => (bytesPerSample === 1 ? bytes[from]! : (bytes[from]! << 8) | bytes[from + 1]!);
  const rowEnd = at + width * channels;
  let write = at;
  for (let read = start; read + bytesPerSample <= end && write < rowEnd; ) {
    const packet = sample(read);
    read += bytesPerSample;
    const count = packet & 0x7f;
    if (count === 0) break;
    const literal = (packet & 0x80) !== 0;
    const packetEnd = Math.min(rowEnd, write + count * channels);
    for (; write < packetEnd && read + bytesPerSample <= end; write += channels) {
      data[write] = sample(read);
      if (literal) read += bytesPerSample;
    }
    if (!literal) read += bytesPerSample;
  }
  return write >= rowEnd;
}

/** Converts one byte per pixel to RGB: three bits of red, from the lowest bit, three of green, two of blue. */
function undither(packed: ArrayLike<number>): Uint8Array {
  const rgb = new Uint8Array(packed.length * 3);
  for (let pixel = 0; pixel < packed.length; pixel++) {
    const value = packed[pixel]!;
    rgb[pixel * 3] = Math.round(((value & 7) * 255) / 7);
    rgb[pixel * 3 + 1] = Math.round((((value >> 3) & 7) * 255) / 7);
    rgb[pixel * 3 + 2] = (value >> 6) * 85;
  }
  return rgb;
}

export const still = stillFormat({ readHeader, readPixels });
