/** Decodes the elements of an icon that are not complete files, with their masks. */
import type { Bitmap } from '../../bitmap.ts';
import type { Coding, Elements, IconImage } from './elements.ts';
import { SYSTEM_PALETTES } from './palette.ts';

/**
 * Elements with masks of eight bits by width, and with masks of one bit, stored behind the 1-bit image of the same
 * size.
 */
const MASKS_8: Readonly<Record<number, string>> = { 16: 's8mk', 32: 'l8mk', 48: 'h8mk', 128: 't8mk' };
const MASKS_1: Readonly<Record<string, string>> = {
  '16x12': 'icm#',
  '16x16': 'ics#',
  '32x32': 'ICN#',
  '48x48': 'ich#',
};

interface Mask {
  data: Uint8Array;
  bits: 1 | 8;
}

/** @returns undefined when the element has no complete mask and is opaque */
export function findMask(image: IconImage, elements: Elements): Mask | undefined {
  const { width, height, coding } = image;
  const pixels = width * height;
  const mask8 = coding === 'rgb' && width === height ? elements.get(MASKS_8[width] ?? '') : undefined;
  if (mask8 && mask8.length >= pixels) return { data: mask8, bits: 8 };
  const mono = coding === 'mono' ? image.data : elements.get(MASKS_1[`${width}x${height}`] ?? '');
  const mask1 = mono?.subarray(pixels / 8, pixels / 4);
  return mask1?.length === pixels / 8 ? { data: mask1, bits: 1 } : undefined;
}

/** Decodes to RGB, or to RGBA where there is a mask. Elements are small, because their types define their sizes. */
export function decodePixels(image: IconImage & { coding: Coding }, elements: Elements): Bitmap {
  const { width, height, coding, data } = image;
  const pixels = width * height;
  const mask = coding === 'argb' ? undefined : findMask(image, elements);
  const channels = mask || coding === 'argb' ? 4 : 3;
  const out = new Uint8Array(pixels * channels);
  let present: number;
  if (coding === 'rgb' || coding === 'argb') present = decodeChannels(image, out, channels);
  else if (coding === 'mono') present = decodeMono(data, out, channels, pixels);
  else present = decodeIndices(data, coding, out, channels, pixels);
  if (mask) applyMask(mask, out);
  return { data: out, width, height, channels, truncated: present < pixels };
}

/** Decodes one bit per pixel; a set bit is black. @returns number of pixels that are present */
function decodeMono(data: Uint8Array, out: Uint8Array, channels: number, pixels: number): number {
  const present = Math.min(pixels, data.length * 8);
  for (let pixel = 0; pixel < present; pixel++) {
    const level = (data[pixel >> 3]! >> (7 - (pixel & 7))) & 1 ? 0 : 255;
    out.fill(level, pixel * channels, pixel * channels + 3);
  }
  return present;
}

function decodeIndices(
  data: Uint8Array,
  coding: 'index4' | 'index8',
  out: Uint8Array,
  channels: number,
  pixels: number,
): number {
  const palette = SYSTEM_PALETTES[coding];
  const present = Math.min(pixels, coding === 'index8' ? data.length : data.length * 2);
  for (let pixel = 0; pixel < present; pixel++) {
    const index = coding === 'index8' ? data[pixel]! : (data[pixel >> 1]! >> (pixel & 1 ? 0 : 4)) & 0x0f;
    out.set(palette.subarray(index * 3, index * 3 + 3), pixel * channels);
  }
  return present;
}

/** The element of 128 pixels begins with four unused bytes. */
const PADDED_TYPE = 'it32';
const MARK_BYTES = 4;

/** Decodes channels stored one after the other in runs, or pixel by pixel when the data have exactly that length. */
function decodeChannels({ type, coding, data, width, height }: IconImage, out: Uint8Array, channels: number): number {
  const pixels = width * height;
  const stored = type === PADDED_TYPE || coding === 'argb' ? data.subarray(MARK_BYTES) : data;
  const plain = coding === 'rgb' ? [3, 4].find((bytes) => stored.length === pixels * bytes) : undefined;
  if (plain) {
    // The first of four bytes is unused.
    const first = plain - 3;
    for (let pixel = 0; pixel < pixels; pixel++) {
      const read = pixel * plain + first;
      out.set(stored.subarray(read, read + 3), pixel * channels);
    }
    return pixels;
  }
  const order = coding === 'argb' ? [3, 0, 1, 2] : [0, 1, 2];
  const planes = expandRuns(stored, pixels * order.length);
  for (const [plane, channel] of order.entries()) {
    const start = plane * pixels;
    for (let pixel = 0; pixel < pixels; pixel++) out[pixel * channels + channel] = planes[start + pixel] ?? 0;
  }
  return Math.floor(planes.length / order.length);
}

const REPEAT = 0x80;
const MIN_RUN = 3;

/** Expands packets: up to 128 literal bytes, or a byte that is repeated 3 to 130 times. */
function expandRuns(packed: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size);
  let write = 0;
  for (let read = 0; read + 1 < packed.length && write < size; ) {
    const packet = packed[read++]!;
    if (packet & REPEAT) {
      const count = (packet & ~REPEAT) + MIN_RUN;
      out.fill(packed[read++]!, write, write + count);
      write = Math.min(size, write + count);
    } else {
      const part = packed.subarray(read, read + Math.min(packet + 1, size - write));
      out.set(part, write);
      read += part.length;
      write += part.length;
    }
  }
  return out.subarray(0, write);
}

function applyMask({ data, bits }: Mask, rgba: Uint8Array): void {
  for (let pixel = 0, write = 3; write < rgba.length; pixel++, write += 4) {
    if (bits === 8) rgba[write] = data[pixel]!;
    else rgba[write] = (data[pixel >> 3]! >> (7 - (pixel & 7))) & 1 ? 255 : 0;
  }
}
