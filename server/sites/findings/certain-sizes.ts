/**
 * Decides for every place that gives a size whether the size is certain: whether no style sheet of its page can show
 * the image larger (docs/spec/shapes.md, sections 16.3 and 16.4). Runs after the pages and the files that they link have
 * been read.
 */
import { runInBackground } from '../runner/background.ts';
import type { ScanContext } from '../runner/context.ts';

const PAGES_AT_ONCE = 100;

export async function judgeSizes(context: ScanContext): Promise<void> {
  const { scan, services, signal } = context;
  const { siteSizes } = services.database;
  for (let after = 0; ; ) {
    const pages = await siteSizes.pages(scan.id, after, PAGES_AT_ONCE);
    const last = pages.at(-1);
    if (last === undefined) return;
    for (const page of pages) {
      signal.throwIfAborted();
      const certain = await certainPlaces(context, page);
      if (certain)
        await services.database.transaction(({ siteSizes: sizes }) => sizes.setCertain(scan.id, page, certain));
    }
    after = last;
  }
}

/** Numbers of the places whose size is certain; undefined when the page gives no sizes. */
async function certainPlaces(context: ScanContext, pageSource: number): Promise<readonly number[] | undefined> {
  const { scan, services, signal } = context;
  const { siteSizes } = services.database;
  const sized = await siteSizes.places(scan.id, pageSource);
  if (sized.length === 0) return undefined;
  const places = sized.flatMap(({ seq, element, displayedWidth: width, displayedHeight: height }) =>
    element === null ? [] : [{ seq, element, width, height }],
  );
  const page = await siteSizes.sizing(scan.id, pageSource);
  if (page === null || places.length === 0) return [];
  const stylesheets: string[] = [];
  for (const seq of await siteSizes.stylesheets(scan.id, pageSource)) {
    const stylesheet = await siteSizes.sizing(scan.id, seq);
    // A style sheet that was not read could set any size.
    if (stylesheet === null) return [];
    stylesheets.push(stylesheet);
  }
  const { certain } = await runInBackground(context, 'judge-sizes', { page, stylesheets, places }, signal);
  return certain;
}
