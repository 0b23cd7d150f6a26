/** Combines the reading of a page's markup with that of the rendered page. */
import { rolesWithUse } from '../../../base/reference-roles.ts';
import { normalizeAddress } from '../../../web-documents/address.ts';
import { plainReference } from '../../../web-documents/plain-reference.ts';
import type { DocumentReading, ImageReference, PageFacts } from '../../../web-documents/reading.ts';
import type { DisplayedImage } from './in-page.ts';

const DISPLAYED_ROLES: ReadonlySet<string> = new Set(rolesWithUse('shown'));
/** In CSS pixels: sizes in markup are rounded. */
const TOLERANCE = 1;

type Size = Pick<DisplayedImage, 'tag' | 'width' | 'height' | 'naturalWidth' | 'naturalHeight'>;

/**
 * Adds the images that scripts show to the reading of a page, and the displayed sizes to the images of its markup.
 * @param reading the reading of the page's markup
 * @param rendered the reading of the document after its scripts have run
 */
export function addRendered(
  reading: DocumentReading,
  rendered: DocumentReading,
  shown: readonly DisplayedImage[],
): DocumentReading {
  const [facts, renderedFacts] = [reading.page!, rendered.page!];
  const sizes = largestSizes(shown);
  const known = new Set(reading.references.filter(({ role }) => DISPLAYED_ROLES.has(role)).map(({ url }) => url));
  const added = rendered.references
    .filter(({ role, url }) => DISPLAYED_ROLES.has(role) && !known.has(url))
    .map(asRendered);
  for (const { url } of added) known.add(url);
  // Images in shadow trees, and images that only one viewport has shown.
  for (const [url, { tag }] of sizes)
    if (!known.has(url)) added.push({ ...asRendered(plainReference({ ...NO_POSITION, url, raw: url })), tag });
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

/** Rendered images are not in a file: line and column are 0. */
const NO_POSITION = { role: 'rendered', line: 0, column: 0 } as const;

const asRendered = (reference: ImageReference): ImageReference => ({
  ...reference,
  ...NO_POSITION,
  element: null,
  imageNumber: null,
  preloaded: false,
});

/** The largest displayed size in any viewport, by address. */
function largestSizes(shown: readonly DisplayedImage[]): Map<string, Size> {
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

/** Uses a measured size only where it is larger than that of the markup, which may apply in other viewports. */
function sized(reference: ImageReference, sizes: ReadonlyMap<string, Size>): ImageReference {
  const size = DISPLAYED_ROLES.has(reference.role) ? sizes.get(reference.url) : undefined;
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
  // A side that the markup does not give follows from the other side.
  const wide = width ?? (ratio === null ? Number.POSITIVE_INFINITY : height! * ratio);
  const high = height ?? (ratio === null ? Number.POSITIVE_INFINITY : width! / ratio);
  return size.width > wide + TOLERANCE || size.height > high + TOLERANCE;
}

/** When the markup of a page that needs scripts gives no names, those of the rendered document are used. */
function namesOf(markup: PageFacts, rendered: PageFacts): number[] | undefined {
  if (!rendered.names) return undefined;
  if (!markup.names) return markup.needsJavaScript ? rendered.names : undefined;
  return unionOf(markup.names, rendered.names);
}

const unionOf = <T>(one: readonly T[], other: readonly T[]): T[] => [...new Set([...one, ...other])];
