/**
 * Colour spaces that a file names by code points (ITU-T H.273) instead of a profile: their primaries, and a profile that
 * says the same. Safe on the main thread.
 */
import { ByteWriter } from './byte-writer.ts';
import { type Cicp, isHighDynamicRange } from './tags/icc.ts';

/** Code points, with the light of the brightest pixel in cd/m2 (MaxCLL of CTA-861.3) if the file records it. */
export interface CodePoints extends Cicp {
  maxLight?: number;
}

export const BT709 = 1;
export const UNSPECIFIED = 2;
export const BT2020 = 9;
export const PQ = 16;
export const HLG = 18;
const LINEAR = 8;

type Point = readonly [x: number, y: number];
type Vector = readonly [number, number, number];
export type Matrix = readonly [Vector, Vector, Vector];

const D65: Point = [0.3127, 0.329];
const DCI_WHITE: Point = [0.314, 0.351];
/** Chromaticities of red, green, blue and white (ITU-T H.273, table 2). */
const PRIMARIES: Readonly<Record<number, readonly [Point, Point, Point, Point]>> = {
  [BT709]: [[0.64, 0.33], [0.3, 0.6], [0.15, 0.06], D65],
  5: [[0.64, 0.33], [0.29, 0.6], [0.15, 0.06], D65],
  6: [[0.63, 0.34], [0.31, 0.595], [0.155, 0.07], D65],
  7: [[0.63, 0.34], [0.31, 0.595], [0.155, 0.07], D65],
  [BT2020]: [[0.708, 0.292], [0.17, 0.797], [0.131, 0.046], D65],
  11: [[0.68, 0.32], [0.265, 0.69], [0.15, 0.06], DCI_WHITE],
  12: [[0.68, 0.32], [0.265, 0.69], [0.15, 0.06], D65],
  22: [[0.63, 0.34], [0.295, 0.605], [0.155, 0.077], D65],
};
/** Gamma of the transfers that are a power (ITU-T H.273, table 3). */
const GAMMAS: Readonly<Record<number, number>> = { 4: 2.2, 5: 2.8, [LINEAR]: 1 };
/** Transfers shown like sRGB: BT.709, unspecified, BT.601, sRGB, BT.2020. Browsers do the same. */
const SRGB_LIKE: ReadonlySet<number> = new Set([1, UNSPECIFIED, 6, 13, 14, 15]);

/** Whether samples with these code points are sRGB. Unknown ones count as sRGB too. */
export const isPlain = ({ primaries, transfer }: Cicp): boolean =>
  !isHighDynamicRange(transfer) && (!(primaries in PRIMARIES) || primaries === BT709) && !(transfer in GAMMAS);

/** Returns the matrix from linear RGB to XYZ, in which white has a luminance of 1. */
export function matrixOf(primaries: number): Matrix {
  const [red, green, blue, white] = PRIMARIES[primaries] ?? PRIMARIES[BT709]!;
  const unscaled = transpose([toXyz(red), toXyz(green), toXyz(blue)]);
  const [r, g, b] = apply(invert(unscaled), toXyz(white));
  return multiply(unscaled, [
    [r, 0, 0],
    [0, g, 0],
    [0, 0, b],
  ]);
}

const toXyz = ([x, y]: Point): Vector => [x / y, 1, (1 - x - y) / y];

const transpose = ([[a, b, c], [d, e, f], [g, h, i]]: Matrix): Matrix => [
  [a, d, g],
  [b, e, h],
  [c, f, i],
];

function apply([red, green, blue]: Matrix, [x, y, z]: Vector): Vector {
  const dot = ([a, b, c]: Vector) => a * x + b * y + c * z;
  return [dot(red), dot(green), dot(blue)];
}

export function multiply(one: Matrix, other: Matrix): Matrix {
  const [first, second, third] = transpose(other);
  return transpose([apply(one, first), apply(one, second), apply(one, third)]);
}

export function invert([[a, b, c], [d, e, f], [g, h, i]]: Matrix): Matrix {
  const determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
  const row = (x: number, y: number, z: number): Vector => [x / determinant, y / determinant, z / determinant];
  return [
    row(e * i - f * h, c * h - b * i, b * f - c * e),
    row(f * g - d * i, a * i - c * g, c * d - a * f),
    row(d * h - e * g, b * g - a * h, a * e - b * d),
  ];
}

/** The white of profiles (ICC.1:2022, 7.2.16). */
const D50: Vector = [0.9642, 1, 0.8249];
/** Bradford's cone responses (ICC.1:2022, annex E). */
const BRADFORD: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];

/** Returns the adaptation from a white to that of profiles. */
function adaptationFrom(white: Vector): Matrix {
  const [from, to] = [apply(BRADFORD, white), apply(BRADFORD, D50)];
  const scale: Matrix = [
    [to[0] / from[0], 0, 0],
    [0, to[1] / from[1], 0],
    [0, 0, to[2] / from[2]],
  ];
  return multiply(invert(BRADFORD), multiply(scale, BRADFORD));
}

