/** The size of a drawing, as browsers find it for an image (CSS Images 3, section 4; SVG 2, section 8). */
import { CSS_UNITS } from '../css-lengths.ts';
import type { Size } from '../drawn-size.ts';

/** A number alone is in pixels. */
const PIXELS: Readonly<Record<string, number>> = { ...CSS_UNITS, '': 1 };
const NUMBER = String.raw`[+-]?(?:\d{1,40}\.?\d{0,40}|\.\d{1,40})(?:e[+-]?\d{1,3})?`;
const LENGTH = new RegExp(`^\\s*(${NUMBER})\\s*([a-z]*)\\s*$`, 'i');
const FOUR_NUMBERS = new RegExp(`^\\s*${Array(4).fill(`(${NUMBER})`).join('(?:\\s+,?\\s*|,\\s*)')}\\s*$`, 'i');

/** The patterns above go back and forth over long spaces. */
const LONGEST_ATTRIBUTE = 200;
/** Beyond what any limit allows, and still exact. */
const LARGEST_SIDE = 2 ** 31 - 1;
/** Where nothing is known (CSS Images 3, 4.3). */
export const DEFAULT_SIZE: Size = { width: 300, height: 150 };

/** What the attributes of the first element say. */
export interface SizeAttributes {
  width?: string | undefined;
  height?: string | undefined;
  viewBox?: string | undefined;
  style?: string | undefined;
}

/** In pixels, with fractions; undefined when the attributes say nothing, so that the content decides. */
export function sizeOf(attributes: SizeAttributes): Size | undefined {
  const width = lengthOf(attributes, 'width');
  const height = lengthOf(attributes, 'height');
  const box = parseViewBox(attributes.viewBox);
  if (width === undefined && height === undefined) return box && bounded(box);
  const ratio = box && box.width / box.height;
  return bounded({
    width: width ?? (ratio === undefined ? DEFAULT_SIZE.width : height! * ratio),
    height: height ?? (ratio === undefined ? DEFAULT_SIZE.height : width! / ratio),
  });
}

/** The part of the drawing that is shown; undefined when it is not there, or makes no sense. */
export function parseViewBox(viewBox = ''): Size | undefined {
  if (viewBox.length > LONGEST_ATTRIBUTE) return undefined;
  const [, , , width, height] = (FOUR_NUMBERS.exec(viewBox) ?? []).map(Number);
  return width! > 0 && height! > 0 ? { width: width!, height: height! } : undefined;
}

/** The style sheet of the element comes before its attribute. */
function lengthOf({ style = '', ...attributes }: SizeAttributes, side: 'width' | 'height'): number | undefined {
  const [, declared] = new RegExp(`(?:^|;)\\s*${side}\\s*:([^;]{1,100})`, 'i').exec(style) ?? [];
  return parseLength(declared?.replace(/!\s*important/i, '')) ?? parseLength(attributes[side]);
}

/** Percentages are of a page that is not there: as good as nothing. */
function parseLength(text = ''): number | undefined {
  if (text.length > LONGEST_ATTRIBUTE) return undefined;
  const [, number, unit = ''] = LENGTH.exec(text) ?? [];
  const pixels = Number(number) * (PIXELS[unit.toLowerCase()] ?? Number.NaN);
  return pixels >= 0 ? pixels : undefined;
}

export function bounded({ width, height }: Size): Size {
  return { width: Math.min(width, LARGEST_SIDE), height: Math.min(height, LARGEST_SIDE) };
}
