/** Decodes images of bitplanes (ILBM, ACBM) and of indices (PBM): palettes, hold-and-modify, true colour, masks. */
import type { Size } from '../../../base/geometry.ts';
import type { Bitmap } from '../../bitmap.ts';
import { unsupportedFormat } from '../../errors.ts';
import type { IffImage } from './chunks.ts';
import { type BitmapHeader, readHeader, readMode } from './header.ts';
import { countColours, type Palette, readPalette } from './palette.ts';
import { gatherRow, type Planes, unpackPlanes } from './planes.ts';

/** Layouts of images without palette, by the number of planes: eight or sixteen planes per channel, the alpha last. */
const TRUE_COLOUR: Readonly<Record<number, { channels: 3 | 4; bits: 8 | 16 }>> = {
  24: { channels: 3, bits: 8 },
  32: { channels: 4, bits: 8 },
  48: { channels: 3, bits: 16 },
  64: { channels: 4, bits: 16 },
};
const MAX_INDEX_PLANES = 8;

export interface IlbmProbe extends Size {
  hasAlpha: boolean;
}

/** @throws Failure `corrupt_image`, `unsupported_format` */
export function probeIlbm(image: IffImage): IlbmProbe {
  const header = readHeader(image);
  const { width, height } = header;
  return { width, height, hasAlpha: hasAlpha(image, header) };
}

function hasAlpha(image: IffImage, { planes, maskPlane, transparentIndex }: BitmapHeader): boolean {
  const trueColour = TRUE_COLOUR[planes];
  if (trueColour && image.type !== 'PBM ') return trueColour.channels === 4 || hasMask(image, maskPlane);
  if (planes < 1 || planes > MAX_INDEX_PLANES) throw unsupportedFormat(`an Amiga IFF of ${planes} planes`);
  return hasMask(image, maskPlane) || transparentIndex !== undefined;
}

/** The mask is one of the planes only when they are interleaved. */
const hasMask = ({ type }: IffImage, maskPlane: boolean): boolean => maskPlane && type === 'ILBM';

/** Decodes the image. The caller has checked that width x height is small enough to allocate. */
export function decodeIlbm(image: IffImage): Bitmap {
  const header = readHeader(image);
  const { width, height } = header;
  const channels = hasAlpha(image, header) ? 4 : 3;
  const planes = unpackPlanes(image, header);
  const data = new Uint8Array(width * height * channels);
  if (TRUE_COLOUR[header.planes]) decodeTrueColour(planes, header, data, channels);
  else decodeIndices(image, planes, header, data, channels);
  if (hasMask(image, header.maskPlane)) applyMask(planes, header, data);
  return { data, width, height, channels, truncated: planes.truncated };
}

function decodeTrueColour(source: Planes, { width, planes }: BitmapHeader, data: Uint8Array, channels: number): void {
  const { channels: stored, bits } = TRUE_COLOUR[planes]!;
  const words = new Uint32Array(source.rowBytes * 2);
  const row = new Uint8Array(words.buffer);
  for (let y = 0; y < source.rows; y++) {
    for (let channel = 0; channel < stored; channel++) {
      // Keeps the upper eight of 16 bits.
      gatherRow(source, y, channel * bits + bits - 8, 8, words);
      for (let x = 0, write = y * width * channels + channel; x < width; x++, write += channels) data[write] = row[x]!;
    }
  }
}

function decodeIndices(
  image: IffImage,
  source: Planes,
  header: BitmapHeader,
  data: Uint8Array,
  channels: number,
): void {
  const { width, planes, transparentIndex } = header;
  const mode = readMode(image, planes, countColours(image));
  const palette = readPalette(image, header, mode === 'half-bright');
  const words = new Uint32Array(source.rowBytes * 2);
  const gathered = new Uint8Array(words.buffer);
  for (let y = 0; y < source.rows; y++) {
    let indices: Uint8Array = gathered;
    if (image.type === 'PBM ') indices = source.bytes.subarray(y * source.rowStep, (y + 1) * source.rowStep);
    else gatherRow(source, y, 0, planes, words);
    palette.advance(y);
    const start = y * width * channels;
    if (mode === 'ham') holdAndModify(indices, planes, palette, data, start, width, channels);
    else colour(indices, palette, data, start, width, channels);
    if (transparentIndex !== undefined) {
      for (let x = 0; x < width; x++) data[start + x * 4 + 3] = indices[x] === transparentIndex ? 0 : 255;
    }
  }
}

function colour(
  indices: Uint8Array,
  { rgb }: Palette,
  data: Uint8Array,
  start: number,
  width: number,
  channels: number,
): void {
  for (let x = 0, write = start; x < width; x++, write += channels) {
    const at = (indices[x] ?? 0) * 3;
    data[write] = rgb[at]!;
    data[write + 1] = rgb[at + 1]!;
    data[write + 2] = rgb[at + 2]!;
  }
}

const MODIFY_BLUE = 1;
const MODIFY_RED = 2;
const MODIFY_GREEN = 3;

/**
 * Decodes hold-and-modify: two control bits above four or six data bits select a colour of the palette, or the colour
 * to the left with one channel changed (RKRM Libraries, "Hold-And-Modify Mode"). A line starts from the background
 * colour.
 */
function holdAndModify(
  indices: Uint8Array,
  planes: number,
  { rgb }: Palette,
  data: Uint8Array,
  start: number,
  width: number,
  channels: number,
): void {
  const bits = planes > 6 ? 6 : 4;
  const dataMask = 2 ** bits - 1;
  let red = rgb[0]!;
  let green = rgb[1]!;
  let blue = rgb[2]!;
  for (let x = 0, write = start; x < width; x++, write += channels) {
    const index = indices[x]!;
    const value = index & dataMask;
    const control = index >> bits;
    const level = (value << (8 - bits)) | (value >> (2 * bits - 8));
    if (control === MODIFY_BLUE) blue = level;
    else if (control === MODIFY_RED) red = level;
    else if (control === MODIFY_GREEN) green = level;
    else {
      red = rgb[value * 3]!;
      green = rgb[value * 3 + 1]!;
      blue = rgb[value * 3 + 2]!;
    }
    data[write] = red;
    data[write + 1] = green;
    data[write + 2] = blue;
  }
}

/** Applies the plane behind the last one as mask: a set bit is an opaque pixel. */
function applyMask(source: Planes, { width, planes }: BitmapHeader, rgba: Uint8Array): void {
  const words = new Uint32Array(source.rowBytes * 2);
  const row = new Uint8Array(words.buffer);
  for (let y = 0; y < source.rows; y++) {
    gatherRow(source, y, planes, 1, words);
    for (let x = 0, write = y * width * 4 + 3; x < width; x++, write += 4) rgba[write] = row[x] === 1 ? 255 : 0;
  }
}
