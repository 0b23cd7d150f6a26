/** Names of colour spaces, the same whatever the file calls them. */
import type { Tags } from './exiftool.ts';

/** Code points of ITU-T H.273 that are those of sRGB, or that are not specified. */
const SRGB_PRIMARIES = new Set([0, 1, 2]);
const SRGB_TRANSFERS = new Set([0, 1, 2, 6, 13]);

export const isSrgb = (primaries: number, transfer: number): boolean =>
  SRGB_PRIMARIES.has(primaries) && SRGB_TRANSFERS.has(transfer);

const UNSPECIFIED = 2;
const PRIMARIES: Readonly<Record<number, string>> = { 1: 'sRGB', 9: 'BT.2020', 12: 'P3' };
const TRANSFERS: Readonly<Record<number, string>> = { 13: 'sRGB', 16: 'PQ', 18: 'HLG' };

/** Grey has no primaries, so they may be unspecified. */
export function codePointsName(primaries: number, transfer: number): string {
  const curve = TRANSFERS[transfer] ?? String(transfer);
  return primaries === UNSPECIFIED ? curve : `${PRIMARIES[primaries] ?? primaries} ${curve}`;
}

export interface ColourSpace {
  /** undefined for sRGB and for grey with the curve of sRGB, under any of their names. */
  profile?: string;
  /** The red, green and blue of a profile made of a matrix, each as XYZ. */
  colorants?: readonly number[];
}

/** Reads the profile. libjxl describes profiles by numbers where it can. */
export function readColourSpace(tags: Tags): ColourSpace {
  const columns = ['Red', 'Green', 'Blue'].map((name) => tags[`ICC_Profile:${name}MatrixColumn`]);
  const isMatrix = columns.every((column) => column !== undefined);
  const name = readProfile(tags);
  return {
    ...(name === undefined ? {} : { profile: name }),
    ...(isMatrix ? { colorants: columns.flatMap((column) => String(column).split(' ').map(Number)) } : {}),
  };
}

function readProfile(tags: Tags): string | undefined {
  const description = Object.entries(tags).find(([key]) => /^ICC_Profile:ProfileDescription(?:-|$)/.test(key))?.[1];
  if (description === undefined)
    return tags['ICC-header:ColorSpaceData'] === undefined ? undefined : 'a profile without a name';
  const name = String(description);
  if (/sRGB/i.test(name) && !/linear/i.test(name)) return undefined;
  const points = /primaries (\d+) transfer (\d+)/.exec(name);
  return points ? codePointsName(Number(points[1]), Number(points[2])) : (gammaName(name) ?? name);
}

/** The same name for the curves that libjxl calls `gamma(0.4545)` and Adobe `Gray Gamma 2.2`. */
export function gammaName(name: string): string | undefined {
  const [, inverse, gamma] = /^gamma\(([\d.]+)\)$|^Gray Gamma ([\d.]+)$/.exec(name) ?? [];
  const exponent = gamma === undefined ? 1 / Number(inverse) : Number(gamma);
  return inverse === undefined && gamma === undefined ? undefined : `gamma ${exponent.toFixed(1)}`;
}

const COLORANT_TOLERANCE = 0.005;

/** Whether two spaces have the same name, or profiles of the same colorants. */
export function isSameSpace(one: ColourSpace, other: ColourSpace): boolean {
  if (one.profile === other.profile) return true;
  return (
    one.colorants !== undefined &&
    other.colorants !== undefined &&
    one.colorants.every((value, index) => Math.abs(value - other.colorants![index]!) <= COLORANT_TOLERANCE)
  );
}
