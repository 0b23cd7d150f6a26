/** Which places of a scan an `img` of a source may be. */
import type { MarkupPlace } from '../../../sites/package/markup-places.ts';
import type { ScannedPages } from '../plan/scanned-pages.ts';
import { hasTemplateTags, isPlainPage } from '../project/plain-page.ts';

/** Where an `img` stands. */
export interface ElementPlace {
  file: string;
  text: string;
  /** Of the address in its `src`. */
  line: number;
  column: number;
}

const WHOLE_PAGE = /<html[\s>]|<!doctype/i;

/**
 * The places of the scan that an `img` may be: that on the same line of the same page, else all of the page, else all.
 * @returns undefined for a page that the scan has not read
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
  // Of many pages the package has the first.
  if (onPage.length === 0) return places;
  const exact = onPage.filter((each) => each.line === line && each.column === column);
  return exact.length > 0 ? exact : onPage;
}
