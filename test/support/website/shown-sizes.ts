/** Scans a site of CSS traps. Compares in Chromium how its pages show the optimized files and the original ones. */
import { unzipSync } from 'fflate';
import type { BrowserContext } from 'playwright-core';
import { withServer } from '../http-server.ts';
import { scene } from '../scenes.ts';
import { withSeparateBrowser } from '../separate-browser.ts';
import { withServed } from '../serve-process.ts';
import { sharpOf } from '../test-images.ts';
import { TRAP_IMAGE, type TrapImage, type TrapSite, trapSite } from './css-traps.ts';
import { addComment } from './images.ts';
import { prepareScanner, SCAN_ENV, ScanClient } from './scan.ts';

export const WINDOW_WIDTHS = [360, 1440, 2560];
const WINDOW_HEIGHT = 900;
/** Allowed difference in pixels, for fractions of a pixel. */
const TOLERANCE = 1;

interface SiteFile {
  data: Uint8Array;
  type: string;
}

/** How a window shows an image, in pixels. */
interface DisplayedImage {
  /** Size of the file. */
  natural: [width: number, height: number];
  /** Size on the screen. */
  box: [width: number, height: number];
}

interface Line {
  from_path: string;
  to: string;
  to_format: string;
  to_width: number;
  to_height: number;
  from_width: number;
}

export interface DisplayedSizes {
  pages: number;
  images: number;
  replaced: number;
  /** Images whose new file has fewer pixels; those of fixed size among them; and all images of fixed size. */
  resized: number;
  fixedResized: number;
  fixed: number;
  /** Images whose new file has fewer pixels than are shown and than the original has, or whose box has changed. */
  worse: string[];
  /** Number of such images if every size in an attribute or a style attribute had been trusted. */
  worseIfBelieved: number;
}

/**
 * Measures a generated site.
 * @param dataDir for the service that scans
 */
export async function measureShownSizes(
  dataDir: string,
  { seed, pages }: { seed: number; pages: number },
  env: Record<string, string> = {},
): Promise<DisplayedSizes> {
  const site = trapSite(seed, pages);
  const files = await filesOf(site);
  const key = await prepareScanner(dataDir);
  return await withServer(
    (request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      const file = files.get(pathname);
      if (!file) return response.writeHead(404).end();
      response.writeHead(200, { 'content-type': file.type, 'cache-control': 'no-store' });
      response.end(request.method === 'HEAD' ? undefined : file.data);
    },
    async ({ origin }) => {
      const { lines, packed } = await scan(dataDir, key, origin, env);
      return await withSeparateBrowser(async ({ context }) => {
        const before = await measureAll(context, origin, site);
        for (const { from_path: path, to, to_format: format } of lines)
          files.set(path, { data: packed[to]!, type: `image/${format}` });
        const after = await measureAll(context, origin, site);
        return compare(site, lines, before, after);
      });
    },
  );
}

async function filesOf({ documents, images }: TrapSite): Promise<Map<string, SiteFile>> {
  const { width, height } = TRAP_IMAGE;
  const photo = await sharpOf(scene('photo', width, height, 7))
    .jpeg({ quality: 92 })
    .toBuffer();
  const files = new Map<string, SiteFile>();
  for (const [path, { text, type }] of documents) files.set(path, { data: Buffer.from(text), type });
  for (const { path } of images) files.set(path, { data: addComment(photo, 'photo', path), type: 'image/jpeg' });
  return files;
}

async function scan(dataDir: string, key: string, origin: string, env: Record<string, string>) {
  let found: { lines: Line[]; packed: Record<string, Uint8Array> } | undefined;
  await withServed(
    dataDir,
    async ({ address }) => {
      const client = new ScanClient(address, key);
      const ended = await client.complete({ url: origin, settings: { delay_ms: 0 } });
      const zip = await client.fetch(ended.downloads.zip_url!);
      const packed = unzipSync(new Uint8Array(await zip.arrayBuffer()));
      const { replacements } = JSON.parse(new TextDecoder().decode(packed['mapping.json'])) as { replacements: Line[] };
      found = { lines: replacements, packed };
    },
    { ...SCAN_ENV, ...env },
  );
  return found!;
}

