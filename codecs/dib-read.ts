/** Decodes the pixels of a device-independent bitmap. */
import { dropAlpha } from './bitmap.ts';
import type { ChannelMasks, DibHeader } from './dib.ts';
import { expandRuns } from './dib-runs.ts';
import type { Samples } from './samples.ts';

export interface DecodedDib extends Samples<3 | 4> {
  /** The data ends early. Missing rows are black. */
  truncated: boolean;
}

/** Where the rows of the bitmap are, in file order. */
interface Rows {
  bytes: Uint8Array;
  at: number;
  stride: number;
  bitsPerPixel: DibHeader['bitsPerPixel'];
  /** Number of rows that the data contains. */
  present: number;
  truncated: boolean;
}

/** Decodes the row that starts at `from` in the file to `to` in the image. */
type RowReader = (from: number, to: number) => void;

/**
 * Decodes plain and run-length coded pixels to RGB, or to RGBA when the bitmap has an alpha mask and uses it. The
 * caller has checked that width x height is small enough to allocate.
 * @param pixelsAt offset of the first row in `dib`
 * @returns undefined when not even one row is complete
 */
export function decodeDib(dib: Uint8Array, header: DibHeader, pixelsAt: number): DecodedDib | undefined {
  const { width, height, masks } = header;
  const rows = findRows(dib, header, pixelsAt);
  if (rows.present <= 0) return undefined;

  const channels = masks && masks.alpha !== 0 ? 4 : 3;
  const data = new Uint8Array(width * height * channels);
  const readRow = rowReader(rows, header, readPalette(dib, header, pixelsAt), data);
  for (let row = 0; row < rows.present; row++) {
    const y = header.topDown ? row : height - 1 - row;
    readRow(rows.at + row * rows.stride, y * width * channels);
  }
  const { truncated } = rows;
  // Some programs declare an alpha mask but leave alpha 0. Treat such an image as opaque, because an invisible one is
  // useless.
  if (channels === 4 && isTransparent(data)) return { data: dropAlpha(data), width, height, channels: 3, truncated };
  return { data, width, height, channels, truncated };
}

/** Returns the bytes from one row to the next. Rows are padded to 32 bits. */
export const rowStride = (width: number, bitsPerPixel: number): number => Math.ceil((width * bitsPerPixel) / 32) * 4;

function findRows(dib: Uint8Array, header: DibHeader, at: number): Rows {
  const { width, height, coding, bitsPerPixel } = header;
  if (coding === 'rle8' || coding === 'rle4') {
    const bits = coding === 'rle8' ? 8 : 4;
    const { indices, truncated } = expandRuns(dib, at, { width, height, bits });
    const present = at < dib.length ? height : 0;
    return { bytes: indices, at: 0, stride: width, bitsPerPixel: 8, present, truncated };
  }
  const stride = rowStride(width, bitsPerPixel);
  const rowBytes = Math.ceil((width * bitsPerPixel) / 8);
  // The padding of the last row may be missing.
  const present = Math.min(height, Math.floor((dib.length - at + stride - rowBytes) / stride));
  return { bytes: dib, at, stride, bitsPerPixel, present, truncated: present < height };
}

function rowReader(
  { bytes, bitsPerPixel }: Rows,
  { width, masks }: DibHeader,
  palette: Uint8Array,
  data: Uint8Array,
): RowReader {
  if (bitsPerPixel === 24) return bgrReader(bytes, width, data);
  if (masks) return maskedReader(bytes, width, bitsPerPixel === 32 ? 4 : 2, masks, data);
  return indexReader(bytes, width, bitsPerPixel, palette, data);
}

function bgrReader(dib: Uint8Array, width: number, data: Uint8Array): RowReader {
  return (from, to) => {
    const end = to + width * 3;
    for (let read = from, write = to; write < end; read += 3, write += 3) {
      data[write] = dib[read + 2]!;
      data[write + 1] = dib[read + 1]!;
      data[write + 2] = dib[read]!;
    }
  };
}

function maskedReader(
  dib: Uint8Array,
  width: number,
  bytesPerPixel: 2 | 4,
  masks: ChannelMasks,
  data: Uint8Array,
): RowReader {
  const fields = [masks.red, masks.green, masks.blue, ...(masks.alpha ? [masks.alpha] : [])].map(fieldOf);
  const channels = fields.length;
  return (from, to) => {
    for (let x = 0, read = from, write = to; x < width; x++, read += bytesPerPixel, write += channels) {
      let pixel = dib[read]! | (dib[read + 1]! << 8);
      if (bytesPerPixel === 4) pixel |= (dib[read + 2]! << 16) | (dib[read + 3]! << 24);
      for (let channel = 0; channel < channels; channel++) {
        const { mask, shift, levels } = fields[channel]!;
        data[write + channel] = levels[(pixel & mask) >>> shift]!;
      }
    }
  };
}

const MAX_FIELD_BITS = 16;

/** Returns how to extract one channel: the masked bits, shifted right, are an index into `levels` (0 to 255). */
function fieldOf(mask: number): { mask: number; shift: number; levels: Uint8Array } {
  const lowest = mask === 0 ? 0 : 31 - Math.clz32(mask & -mask);
  const bits = 32 - Math.clz32(mask >>> lowest);
  // Only the highest 16 bits can affect an 8-bit level.
  const shift = lowest + Math.max(0, bits - MAX_FIELD_BITS);
  const top = mask >>> shift;
  const levels = Uint8Array.from({ length: top + 1 }, (_, value) => (top === 0 ? 0 : Math.round((value * 255) / top)));
  return { mask, shift, levels };
}

function indexReader(dib: Uint8Array, width: number, bits: number, palette: Uint8Array, data: Uint8Array): RowReader {
  const pixelsPerByte = 8 / bits;
  const indexMask = 2 ** bits - 1;
  return (from, to) => {
    for (let x = 0, write = to; x < width; x++, write += 3) {
      const shift = 8 - bits - (x % pixelsPerByte) * bits;
      putColour(palette, (dib[from + Math.floor(x / pixelsPerByte)]! >> shift) & indexMask, data, write);
    }
  };
}

const MAX_COLOURS = 256;

/** Reads the palette as RGB. Always returns 256 colours; those that the file does not define are black. */
function readPalette(dib: Uint8Array, { palette }: DibHeader, pixelsAt: number): Uint8Array {
  const rgb = new Uint8Array(MAX_COLOURS * 3);
  const room = Math.floor((Math.min(pixelsAt, dib.length) - palette.at) / palette.bytesPerColour);
  const colours = Math.min(palette.colours, room, MAX_COLOURS);
  for (let colour = 0; colour < colours; colour++) {
    const at = palette.at + colour * palette.bytesPerColour;
    rgb.set([dib[at + 2]!, dib[at + 1]!, dib[at]!], colour * 3);
  }
  return rgb;
}

function putColour(palette: Uint8Array, index: number, data: Uint8Array, at: number): void {
  data[at] = palette[index * 3]!;
  data[at + 1] = palette[index * 3 + 1]!;
  data[at + 2] = palette[index * 3 + 2]!;
}

function isTransparent(rgba: Uint8Array): boolean {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 0) return false;
  return true;
}
