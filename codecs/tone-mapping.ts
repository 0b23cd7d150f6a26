/**
 * Converts PQ and HLG (ITU-R BT.2100) to sRGB. Bright light is compressed by the curve of ITU-R BT.2390-11, section 5.4.1
 * (EETF), on the brightest component of each pixel, so that hues stay; the others are scaled with it. Reference white of
 * HDR (203 cd/m2, ITU-R BT.2408-7) is the peak of SDR, as in libplacebo. Light above the peak is clipped first. Colours outside sRGB are clipped in linear light.
 */

import {
  BT709,
  BT2020,
  type CodePoints,
  HLG,
  invert,
  type Matrix,
  matrixOf,
  multiply,
  PQ,
  profileOfCodePoints,
  UNSPECIFIED,
} from './code-points.ts';
import { hasAlpha, isDeep, isGrey } from './colour.ts';
import type { Image, VipsApi } from './vips.ts';

/** Light of white in SDR, and the peak of the display or of the grading where a file does not say it, in cd/m2. */
const WHITE = 203;
const DEFAULT_PEAK = 1000;
/** The light of the largest PQ sample. */
const PQ_PEAK = 10_000;

/** Constants of PQ (ITU-R BT.2100-2, table 4). */
const M1 = 2610 / 16_384;
const M2 = (2523 / 4096) * 128;
const C1 = 3424 / 4096;
const C2 = (2413 / 4096) * 32;
const C3 = (2392 / 4096) * 32;

/** Returns the light of a PQ sample, in cd/m2. */
function pqToLight(sample: number): number {
  const power = sample ** (1 / M2);
  return PQ_PEAK * (Math.max(power - C1, 0) / (C2 - C3 * power)) ** (1 / M1);
}

function lightToPq(light: number): number {
  const power = (light / PQ_PEAK) ** M1;
  return ((C1 + C2 * power) / (1 + C3 * power)) ** M2;
}

/** Constants of HLG (ITU-R BT.2100-2, table 5). The system gamma is that of a display of 1000 cd/m2. */
const A = 0.17883277;
const B = 1 - 4 * A;
const C = 0.5 - A * Math.log(4 * A);
const SYSTEM_GAMMA = 1.2;
/** Weights of the luminance of BT.2020. */
const LUMINANCE = [0.2627, 0.678, 0.0593];

/** Returns the light of the scene of an HLG sample, 0 to 1. */
const hlgToScene = (sample: number): number =>
  sample <= 0.5 ? sample ** 2 / 3 : (Math.exp((sample - C) / A) + B) / 12;

/** Compresses light up to `peak` to at most {@link WHITE}, in cd/m2. Below the knee nothing changes. */
function compress(light: number, peak: number): number {
  if (peak <= WHITE) return Math.min(light, WHITE);
  const source = lightToPq(peak);
  const target = lightToPq(WHITE) / source;
  const knee = 1.5 * target - 0.5;
  const sample = Math.min(1, lightToPq(light) / source);
  if (sample < knee) return light;
  const t = (sample - knee) / (1 - knee);
  const spline =
    (2 * t ** 3 - 3 * t ** 2 + 1) * knee + (t ** 3 - 2 * t ** 2 + t) * (1 - knee) + (-2 * t ** 3 + 3 * t ** 2) * target;
  return pqToLight(spline * source);
}

/** Factor from light to linear sRGB, 1 being white. */
const gainOf = (light: number, peak: number): number => (light === 0 ? 1 : compress(light, peak) / light) / WHITE;

/** IEC 61966-2-1. */
const encodeSrgb = (light: number): number => (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055);

/** Returns a profile of PQ or HLG; undefined for other code points. */
export function hdrProfileOf(codePoints: CodePoints): Uint8Array<ArrayBuffer> | undefined {
  switch (codePoints.transfer) {
    case PQ:
      return profileOfCodePoints(codePoints, (sample) => pqToLight(sample) / PQ_PEAK);
    case HLG:
      return profileOfCodePoints(codePoints, hlgToScene);
    default:
      return undefined;
  }
}

const LEVELS = 65_536;
const MAX = LEVELS - 1;
const MAX_BYTE = 255;

/** Values of a function at all samples of 16 bits. */
type Table = Float32Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;

/** Tables that are kept, because they take milliseconds to compute. Those of all other peaks would never end. */
const KEPT = ['hlg', `pq light ${DEFAULT_PEAK}`, `pq ${DEFAULT_PEAK}`, `hlg ${DEFAULT_PEAK}`, 'bytes', 'words'];
const tables = new Map<string, Table>();

function tableOf(name: string, make: () => Table): Table {
  const table = tables.get(name) ?? make();
  if (KEPT.includes(name)) tables.set(name, table);
  return table;
}

const floatTable = (value: (sample: number) => number) =>
  Float32Array.from({ length: LEVELS }, (_, at) => value(at / MAX));

