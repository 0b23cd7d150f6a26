import type { ImageReference } from './reading.ts';

/** A reference with only its role, address and position known. */
export function plainReference(
  known: Pick<ImageReference, 'role' | 'url' | 'raw' | 'line' | 'column'>,
): ImageReference {
  return {
    tag: null,
    attribute: null,
    descriptor: null,
    media: null,
    sizes: null,
    type: null,
    alt: null,
    loading: null,
    declaredWidth: null,
    declaredHeight: null,
    displayedWidth: null,
    displayedHeight: null,
    displayedSource: 'unknown',
    inNoscript: false,
    imageNumber: null,
    lacksDimensions: false,
    lacksAlt: false,
    lazy: false,
    preloaded: false,
    candidates: 1,
    element: null,
    ...known,
  };
}
