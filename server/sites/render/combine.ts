/** What the rendering of a page adds to the reading of its markup. */
import { rolesThatAre } from '../../../base/reference-roles.ts';
import { normalizeAddress } from '../../../engine/documents/address.ts';
import { plainReference } from '../../../engine/documents/plain-reference.ts';
import type { DocumentReading, ImageReference, PageFacts } from '../../../engine/documents/reading.ts';
import type { ShownImage } from './in-page.ts';

const SHOWN: ReadonlySet<string> = new Set(rolesThatAre('shown'));
/** CSS pixels: sizes of markup are rounded. */
const TOLERANCE = 1;

type Size = Pick<ShownImage, 'tag' | 'width' | 'height' | 'naturalWidth' | 'naturalHeight'>;

/**
 * Adds to the reading of a page the images that its scripts show, and to those of its markup how large they are shown.
 * @param reading of the markup of a page
 * @param rendered the reading of the document as it has become
 */
export function addRendered(
  reading: DocumentReading,
  rendered: DocumentReading,
  shown: readonly ShownImage[],
): DocumentReading {
  const [facts, renderedFacts] = [reading.page!, rendered.page!];
  const sizes = largestSizes(shown);
  const known = new Set(reading.references.filter(({ role }) => SHOWN.has(role)).map(({ url }) => url));
  const added = rendered.references.filter(({ role, url }) => SHOWN.has(role) && !known.has(url)).map(asRendered);
  for (const { url } of added) known.add(url);
  // In shadow trees, and what only one window has shown.
  for (const [url, { tag }] of sizes)
    if (!known.has(url)) added.push({ ...asRendered(plainReference({ ...NOWHERE, url, raw: url })), tag });
  const references = [...reading.references, ...added].map((reference) => sized(reference, sizes));
  return {
    ...reading,
    references,
    truncated: reading.truncated || rendered.truncated,
    stylesheets: unionOf(reading.stylesheets, rendered.stylesheets),
    page: {
      ...facts,
      links: unionOf(facts.links, renderedFacts.links),
      names: namesOf(facts, renderedFacts),
      needsJavaScript: facts.needsJavaScript && renderedFacts.needsJavaScript && added.length === 0,
    },
  };
}

/** It stands in no file: line and column are 0. */
const NOWHERE = { role: 'rendered', line: 0, column: 0 } as const;

function asRendered(reference: ImageReference): ImageReference {
  return { ...reference, ...NOWHERE, element: null, imageNumber: null, preloaded: false };
}

/** By address, the largest of all windows. */
function largestSizes(shown: readonly ShownImage[]): Map<string, Size> {
  const sizes = new Map<string, Size>();
  for (const image of shown) {
    const url = normalizeAddress(image.url);
    if (url === undefined || !(image.width > 0) || !(image.height > 0)) continue;
    const before = sizes.get(url);
    sizes.set(url, {
      ...image,
      width: Math.max(image.width, before?.width ?? 0),
      height: Math.max(image.height, before?.height ?? 0),
    });
  }
  return sizes;
}

/** A size that was measured counts where it is larger than what the markup says: in other windows that may hold. */
function sized(reference: ImageReference, sizes: ReadonlyMap<string, Size>): ImageReference {
  const size = SHOWN.has(reference.role) ? sizes.get(reference.url) : undefined;
  if (!size || !isLarger(size, reference)) return reference;
  const { displayedWidth, displayedHeight } = reference;
  return {
    ...reference,
    displayedWidth: Math.max(Math.round(size.width), displayedWidth ?? 1),
    displayedHeight: Math.max(Math.round(size.height), displayedHeight ?? 1),
    displayedSource: 'rendered',
  };
}

function isLarger(size: Size, { displayedWidth: width, displayedHeight: height }: ImageReference): boolean {
  if (width === null && height === null) return true;
  const ratio = size.naturalWidth > 0 && size.naturalHeight > 0 ? size.naturalWidth / size.naturalHeight : null;
  // Of a side that the markup does not give, what follows from the other.
  const wide = width ?? (ratio === null ? Number.POSITIVE_INFINITY : height! * ratio);
  const high = height ?? (ratio === null ? Number.POSITIVE_INFINITY : width! / ratio);
  return size.width > wide + TOLERANCE || size.height > high + TOLERANCE;
}

/** A page that waits for its scripts is known by what they have made of it. */
function namesOf(markup: PageFacts, rendered: PageFacts): number[] | undefined {
  if (!rendered.names) return undefined;
  if (!markup.names) return markup.needsJavaScript ? rendered.names : undefined;
  return unionOf(markup.names, rendered.names);
}

const unionOf = <T>(one: readonly T[], other: readonly T[]): T[] => [...new Set([...one, ...other])];
