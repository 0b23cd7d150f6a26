/** The number of digits to which the paths of an SVG can be rounded without a visible difference. */
import { parseViewBox } from '../../../codecs/svg/size.ts';

/** Device pixels of the longer side of a view box: a large image on a dense screen. */
const MAX_RENDERED_SIDE = 2048;
/** How far a point may move, in device pixels. */
const MAX_ERROR = 0.05;
const MIN_DIGITS = 3;
/** SVGs that need more digits are not rounded. */
const MAX_DIGITS = 8;

const VIEW_BOX = /viewBox\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
/**
 * Units that are not pixels of the view box: those of a filled shape, a stroke, a font. Also animations, which move and
 * grow.
 */
const OTHER_UNITS = /objectBoundingBox|<(?:[\w-]+:)?(?:marker|glyph|missing-glyph|animate|set)/;
const SCALES = /(scale|matrix)\s*\(([^)]*)\)/gi;
/** Other ways to enlarge. */
const OTHER_SCALES =
  /(?:scale[xyz]|scale3d|matrix3d|skew[xy]?|perspective)\s*\(|[\s";{](?:scale|zoom|perspective)\s*:/i;
/** Rotations are written with few digits, so their factors may be slightly above 1. */
const MAX_FACTOR = 1.001;

/**
 * Number of digits after the decimal point.
 * @param svg the whole SVG
 * @returns undefined if the rendered size of a path is not known
 */
export function pathDigits(svg: string): number | undefined {
  if (OTHER_UNITS.test(svg) || OTHER_SCALES.test(svg)) return undefined;
  for (const [, name, numbers] of svg.matchAll(SCALES)) if (enlarges(name!, numbers!)) return undefined;
  let digits = MIN_DIGITS;
  for (const [, double, single] of svg.matchAll(VIEW_BOX)) {
    const box = parseViewBox(double ?? single);
    if (!box) return undefined;
    const unit = MAX_RENDERED_SIDE / Math.max(box.width, box.height);
    digits = Math.max(digits, Math.ceil(Math.log10(unit / MAX_ERROR)));
  }
  return digits <= MAX_DIGITS ? digits : undefined;
}

function enlarges(name: string, text: string): boolean {
  const numbers = text
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [a = 1, b = 0, c = 0, d = 1] = numbers;
  const factors = name.toLowerCase() === 'scale' ? [a, numbers[1] ?? a] : [Math.hypot(a, b), Math.hypot(c, d)];
  // NaN does not pass either.
  return !factors.every((factor) => Math.abs(factor) <= MAX_FACTOR);
}
