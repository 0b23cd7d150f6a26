/** The size at which a page shows an image, as far as its markup says (docs/spec/shapes.md, section 16.3). */
import { evaluateSizes, matchesMedia, VIEWS, type View } from './media.ts';
import type { DisplayedSource } from './reading.ts';

/** CSS pixels; null if not declared. */
export interface Size {
  width: number | null;
  height: number | null;
}

export interface DisplayedSize extends Size {
  source: DisplayedSource;
}

export interface DisplayFacts {
  attributes: Size;
  style: Size;
  sizes: string | null;
  /** The `media` of the `source`; it restricts the views. */
  media: string | null;
  /** The largest `w` descriptor of its candidates. */
  widest: number | null;
}

const UNKNOWN: DisplayedSize = { width: null, height: null, source: 'unknown' };

/**
 * The size in pixels. A size given in CSS pixels is used as it is: the rules that compare with it allow for denser
 * screens. For `sizes`, the view that needs most pixels counts.
 */
export function displayedSize({ attributes, style, sizes, media, widest }: DisplayFacts): DisplayedSize {
  const views = media === null ? VIEWS : viewsOf(media);
  if (hasSide(attributes)) return { ...within(attributes, views), source: 'attribute' };
  if (hasSide(style)) return { ...within(style, views), source: 'style' };
  const widths = sizes === null ? [] : views.map((view) => (evaluateSizes(sizes, view) ?? 0) * view.density);
  const width = Math.max(0, ...widths);
  if (width > 0) return { width, height: null, source: 'sizes' };
  return widest === null ? UNKNOWN : { width: widest, height: null, source: 'descriptor' };
}

/**
 * The size at which one of several candidates is shown: a browser picks a narrow candidate where it is enough, and a
 * dense one on a dense screen.
 */
export function displayedCandidate(
  displayed: DisplayedSize,
  { width, density }: { width: number | null; density: number | null },
): DisplayedSize {
  let factor = density ?? 1;
  if (width !== null && displayed.width !== null) factor = Math.min(1, width / displayed.width);
  return factor === 1 ? displayed : { ...scaled(displayed, factor), source: displayed.source };
}

export const rounded = (side: number | null): number | null => (side === null ? null : Math.max(1, Math.round(side)));

const hasSide = ({ width, height }: Size): boolean => width !== null || height !== null;

/** The views that a media query matches. All views if it matches none of them or cannot be evaluated. */
function viewsOf(media: string): readonly View[] {
  const matching = VIEWS.filter((view) => matchesMedia(media, view));
  return matching.length > 0 ? matching : VIEWS;
}

/** An image that only a phone shows is no wider than the phone. */
function within(sides: Size, views: readonly View[]): Size {
  const [only, ...others] = views;
  if (others.length > 0 || only === undefined || sides.width === null) return sides;
  return scaled(sides, Math.min(1, only.width / sides.width) * only.density);
}

const scaled = ({ width, height }: Size, factor: number): Size => ({
  width: width === null ? null : width * factor,
  height: height === null ? null : height * factor,
});
