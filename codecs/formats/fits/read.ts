/** Reads FITS: the planes of all its arrays are pages, scaled from the smallest to the largest value. */
import { type Bitmap, checkPixels } from '../../bitmap.ts';
import { corruptImage, pageOutOfRange, unsupportedFormat } from '../../errors.ts';
import type { FormatReader } from '../../format-reader.ts';
import { viewOf } from '../../metadata/bytes.ts';
import { FORMATS } from '../registry.ts';
import { type ImageUnit, readUnits } from './units.ts';

const BYTE = 8;
const COLOURS = 3;

export const reader: FormatReader = {
  probe(bytes, { page }) {
    const { unit, pages } = findPage(bytes, page);
    const { width, height, bitpix, colour } = unit;
    return {
      width,
      height,
      pages,
      depth: bitpix === BYTE ? 8 : 16,
      hasAlpha: false,
      ...(colour ? {} : { channels: 1 }),
      workingBytes: width * height * (colour ? COLOURS : 1) * Float64Array.BYTES_PER_ELEMENT,
    };
  },
  decode(bytes, { page, maxPixels }) {
    const { unit, plane } = findPage(bytes, page);
    checkPixels(unit, maxPixels);
    return { bitmap: decode(bytes, unit, plane) };
  },
};

/** Counts the pages: a cube of three planes is one page in colour, any other has a page for each plane. */
const pagesOf = ({ colour, planes }: ImageUnit): number => (colour ? 1 : planes);

function findPage(bytes: Uint8Array, page: number): { unit: ImageUnit; plane: number; pages: number } {
  const { images, compressed } = readUnits(bytes);
  if (images.length === 0 && compressed) throw unsupportedFormat('FITS with compressed arrays');
  if (images.length === 0) throw corruptImage(FORMATS.fits.name);
  const pages = images.reduce((sum, unit) => sum + pagesOf(unit), 0);
  let plane = page - 1;
  for (const unit of images) {
    if (plane < pagesOf(unit)) return { unit, plane, pages };
    plane -= pagesOf(unit);
  }
  throw pageOutOfRange(page, pages);
}

function decode(bytes: Uint8Array, unit: ImageUnit, plane: number): Bitmap {
  const { width, height, bitpix, colour } = unit;
  const channels = colour ? COLOURS : 1;
  const size = width * height;
  const valueBytes = Math.abs(bitpix) / 8;
  const start = unit.dataAt + plane * size * valueBytes;
  const present = Math.min(size * channels, Math.max(0, Math.floor((bytes.length - start) / valueBytes)));
  if (present === 0) throw corruptImage(FORMATS.fits.name);
  const values = readValues(bytes, start, present, unit);
  const whole = bitpix === BYTE;
  const [low, high] = whole ? [0, 255] : (unit.limits ?? extremes(values));
  const top = whole ? 255 : 65_535;
  const factor = high > low ? top / (high - low) : 0;
  const data = whole ? new Uint8Array(size * channels) : new Uint16Array(size * channels);
  for (let index = 0; index < present; index++) {
    // NaN fails the comparison and stays black.
    const level = (values[index]! - low) * factor;
    if (!(level > 0)) continue;
    const channel = Math.floor(index / size);
    const pixel = index - channel * size;
    const row = Math.floor(pixel / width);
    // The first row is the lowest.
    const to = ((height - 1 - row) * width + (pixel - row * width)) * channels + channel;
    data[to] = level >= top ? top : Math.round(level);
  }
  return { data, width, height, channels, ...(present < size * channels ? { truncated: true } : {}) };
}

function readValues(bytes: Uint8Array, start: number, count: number, unit: ImageUnit): Float64Array {
  const { bitpix, scale, zero, blank } = unit;
  const view = viewOf(bytes);
  const values = new Float64Array(count);
  for (let index = 0; index < count; index++) {
    const value = readValue(view, start, index, bitpix);
    values[index] = value === blank ? Number.NaN : value * scale + zero;
  }
  return values;
}

/** Reads a big-endian value. Only single bytes are unsigned. */
function readValue(view: DataView, start: number, index: number, bitpix: number): number {
  switch (bitpix) {
    case 8:
      return view.getUint8(start + index);
    case 16:
      return view.getInt16(start + index * 2);
    case 32:
      return view.getInt32(start + index * 4);
    case 64:
      return Number(view.getBigInt64(start + index * 8));
    case -32:
      return view.getFloat32(start + index * 4);
    default:
      return view.getFloat64(start + index * 8);
  }
}

function extremes(values: Float64Array): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low && value > -Infinity) low = value;
    if (value > high && value < Infinity) high = value;
  }
  return [low, high];
}
