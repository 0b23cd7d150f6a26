/** To how many digits the paths of a drawing can be rounded without anybody seeing it. */
import { parseViewBox } from '../../../codecs/svg/size.ts';

/** Device pixels that the longer side of a view box takes: of a large picture on a dense screen. */
const LARGEST_DRAWN = 2048;
/** Device pixels that a point may move. */
const LARGEST_ERROR = 0.05;
const FEWEST_DIGITS = 3;
/** Drawings that need more are left alone. */
const MOST_DIGITS = 8;

const VIEW_BOX = /viewBox\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
/** Units that are no pixels of the view box: of a filled shape, a stroke, a font. What moves and grows in time. */
const OTHER_UNITS = /objectBoundingBox|<(?:[\w-]+:)?(?:marker|glyph|missing-glyph|animate|set)/;
const SCALES = /(scale|matrix)\s*\(([^)]*)\)/gi;
/** Further ways to enlarge. */
const OTHER_SCALES =
  /(?:scale[xyz]|scale3d|matrix3d|skew[xy]?|perspective)\s*\(|[\s";{](?:scale|zoom|perspective)\s*:/i;
/** Rotations are written with few digits. */
const NOT_LARGER = 1.001;

/**
 * Digits behind the point.
 * @param svg the whole drawing
 * @returns undefined where it is not known how large a path is drawn
 */
export function pathDigits(svg: string): number | undefined {
  if (OTHER_UNITS.test(svg) || OTHER_SCALES.test(svg)) return undefined;
  for (const [, name, numbers] of svg.matchAll(SCALES)) if (enlarges(name!, numbers!)) return undefined;
  let digits = FEWEST_DIGITS;
  for (const [, double, single] of svg.matchAll(VIEW_BOX)) {
    const box = parseViewBox(double ?? single);
    if (!box) return undefined;
    const unit = LARGEST_DRAWN / Math.max(box.width, box.height);
    digits = Math.max(digits, Math.ceil(Math.log10(unit / LARGEST_ERROR)));
  }
  return digits <= MOST_DIGITS ? digits : undefined;
}

function enlarges(name: string, text: string): boolean {
  const numbers = text
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [a = 1, b = 0, c = 0, d = 1] = numbers;
  const factors = name.toLowerCase() === 'scale' ? [a, numbers[1] ?? a] : [Math.hypot(a, b), Math.hypot(c, d)];
  // What is no number does not pass either.
  return !factors.every((factor) => Math.abs(factor) <= NOT_LARGER);
}
