/** The pages of a folder that is a website, whether or not anything links to them. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { extensionOf } from '../../../codecs/file-extension.ts';
import { isSkipped } from '../files.ts';

const PAGE_EXTENSIONS: ReadonlySet<string> = new Set(['html', 'htm', 'xhtml']);

/** What a web server sends for the address of a folder, the first that is there. */
export const INDEX_FILES: readonly string[] = ['index.html', 'index.htm'];

/** What `imagecrew optimize` has written there is no part of the website. */
const PACKAGE_FILES = ['mapping.json', 'report.html', 'AGENT.md'];

/** Paths with `/`, the nearer ones first, of each folder the index before the others. Links are not followed. */
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

/** What a path cannot have in an address, or would be read there as something else. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: names of files may have them
const SPECIAL = /[\u0000-\u0020\u007f%?#\\]/g;

/** The address of a file, of an index that of its folder. @param base ends in `/` */
export function addressOfPage(path: string, base: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const shown = name === INDEX_FILES[0] ? path.slice(0, -name.length) : path;
  // A name may begin as a scheme does.
  return new URL(`./${shown.replace(SPECIAL, encodeURIComponent)}`, base).href;
}
