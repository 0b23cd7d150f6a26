/** Adds `loading="lazy"` to images that are far down on every page that shows them. */

import type { MarkupPlace } from '../../replacement-package/markup-place.ts';
import { LAZY_ATTRIBUTES } from '../../web-documents/image-elements.ts';
import type { ScannedPages } from '../plan/scanned-pages.ts';
import type { ImageElement } from '../readers/image-element.ts';
import type { Fix } from './fix.ts';
import { type ElementPlace, placesOf } from './place.ts';

export function fixLazy(
  element: ImageElement,
  places: readonly MarkupPlace[],
  place: ElementPlace,
  scanned: ScannedPages,
): Fix {
  const { attributes, hasUnknownAttributes } = element;
  if (attributes.has('loading')) return 'nothing_missing';
  const shown = placesOf(places, place, scanned);
  if (shown && !shown.some(({ findings }) => findings.includes('missing_lazy'))) return 'nothing_missing';
  if (hasUnknownAttributes) return { reason: 'unknown_attributes' };
  const priority = attributes.has('fetchpriority') ? attributes.get('fetchpriority') : 'auto';
  if (priority === undefined || /^high$/i.test(priority)) return { reason: 'high_priority' };
  if (isLazyByScript(element)) return { reason: 'lazy_by_script' };
  if (!shown) return { reason: 'page_not_scanned' };
  if (shown.some(({ is_first: isFirst }) => isFirst)) return { reason: 'first_on_page' };
  return { attributes: [['loading', 'lazy']] };
}

/** Whether a script loads the image. */
export function isLazyByScript({ attributes }: ImageElement): boolean {
  const classes = attributes.get('class') ?? attributes.get('classname') ?? '';
  return LAZY_ATTRIBUTES.some((name) => attributes.has(name)) || /lazy/i.test(classes);
}
