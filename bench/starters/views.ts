/** Renders pages of a built website in Chromium, and compares two builds of it. */
import type { BrowserContext, Page } from 'playwright-core';
import { differingShare } from '../../chromium/screenshots.ts';

/** CSS pixels: a phone, a laptop, a large screen. */
export const WIDTHS = [360, 1440, 2560] as const;
const WINDOW_HEIGHT = 900;
/** Tolerance of a coordinate, in CSS pixels, because browsers round. */
const TOLERANCE = 0.5;
/** Below this height only the boxes are compared. */
const MAX_SHOT_HEIGHT = 12_000;

interface Box {
  /** Description for people: the element and its classes. */
  name: string;
  /** In CSS pixels of the page. */
  x: number;
  y: number;
  width: number;
  height: number;
  /** For an image: the path of the displayed file, and its size in pixels. */
  file?: { path: string; width: number; height: number };
}

/** A page in a window of one width. */
interface PageView {
  height: number;
  /** Boxes of all displayed elements. */
  boxes: Box[];
  png: Buffer;
}

export interface PageViews {
  views: PageView[];
  /** Images that the page has loaded in all windows: path and bytes. */
  loaded: ReadonlyMap<string, number>;
  /** Images that could not be displayed. */
  broken: string[];
}

/** Opens a page in windows of all widths, and loads it again in each. */
export async function showPage(context: BrowserContext, url: string): Promise<PageViews> {
  const page = await context.newPage();
  const loaded = new Map<string, number>();
  const broken: string[] = [];
  page.on('response', (response) => {
    if (response.request().resourceType() !== 'image') return;
    const { origin, pathname } = new URL(response.url());
    if (origin !== new URL(url).origin) return;
    if (response.status() >= 400) broken.push(pathname);
    else loaded.set(pathname, Number(response.headers()['content-length'] ?? 0));
  });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const views: PageView[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: WINDOW_HEIGHT });
    await page.goto(url, { waitUntil: 'networkidle' });
    views.push(await renderView(page, width));
  }
  await page.close();
  return { views, loaded, broken };
}

async function renderView(page: Page, width: number): Promise<PageView> {
  const seen = await page.evaluate(async () => {
    for (const image of document.images) image.loading = 'eager';
    // Scrolls, because some content only loads when it becomes visible.
    for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
      scrollTo(0, y);
      await new Promise(requestAnimationFrame);
    }
    scrollTo(0, 0);
    await Promise.allSettled([...document.images].map((image) => image.decode()));
    await document.fonts.ready;
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    // Finishes animations that the scrolling has started.
    for (const animation of document.getAnimations())
      if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) animation.finish();
    await new Promise(requestAnimationFrame);
    // naturalWidth of a displayed image is divided by the density in its `srcset`, so the file is loaded again by
    // itself.
    const files = new Map<string, HTMLImageElement>();
    for (const { currentSrc } of document.images) {
      if (!currentSrc.startsWith(location.origin)) continue;
      const file = new Image();
      file.src = currentSrc;
      files.set(currentSrc, file);
    }
    await Promise.allSettled([...files.values()].map((file) => file.decode()));
    // `picture` and `source` are added around images, and have no box.
    const elements = [...document.body.querySelectorAll('*:not(picture, source, script, style, template)')];
    return {
      height: document.documentElement.scrollHeight,
      boxes: elements.map((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        const box = {
          name: `${element.localName} ${element.getAttribute('class') ?? ''}`.trim(),
          ...{ x: x + scrollX, y: y + scrollY, width, height },
        };
        const file = element instanceof HTMLImageElement && files.get(element.currentSrc);
        if (!file) return box;
        const path = new URL(file.src).pathname;
        return { ...box, file: { path, width: file.naturalWidth, height: file.naturalHeight } };
      }),
    };
  });
  const clip = { x: 0, y: 0, width, height: Math.max(1, Math.min(seen.height, MAX_SHOT_HEIGHT)) };
  const png = await page.screenshot({ fullPage: true, clip, animations: 'disabled', caret: 'hide', scale: 'css' });
  return { ...seen, png };
}

export interface Difference {
  /** Messages; empty if the two are equal. */
  layout: string[];
  /** Images that are displayed larger than their file now, but were not before. */
  larger: string[];
  /** Share of differing pixels, from 0 to 1: the largest of all windows. */
  pixels: number;
}

/** Compares a page of the second build with that of the first. */
export async function differenceOf(context: BrowserContext, before: PageViews, after: PageViews): Promise<Difference> {
  const difference: Difference = { layout: [], larger: [], pixels: 0 };
  for (const [index, width] of WIDTHS.entries()) {
    const [was, is] = [before.views[index]!, after.views[index]!];
    difference.layout.push(...layoutChanges(was, is).map((change) => `${width} px: ${change}`));
    difference.larger.push(...newlyEnlarged(was.boxes, is.boxes).map((image) => `${width} px: ${image}`));
    const share = await differingShare(context.browser()!, was.png, is.png);
    difference.pixels = Math.max(difference.pixels, share);
  }
  return difference;
}

function layoutChanges(was: PageView, is: PageView): string[] {
  if (was.boxes.length !== is.boxes.length) return [`${is.boxes.length} elements instead of ${was.boxes.length}`];
  const changes = was.boxes.flatMap((box, index) => {
    const other = is.boxes[index]!;
    const isSame = (['x', 'y', 'width', 'height'] as const).every(
      (side) => Math.abs(box[side] - other[side]) <= TOLERANCE,
    );
    return isSame ? [] : [`${other.name} ${other.file?.path ?? ''} is ${textOf(other)} instead of ${textOf(box)}`];
  });
  if (Math.abs(was.height - is.height) > TOLERANCE) changes.push(`${is.height} px high instead of ${was.height}`);
  return changes;
}

function textOf({ x, y, width, height }: Box): string {
  const [left, top, wide, high] = [x, y, width, height].map((value) => Math.round(value * 10) / 10);
  return `${wide} x ${high} px at ${left}, ${top}`;
}

function newlyEnlarged(before: readonly Box[], after: readonly Box[]): string[] {
  const wasEnlarged = before.filter(({ file }) => file).map(isEnlarged);
  return after
    .filter(({ file }) => file)
    .filter((box, index) => isEnlarged(box) && wasEnlarged[index] !== true)
    .map(({ file, ...box }) => `${file!.path} of ${file!.width} x ${file!.height} px is ${textOf(box)}`);
}

/** Whether an image is displayed larger than its file. Vector graphics have no pixels. */
function isEnlarged({ file, width, height }: Box): boolean {
  if (!file || file.path.endsWith('.svg')) return false;
  return width > file.width + TOLERANCE || height > file.height + TOLERANCE;
}
