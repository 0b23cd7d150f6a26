/**
 * `npm run bench:site -- FOLDER ...`: for each folder with a static website: scans it, adds the package's files, writes
 * the new names into its pages and style sheets, and opens every page before and after in Chromium. No image may be
 * broken, and the pages must become lighter by the amount in the report. Options: --keep FOLDER keeps the replaced
 * sites and the reports there.
 */
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { withFolder } from '../test/support/folder.ts';
import { withServer } from '../test/support/http-server.ts';
import { withSeparateBrowser } from '../test/support/separate-browser.ts';
import { withServed } from '../test/support/serve-process.ts';
import { prepareScanner, SCAN_ENV, ScanClient } from '../test/support/website/scan.ts';
import { describeMachine, describeRevision } from './machine.ts';
import { serveFolder } from './serve-folder.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { keep: { type: 'string' } } });

/** Files in which image names are replaced. */
const SOURCES = new Set(['.html', '.css', '.js']);

interface Line {
  raw: string[];
  from_path: string;
  to: string;
  to_path: string;
}

interface PageRecord {
  seq: number;
  url: string;
  image_bytes: number;
  bytes_saved: number;
}

/** Puts the files of a package next to the originals, and replaces the names in all files that refer to these. */
async function applyPackage(folder: string, zip: Uint8Array): Promise<number> {
  const files = unzipSync(zip);
  const { replacements } = JSON.parse(new TextDecoder().decode(files['mapping.json'])) as { replacements: Line[] };
  const names = new Map<string, string>();
  for (const { raw, to, to_path, from_path } of replacements) {
    const place = join(folder, decodeURIComponent(to_path));
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, files[to]!);
    const from = basename(new URL(from_path, 'http://localhost').pathname);
    for (const spelled of raw) names.set(spelled, spelled.replace(from, basename(to_path)));
  }
  // Longest first, so that no name is replaced inside a longer one.
  const spellings = [...names].sort(([one], [other]) => other.length - one.length);
  const pattern = new RegExp(
    spellings.map(([spelled]) => spelled.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'),
    'g',
  );
  let replaced = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !SOURCES.has(extname(entry.name))) continue;
    const path = join(entry.parentPath, entry.name);
    const text = await readFile(path, 'utf8');
    await writeFile(
      path,
      text.replace(pattern, (spelled) => {
        replaced += 1;
        return names.get(spelled)!;
      }),
    );
  }
  return replaced;
}

interface ImageLoad {
  bytes: number;
  /** Paths of loaded images. */
  loaded: string[];
  broken: string[];
}

/** Opens a page, scrolls through all of it, and counts the bytes of the images that it loads. */
async function measureImages(page: Page, url: string): Promise<ImageLoad> {
  const images = new Map<string, number>();
  const broken: string[] = [];
  const listen = (response: import('playwright-core').Response) => {
    const type = response.headers()['content-type'] ?? '';
    if (!type.startsWith('image/') && response.request().resourceType() !== 'image') return;
    if (response.status() >= 400) broken.push(response.url());
    else images.set(response.url(), Number(response.headers()['content-length'] ?? 0));
  };
  page.on('response', listen);
  await page.goto(url, { waitUntil: 'networkidle' });
  await page.evaluate(async () => {
    for (const image of document.images) image.loading = 'eager';
    await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
  });
  await page.waitForLoadState('networkidle');
  broken.push(
    ...(await page.evaluate(() =>
      [...document.images]
        .filter(({ complete, naturalWidth }) => !complete || naturalWidth === 0)
        .map(({ src }) => src),
    )),
  );
  page.off('response', listen);
  const loaded = [...images.keys()].map((image) => new URL(image).pathname);
  return { bytes: [...images.values()].reduce((sum, bytes) => sum + bytes, 0), loaded, broken };
}

async function weighAll(folder: string, paths: readonly string[]): Promise<ImageLoad[]> {
  return await withServer(serveFolder(folder), ({ origin }) =>
    withSeparateBrowser(async ({ context }) => {
      const weights: ImageLoad[] = [];
      for (const path of paths) {
        // A new page each time: otherwise images would come from the cache of an earlier page.
        const page = await context.newPage();
        const session = await context.newCDPSession(page);
        await session.send('Network.setCacheDisabled', { cacheDisabled: true });
        weights.push(await measureImages(page, `${origin}${path}`));
        await page.close();
      }
      return weights;
    }),
  );
}

function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

async function check(folder: string, kept: string | undefined) {
  return await withFolder(async (dataDir) => {
    const key = await prepareScanner(dataDir);
    const { assets, scan, pages, zip, report } = await withServer(serveFolder(folder), ({ origin }) => {
      let result:
        | { assets: string[][]; scan: unknown; pages: PageRecord[]; zip: Uint8Array; report: string }
        | undefined;
      return withServed(
        dataDir,
        async ({ address }) => {
          const client = new ScanClient(address, key);
          const ended = await client.complete({ url: origin, settings: { delay_ms: 0 } });
          const list = await client.json<{ pages: PageRecord[] }>(
            `/api/v1/sites/scans/${ended.id}/pages?status=scanned&limit=500`,
          );
          const assets: string[][] = [];
          for (const { seq } of list.pages) {
            const { asset_list } = await client.json<{ asset_list: { url: string; status: string }[] }>(
              `/api/v1/sites/scans/${ended.id}/pages/${seq}`,
            );
            assets.push(asset_list.filter(({ url }) => url.startsWith('http')).map(({ url }) => new URL(url).pathname));
          }
          result = {
            assets,
            scan: ended.totals,
            pages: list.pages,
            zip: new Uint8Array(await (await client.fetch(ended.downloads.zip_url!)).arrayBuffer()),
            report: await (await client.fetch(ended.downloads.report_html_url!)).text(),
          };
        },
        SCAN_ENV,
      ).then(() => result!);
    });
    const replacedFolder = join(kept ?? dataDir, `${basename(dirname(folder))}-${basename(folder)}`);
    await cp(folder, replacedFolder, { recursive: true });
    const places = await applyPackage(replacedFolder, zip);
    if (kept) await writeFile(`${replacedFolder}.report.html`, report);
    const paths = pages.map(({ url }) => new URL(url).pathname);
    const before = await weighAll(folder, paths);
    const after = await weighAll(replacedFolder, paths);
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    const promised = sum(pages.map(({ bytes_saved }) => bytes_saved));
    const measured = sum(before.map(({ bytes }, index) => bytes - after[index]!.bytes));
    return {
      folder,
      pages: pages.length,
      places,
      bytesBefore: sum(before.map(({ bytes }) => bytes)),
      bytesReported: sum(pages.map(({ image_bytes }) => image_bytes)),
      promised,
      measured,
      ratio: Number((measured / promised).toFixed(4)),
      // Over all pages: images that a page names but does not load, and images that it loads but does not name.
      notLoaded: counted(
        assets.flatMap((paths, index) => paths.filter((path) => !before[index]!.loaded.includes(path))),
      ),
      notNamed: counted(before.flatMap(({ loaded }, index) => loaded.filter((path) => !assets[index]!.includes(path)))),
      brokenBefore: new Set(before.flatMap(({ broken }) => broken)).size,
      brokenAfter: [...new Set(after.flatMap(({ broken }) => broken))],
      totals: scan,
    };
  });
}

console.log(JSON.stringify({ revision: describeRevision(), machine: describeMachine() }));
for (const folder of positionals) console.log(JSON.stringify(await check(folder, values.keep), null, 1));
