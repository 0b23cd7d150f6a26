/** Computes the size of a drawing as browsers do for an image (CSS Images 3, section 4; SVG 2, section 8). */
import type { Size } from '../../base/geometry.ts';
import { CSS_UNITS } from '../css-lengths.ts';

/** Pixels per unit. A number without a unit is in pixels. */
const PIXELS: Readonly<Record<string, number>> = { ...CSS_UNITS, '': 1 };
const NUMBER = String.raw`[+-]?(?:\d{1,40}\.?\d{0,40}|\.\d{1,40})(?:e[+-]?\d{1,3})?`;
const LENGTH = new RegExp(`^\\s*(${NUMBER})\\s*([a-z]*)\\s*$`, 'i');
const FOUR_NUMBERS = new RegExp(`^\\s*${Array(4).fill(`(${NUMBER})`).join('(?:\\s+,?\\s*|,\\s*)')}\\s*$`, 'i');

/** Limits the input, because the patterns above backtrack over long white space. */
const MAX_ATTRIBUTE_LENGTH = 200;
/** Larger than any limit allows, and still exact. */
const MAX_SIDE = 2 ** 31 - 1;
/** Size of a drawing about which nothing is known (CSS Images 3, 4.3). */
export const DEFAULT_SIZE: Size = { width: 300, height: 150 };

/** The attributes of the first element that determine the size. */
export interface SizeAttributes {
  width?: string | undefined;
  height?: string | undefined;
  viewBox?: string | undefined;
  style?: string | undefined;
}

/** Returns the size in pixels, with fractions; undefined when the attributes do not determine it. */
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

/** Parses the size of the visible part of the drawing; undefined when it is missing or invalid. */
export function parseViewBox(viewBox = ''): Size | undefined {
  if (viewBox.length > MAX_ATTRIBUTE_LENGTH) return undefined;
  const [, , , width, height] = (FOUR_NUMBERS.exec(viewBox) ?? []).map(Number);
  return width! > 0 && height! > 0 ? { width: width!, height: height! } : undefined;
}

/** Reads a length. The style of the element takes precedence over its attribute. */
function lengthOf({ style = '', ...attributes }: SizeAttributes, side: 'width' | 'height'): number | undefined {
  const [, declared] = new RegExp(`(?:^|;)\\s*${side}\\s*:([^;]{1,100})`, 'i').exec(style) ?? [];
  return parseLength(declared?.replace(/!\s*important/i, '')) ?? parseLength(attributes[side]);
}

/** Parses a length. Percentages are ignored, because they refer to a page that does not exist. */
function parseLength(text = ''): number | undefined {
  if (text.length > MAX_ATTRIBUTE_LENGTH) return undefined;
  const [, number, unit = ''] = LENGTH.exec(text) ?? [];
  const pixels = Number(number) * (PIXELS[unit.toLowerCase()] ?? Number.NaN);
  return pixels >= 0 ? pixels : undefined;
}

export const bounded = ({ width, height }: Size): Size => ({
  width: Math.min(width, MAX_SIDE),
  height: Math.min(height, MAX_SIDE),
});
