/** Finds the pages of a folder, including those that no page links to. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { extensionOf } from '../../codecs/file-extension.ts';
import { isSkipped } from '../files.ts';

const PAGE_EXTENSIONS: ReadonlySet<string> = new Set(['html', 'htm', 'xhtml']);

/** Index files of a folder. The first one that exists is served for the folder's URL. */
export const INDEX_FILES: readonly string[] = ['index.html', 'index.htm'];

/** A folder with these files is an output of `imagecrew optimize`. It is not part of the website. */
const PACKAGE_FILES = ['mapping.json', 'report.html', 'AGENT.md'];

/**
 * Lists the pages as paths with `/`. Folders near the root come first, and in each folder the index files come first.
 * Links are not followed.
 */
export async function pagesOfFolder(folder: string): Promise<string[]> {
  const pages: string[] = [];
  let level = [''];
  while (level.length > 0) {
    const below: string[] = [];
    for (const parent of level) {
      const entries = await readdir(join(folder, parent), { withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
      if (PACKAGE_FILES.every((name) => files.includes(name))) continue;
      const own = files.filter((name) => PAGE_EXTENSIONS.has(extensionOf(name))).sort(indexFirst);
      for (const name of own) pages.push(parent + name);
      for (const entry of entries)
        if (entry.isDirectory() && !isSkipped(entry.name)) below.push(`${parent}${entry.name}/`);
    }
    level = below.sort();
  }
  return pages;
}

function indexFirst(one: string, other: string): number {
  const [isIndex, isOther] = [INDEX_FILES.includes(one), INDEX_FILES.includes(other)];
  if (isIndex !== isOther) return isIndex ? -1 : 1;
  return one < other ? -1 : 1;
}

/** Characters that must be percent-encoded because they are not allowed in a URL path or have another meaning there. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: names of files may have them
const SPECIAL = /[\u0000-\u0020\u007f%?#\\]/g;

/**
 * Returns the URL of a page. An index file has the URL of its folder.
 * @param base ends in `/`
 */
export function addressOfPage(path: string, base: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const shown = name === INDEX_FILES[0] ? path.slice(0, -name.length) : path;
  // `./` keeps a name such as `a:b.html` from being parsed as a scheme.
  return new URL(`./${shown.replace(SPECIAL, encodeURIComponent)}`, base).href;
}
