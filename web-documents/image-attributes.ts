/** What the attributes of an element say about the images that it shows. */
import { keyword, textOf } from './attributes.ts';
import type { DisplayFacts, Size } from './displayed-size.ts';
import type { Attributes } from './markup.ts';
import { parseSrcset, type SrcsetCandidate } from './srcset.ts';

export function srcsetOf(attributes: Attributes, name: string): SrcsetCandidate[] {
  const value = attributes.get(name)?.text;
  return value === undefined ? [] : parseSrcset(value);
}

/**
 * Parsed by the HTML standard's rules for dimensions. Percentages are ignored: they are relative to another element.
 */
function dimensionOf(attributes: Attributes, name: string): number | null {
  const [, number] = /^\s*(\d+(?:\.\d+)?)(?![\d.]*%)/.exec(attributes.get(name)?.text.slice(0, 100) ?? '') ?? [];
  return number === undefined ? null : Number(number);
}

const declaredSides = (attributes: Attributes): Size => ({
  width: dimensionOf(attributes, 'width'),
  height: dimensionOf(attributes, 'height'),
});

/** The size that the attributes declare, as facts of a reference. */
export function declaredFacts(attributes: Attributes) {
  const { width, height } = declaredSides(attributes);
  return { declaredWidth: width, declaredHeight: height };
}

export const hasSides = (attributes: Attributes): boolean => attributes.has('width') || attributes.has('height');

const MAX_STYLE_LENGTH = 10_000;

function styleOf(attributes: Attributes): string {
  const style = attributes.get('style')?.text ?? '';
  return style.length > MAX_STYLE_LENGTH ? '' : style;
}

const STYLE_WIDTH = /(?:^|;)\s*width\s*:\s*(\d{1,6}(?:\.\d{1,6})?)px/i;
const STYLE_HEIGHT = /(?:^|;)\s*height\s*:\s*(\d{1,6}(?:\.\d{1,6})?)px/i;

function styleSides(attributes: Attributes): Size {
  const style = styleOf(attributes);
  const side = (pattern: RegExp) => positive(Number(pattern.exec(style)?.[1] ?? 0));
  return { width: side(STYLE_WIDTH), height: side(STYLE_HEIGHT) };
}

const NO_SIDES: Size = { width: null, height: null };
export const NO_DISPLAY_FACTS: DisplayFacts = {
  attributes: NO_SIDES,
  style: NO_SIDES,
  sizes: null,
  media: null,
  widest: null,
};

const positive = (side: number | null): number | null => (side !== null && side > 0 ? side : null);

/**
 * Collects what the markup says about the displayed size.
 * @param own attributes of the element that the candidates belong to
 * @param image attributes of the `img` that shows them
 */
export function displayFacts(
  own: Attributes,
  image: Attributes,
  candidates: readonly SrcsetCandidate[],
  sizes: string | null,
): DisplayFacts {
  const widest = candidates.reduce((most, { width }) => Math.max(most, width ?? 0), 0);
  const declared = declaredSides(hasSides(own) ? own : image);
  const layout = keyword(image, 'layout');
  // In AMP, the attributes of images that fill their container give only the ratio.
  const fluid = layout !== undefined && layout !== 'fixed' && layout !== 'intrinsic';
  return {
    attributes: fluid ? NO_SIDES : { width: positive(declared.width), height: positive(declared.height) },
    style: styleSides(image),
    // `sizes` applies only to candidates with widths.
    sizes: widest > 0 ? sizes : null,
    media: own === image ? null : textOf(own, 'media'),
    widest: widest > 0 ? widest : null,
  };
}

const STYLED_WIDTH = /(?:^|;)\s*width\s*:\s*(?!auto|initial|inherit|unset)[^;\s]/i;
const STYLED_HEIGHT = /(?:^|;)\s*height\s*:\s*(?!auto|initial|inherit|unset)[^;\s]/i;
const STYLED_RATIO = /(?:^|;)\s*aspect-ratio\s*:/i;

/** Whether a browser cannot reserve space for an `img` before it has loaded. */
export function lacksDimensions(attributes: Attributes): boolean {
  const style = styleOf(attributes);
  const width = dimensionOf(attributes, 'width') !== null || STYLED_WIDTH.test(style);
  const height = dimensionOf(attributes, 'height') !== null || STYLED_HEIGHT.test(style);
  return !((width && height) || ((width || height) && STYLED_RATIO.test(style)));
}
