/** Small pictures of real numbers, computed at a fraction of the size. */
import type { Image, VipsApi } from '../../../codecs/vips.ts';
import type { Size } from '../../steps/step.ts';

/** Interleaved, row by row. */
export interface Field extends Size {
  data: Float32Array;
  channels: number;
}

/** The size that a picture has when its longer side has at most so many pixels. */
export function inside({ width, height }: Size, longest: number): Size {
  const factor = Math.min(1, longest / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
}

/** The samples of a picture of 8 bits as numbers from 0 to 1. */
export function fieldOf(image: Image): Field {
  const { width, height, bands } = image;
  const samples = image.writeToMemory() as Uint8Array;
  // In a loop, here and below: with a function for each sample `from` takes ten times as long.
  const data = new Float32Array(samples.length);
  for (let at = 0; at < data.length; at += 1) data[at] = samples[at]! / 255;
  return { data, width, height, channels: bands };
}

/** The other way. */
export function imageOf(vips: VipsApi, { data, width, height, channels }: Field): Image {
  // It rounds and clamps.
  const samples = new Uint8ClampedArray(data.length);
  for (let at = 0; at < data.length; at += 1) samples[at] = data[at]! * 255;
  const image = vips.Image.newFromMemory(
    new Uint8Array(samples.buffer),
    width,
    height,
    channels,
    vips.BandFormat.uchar,
  );
  return image.copy({ interpretation: channels === 1 ? 'b-w' : 'srgb' });
}

/** The channels of several fields of one size in one. */
export function joined(fields: readonly [Field, ...Field[]]): Field {
  const { width, height } = fields[0];
  const channels = fields.reduce((sum, field) => sum + field.channels, 0);
  const data = new Float32Array(width * height * channels);
  let first = 0;
  for (const field of fields) {
    for (let channel = 0; channel < field.channels; channel += 1, first += 1) {
      for (let from = channel, to = first; to < data.length; from += field.channels, to += channels)
        data[to] = field.data[from]!;
    }
  }
  return { data, width, height, channels };
}

/** The means of the windows of (2 radius + 1)² pixels around each pixel, of as much of them as lies in the field; in place. */
export function boxMeans({ data, width, channels }: Field, radius: number): void {
  const pitch = width * channels;
  const line = new Float32Array(pitch);
  for (let from = 0; from < data.length; from += pitch) {
    line.set(data.subarray(from, from + pitch));
    for (let channel = 0; channel < channels; channel += 1) slide(data, line, { from, channel, channels }, radius);
  }
  slideRows(data, pitch, radius);
}

interface Row {
  /** Its place in the data. */
  from: number;
  channel: number;
  channels: number;
}

/** Running sums: each window takes two additions, however wide it is. @param line the row as it was */
function slide(data: Float32Array, line: Float32Array, { from, channel, channels }: Row, radius: number): void {
  const count = line.length / channels;
  let sum = 0;
  for (let at = 0; at < Math.min(radius, count); at += 1) sum += line[at * channels + channel]!;
  for (let at = 0; at < count; at += 1) {
    if (at + radius < count) sum += line[(at + radius) * channels + channel]!;
    if (at - radius - 1 >= 0) sum -= line[(at - radius - 1) * channels + channel]!;
    data[from + at * channels + channel] = sum / windowLength(at, count, radius);
  }
}

/** The same from the top to the bottom: all columns a row at a time, as they lie in memory. */
function slideRows(data: Float32Array, pitch: number, radius: number): void {
  const before = data.slice();
  const count = data.length / pitch;
  const sums = new Float64Array(pitch);
  const addRow = (row: number, sign: 1 | -1) => {
    for (let x = 0, at = row * pitch; x < pitch; x += 1, at += 1) sums[x]! += sign * before[at]!;
  };
  for (let row = 0; row < Math.min(radius, count); row += 1) addRow(row, 1);
  for (let row = 0; row < count; row += 1) {
    if (row + radius < count) addRow(row + radius, 1);
    if (row - radius - 1 >= 0) addRow(row - radius - 1, -1);
    const length = windowLength(row, count, radius);
    for (let x = 0, at = row * pitch; x < pitch; x += 1, at += 1) data[at] = sums[x]! / length;
  }
}

/** Of the part of a window that lies in the field. */
function windowLength(at: number, count: number, radius: number): number {
  return Math.min(at + radius, count - 1) - Math.max(at - radius, 0) + 1;
}