/** Returns how each window shows every image, by the path of the image and the width of the window. */
async function measureAll(
  context: BrowserContext,
  origin: string,
  { pages }: TrapSite,
): Promise<Map<string, DisplayedImage>> {
  const shown = new Map<string, DisplayedImage>();
  for (const path of pages) {
    const page = await context.newPage();
    await page.setViewportSize({ width: WINDOW_WIDTHS[0]!, height: WINDOW_HEIGHT });
    await page.goto(`${origin}${path}`);
    for (const width of WINDOW_WIDTHS) {
      await page.setViewportSize({ width, height: WINDOW_HEIGHT });
      const images = await page.evaluate(async () => {
        for (const image of document.images) image.loading = 'eager';
        await Promise.all([...document.images].map((image) => image.decode()));
        // The effects of animations and scripts are visible two frames later.
        for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
        await Promise.all(document.getAnimations().map((animation) => animation.finished));
        return [...document.images].map((image) => {
          const { width, height } = image.getBoundingClientRect();
          return {
            path: new URL(image.src).pathname,
            natural: [image.naturalWidth, image.naturalHeight] as [number, number],
            box: [width, height] as [number, number],
          };
        });
      });
      for (const { path: image, ...each } of images) shown.set(`${image} ${width}`, each);
    }
    await page.close();
  }
  return shown;
}

function compare(
  { pages, images }: TrapSite,
  lines: readonly Line[],
  before: ReadonlyMap<string, DisplayedImage>,
  after: ReadonlyMap<string, DisplayedImage>,
): DisplayedSizes {
  const line = new Map(lines.map((each) => [each.from_path, each]));
  const isResized = ({ path }: TrapImage) => (line.get(path)?.to_width ?? Number.POSITIVE_INFINITY) < TRAP_IMAGE.width;
  const views = images.flatMap((image) =>
    WINDOW_WIDTHS.map((width) => {
      const key = `${image.path} ${width}`;
      return { name: `${image.kind} ${key}`, before: before.get(key)!, after: after.get(key)! };
    }),
  );
  const fixed = images.filter((image) => image.isFixed);
  // All markup says 120 x 75, so the file would have twice that size.
  const believed = { natural: [240, 150] as [number, number] };
  return {
    pages: pages.length,
    images: images.length,
    replaced: images.filter(({ path }) => line.has(path)).length,
    resized: images.filter(isResized).length,
    fixedResized: fixed.filter(isResized).length,
    fixed: fixed.length,
    worse: views
      .filter((view) => hasLostPixels(view.before, view.after) || isOtherBox(view.before, view.after))
      .map(describe),
    worseIfBelieved: views.filter((view) => hasLostPixels(view.before, { ...view.before, ...believed })).length,
  };
}

function describe({ name, before, after }: { name: string; before: DisplayedImage; after: DisplayedImage }): string {
  return `${name}: ${after.box.map(Math.round).join(' x ')} (before ${before.box.map(Math.round).join(' x ')}) with a file of ${after.natural.join(' x ')}`;
}

/** Tells whether there are fewer pixels than are shown, and fewer than before, in one direction. */
function hasLostPixels(before: DisplayedImage, after: DisplayedImage): boolean {
  return [0, 1].some(
    (side) => after.natural[side]! < before.natural[side]! && after.natural[side]! + TOLERANCE < after.box[side]!,
  );
}

function isOtherBox(before: DisplayedImage, after: DisplayedImage): boolean {
  return [0, 1].some((side) => Math.abs(after.box[side]! - before.box[side]!) > TOLERANCE);
}