/** Points of the curves of PQ and HLG. */
const CURVE_POINTS = 1024;
const MAX_UINT16 = 65_535;
/** The curve of sRGB, as a power above a threshold (IEC 61966-2-1): gamma, a, b, c, d. */
const SRGB_CURVE = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045];
const POWER = 0;
const POWER_ABOVE_LINE = 3;

/**
 * Returns an ICC profile (version 4.4) with the colours that the code points name, and with the code points themselves,
 * by which readers recognise PQ and HLG. Undefined for unknown ones.
 * @param light returns the linear light, 0 to 1, of a sample of PQ or HLG
 */
export function profileOfCodePoints(
  { primaries, transfer }: Cicp,
  light?: (sample: number) => number,
): Uint8Array<ArrayBuffer> | undefined {
  const named = PRIMARIES[primaries];
  const gamma = GAMMAS[transfer];
  const isKnown = gamma !== undefined || SRGB_LIKE.has(transfer) || light !== undefined;
  if (!named || !isKnown) return undefined;
  const adaptation = adaptationFrom(toXyz(named[3]));
  const [red, green, blue] = transpose(multiply(adaptation, matrixOf(primaries)));
  const curve = light
    ? sampledCurve(light)
    : gamma === undefined
      ? parametricCurve(POWER_ABOVE_LINE, SRGB_CURVE)
      : parametricCurve(POWER, [gamma]);
  return profileOf([
    ['desc', localised(`H.273 primaries ${primaries} transfer ${transfer}`)],
    ['cprt', localised('Public domain')],
    ['wtpt', xyz(D50)],
    [
      'chad',
      new ByteWriter()
        .text('sf32')
        .u32(0, ...adaptation.flat().map(fixed))
        .finish(),
    ],
    ['rXYZ', xyz(red)],
    ['gXYZ', xyz(green)],
    ['bXYZ', xyz(blue)],
    ['rTRC', curve],
    ['gTRC', curve],
    ['bTRC', curve],
    // Matrix 0: the samples are RGB; 1: full range (ICC.1:2022, 9.2.17 and 10.3).
    ['cicp', new ByteWriter().text('cicp').u32(0).u8(primaries, transfer, 0, 1).finish()],
  ]);
}

/** Converts to an s15Fixed16Number. */
const fixed = (value: number): number => Math.round(value * 0x10000);

const xyz = (values: Vector): Uint8Array =>
  new ByteWriter()
    .text('XYZ ')
    .u32(0, ...values.map(fixed))
    .finish();

function parametricCurve(kind: number, values: readonly number[]): Uint8Array {
  return new ByteWriter()
    .text('para')
    .u32(0)
    .u16(kind, 0)
    .u32(...values.map(fixed))
    .finish();
}

function sampledCurve(light: (sample: number) => number): Uint8Array {
  const points = Array.from({ length: CURVE_POINTS }, (_, at) =>
    Math.round(light(at / (CURVE_POINTS - 1)) * MAX_UINT16),
  );
  return new ByteWriter()
    .text('curv')
    .u32(0, CURVE_POINTS)
    .u16(...points)
    .finish();
}

/** An English text (ICC.1:2022, 10.15). */
function localised(text: string): Uint8Array {
  const characters = Array.from(text, (character) => character.charCodeAt(0));
  return new ByteWriter()
    .text('mluc')
    .u32(0, 1, 12)
    .text('enUS')
    .u32(2 * characters.length, 28)
    .u16(...characters)
    .finish();
}

const HEADER_BYTES = 128;
const TAG_ENTRY_BYTES = 12;
const VERSION = 0x04400000;

/** Lays out a display profile. Tags with the same data share it. */
function profileOf(tags: readonly (readonly [string, Uint8Array])[]): Uint8Array<ArrayBuffer> {
  const table = new ByteWriter().u32(tags.length);
  const data = new ByteWriter();
  const places = new Map<Uint8Array, number>();
  const dataAt = HEADER_BYTES + 4 + TAG_ENTRY_BYTES * tags.length;
  for (const [name, content] of tags) {
    if (!places.has(content)) {
      places.set(content, dataAt + data.length);
      data.bytes(content, new Uint8Array(-content.length & 3));
    }
    table.text(name).u32(places.get(content)!, content.length);
  }
  const header = new ByteWriter()
    .u32(dataAt + data.length, 0, VERSION)
    .text('mntrRGB XYZ ')
    .u16(2026, 1, 1, 0, 0, 0)
    .text('acsp')
    .u32(0, 0, 0, 0, 0, 0, 0, ...D50.map(fixed))
    .bytes(new Uint8Array(HEADER_BYTES - 80));
  return header.bytes(table.finish(), data.finish()).finish();
}
