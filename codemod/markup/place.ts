/** Finds the places of a scan that an `img` of a source may correspond to. */
import type { MarkupPlace } from '../../replacement-package/markup-place.ts';
import type { ScannedPages } from '../plan/scanned-pages.ts';
import { hasTemplateTags, isPlainPage } from '../project/plain-page.ts';

/** Position of an `img`. */
export interface ElementPlace {
  file: string;
  text: string;
  /** Line of the address in its `src`. */
  line: number;
  column: number;
}

const WHOLE_PAGE = /<html[\s>]|<!doctype/i;

/**
 * Returns the places of the scan that an `img` may correspond to: the one at the same position of the same page,
 * otherwise all on the page, otherwise all.
 * @returns undefined for a page that was not scanned
 */
export function placesOf(
  places: readonly MarkupPlace[],
  { file, text, line, column }: ElementPlace,
  scanned: ScannedPages,
): readonly MarkupPlace[] | undefined {
  const page = scanned.pageOf(file);
  if (page === null) return places;
  if (!scanned.has(page)) {
    const isPage = isPlainPage(file) && WHOLE_PAGE.test(text) && !hasTemplateTags(text);
    return isPage ? undefined : places;
  }
  const onPage = places.filter((each) => scanned.pathOf(each.page) === page);
  // The package lists only the first pages of each image.
  if (onPage.length === 0) return places;
  const exact = onPage.filter((each) => each.line === line && each.column === column);
  return exact.length > 0 ? exact : onPage;
}