/**
 * @param image grey or RGB in PQ or HLG, with or without alpha, of 8 or 16 bits; any primaries
 * @returns sRGB, or grey with its curve
 */
export function toneMap(vips: VipsApi, image: Image, codePoints: CodePoints, keepDepth: boolean): Image {
  const grey = isGrey(image);
  const alpha = hasAlpha(image) ? image.extractBand(image.bands - 1) : undefined;
  const colours = alpha ? image.extractBand(0, { n: image.bands - 1 }) : image;
  const samples = isDeep(image) ? colours.cast('ushort') : toWords(colours);
  const linear = displayed(vips, samples, codePoints);
  const srgb = grey ? linear : linear.recomb(vips.Image.newMatrix(3, 3, toSrgb(codePoints.primaries).flat()));
  const encoded = keepDepth ? encodedWords(vips, srgb) : encodedBytes(vips, srgb);
  const opacity = alpha && (isDeep(image) ? (keepDepth ? alpha : toBytes(alpha)) : keepDepth ? toWords(alpha) : alpha);
  const interpretation = grey ? (keepDepth ? 'grey16' : 'b-w') : keepDepth ? 'rgb16' : 'srgb';
  return (opacity ? encoded.bandjoin(opacity) : encoded).copy({ interpretation });
}

/** BT.2020 is what HDR without named primaries has. */
const toSrgb = (primaries: number): Matrix =>
  multiply(invert(matrixOf(BT709)), matrixOf(primaries === UNSPECIFIED ? BT2020 : primaries));

const toWords = (image: Image): Image =>
  image
    .cast('ushort')
    .linear([MAX / MAX_BYTE], [0])
    .cast('ushort');
const toBytes = (image: Image): Image => image.rshift([8]).cast('uchar');

function mapped(vips: VipsApi, image: Image, name: string, make: () => Table): Image {
  const table = tableOf(name, make);
  const { float, ushort, uchar } = vips.BandFormat;
  const format = table instanceof Float32Array ? float : table instanceof Uint16Array ? ushort : uchar;
  return image.maplut(vips.Image.newFromMemory(table, LEVELS, 1, 1, format));
}

/** Returns tone-mapped linear light, 1 being white; components may be negative or above 1. */
function displayed(vips: VipsApi, samples: Image, { transfer, maxLight }: CodePoints): Image {
  const peak = transfer === HLG || !maxLight ? DEFAULT_PEAK : Math.min(PQ_PEAK, Math.max(WHITE, maxLight));
  if (transfer !== HLG) {
    // A display of that peak clips each component, so that the brightest highlights become white.
    const light = mapped(vips, samples, `pq light ${peak}`, () =>
      floatTable((sample) => Math.min(pqToLight(sample), peak)),
    );
    const gain = () => floatTable((sample) => gainOf(Math.min(pqToLight(sample), peak), peak));
    return light.multiply(mapped(vips, brightestOf(samples), `pq ${peak}`, gain));
  }
  const scene = mapped(vips, samples, 'hlg', () => floatTable(hlgToScene));
  const luminance = scene.bands === 1 ? scene : scene.multiply(LUMINANCE).bandmean().linear([LUMINANCE.length], [0]);
  const light = scene.multiply(luminance.pow([SYSTEM_GAMMA - 1])).linear([DEFAULT_PEAK], [0]);
  const gain = () => floatTable((root) => gainOf(root ** 2 * DEFAULT_PEAK, DEFAULT_PEAK));
  return light.multiply(mapped(vips, rooted(brightestOf(light), DEFAULT_PEAK), `hlg ${peak}`, gain));
}

function brightestOf(image: Image): Image {
  if (image.bands === 1) return image;
  const [red, green, blue] = [0, 1, 2].map((band) => image.extractBand(band)) as [Image, Image, Image];
  return red.maxpair(green).maxpair(blue);
}

/** Encodes linear light. The casts clip it. A step of the table is at most 0.05 of 255 levels. */
const encodedBytes = (vips: VipsApi, linear: Image): Image =>
  mapped(vips, linear.linear([MAX], [0.5]).cast('ushort'), 'bytes', () =>
    Uint8Array.from({ length: LEVELS }, (_, at) => Math.round(MAX_BYTE * encodeSrgb(at / MAX))),
  );

const encodedWords = (vips: VipsApi, linear: Image): Image =>
  mapped(vips, rooted(linear.maxpair([0]), 1), 'words', () =>
    Uint16Array.from({ length: LEVELS }, (_, at) => Math.round(MAX * encodeSrgb((at / MAX) ** 2))),
  );

/** The square root of values from 0 to `max` as 16-bit samples, which gives dark light more of the levels of a table. */
const rooted = (values: Image, max: number): Image =>
  values
    .linear([1 / max], [0])
    .pow([0.5])
    .linear([MAX], [0.5])
    .cast('ushort');
