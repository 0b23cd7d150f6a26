/** Compares pages of a project before and after an apply, as rendered in Chromium (docs/spec/shapes.md, section 18.8). */
import { posix } from 'node:path';
import type { Browser } from 'playwright-core';
import { ChromiumUnavailable, type Environment, NO_NETWORK, openChromium } from '../../chromium/chromium.ts';
import {
  differingShare,
  type ImageBox,
  type PageScreenshot,
  type Serve,
  takeScreenshots,
} from '../../chromium/screenshots.ts';
import { extensionOf } from '../../codecs/file-extension.ts';
import type { Call } from '../../mcp/tool.ts';
import type { Plan } from '../plan/plan.ts';
import { hasTemplateTags, isPlainPage } from '../project/plain-page.ts';
import type { ProjectRoot } from '../project/root.ts';
import { skipName } from '../project/rules.ts';
import { readProject } from '../references/project.ts';
import { type Backup, storedPath } from './backup.ts';
import type { Problem } from './validate.ts';

/** Window widths in CSS pixels: phone, laptop, large screen. */
const WIDTHS = [360, 1440, 2560] as const;
const MAX_PAGES = 10;
/** No page is started after this time: clients time out after a minute. */
const MAX_TIME_MS = 25_000;
/** CSS pixels, since browsers round positions. */
const BOX_TOLERANCE = 0.5;
/** Maximum share of a screenshot's pixels that may differ. */
const MAX_DIFFERING_SHARE = 0.01;
const MAX_SERVED_BYTES = 50_000_000;

/** Content types by extension. For other files the browser detects the type. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  htm: 'text/html; charset=utf-8',
  xhtml: 'application/xhtml+xml',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  json: 'application/json',
  svg: 'image/svg+xml',
};

export interface RenderedCheck {
  check: { name: 'rendered'; ok: boolean; details: string };
  problems: Problem[];
}

/** @param plan a plan that was applied, with its backup */
export async function checkRendered(
  root: ProjectRoot,
  plan: Plan,
  backup: Backup,
  env: Environment,
  { signal, progress }: Pick<Call, 'signal' | 'progress'>,
): Promise<RenderedCheck> {
  const { pages, left, publicDirs } = await pagesOf(root, plan, signal);
  if (pages.length === 0) return notRendered('no edited file is a page of plain HTML; it takes a build to show them.');
  const browser = await openChromium(env, NO_NETWORK);
  if (browser instanceof ChromiumUnavailable) return notRendered(browser.reason);
  const close = () => void browser.close().catch(() => {});
  signal.addEventListener('abort', close, { once: true });
  try {
    const comparison = new Comparison(browser, root, backup, publicDirs);
    const start = performance.now();
    let done = 0;
    for (const page of pages) {
      signal.throwIfAborted();
      if (performance.now() - start > MAX_TIME_MS) break;
      progress(done, pages.length, `rendering ${page}`);
      await comparison.page(page);
      done += 1;
    }
    signal.throwIfAborted();
    return comparison.result(left + pages.length - done);
  } finally {
    signal.removeEventListener('abort', close);
    await browser.close().catch(() => {});
  }
}

const notRendered = (reason: string): RenderedCheck => ({
  check: { name: 'rendered', ok: true, details: `not rendered: ${reason}` },
  problems: [],
});

/**
 * The edited pages that can be rendered without a build. If a style sheet or a script was edited, all other pages too.
 */
async function pagesOf(root: ProjectRoot, plan: Plan, signal: AbortSignal) {
  const { sources, framework } = await readProject(root, signal);
  const edited = plan.files.map(({ path }) => path);
  const isShared = edited.some((path) => /\.(?:css|m?js|json)$/i.test(path));
  const others = isShared ? sources.filter(({ reason }) => !reason).map(({ path }) => path) : [];
  const pages: string[] = [];
  for (const path of new Set([...edited, ...others])) {
    if (!isPlainPage(path)) continue;
    const text = await root.read(path).catch(() => undefined);
    if (text && !hasTemplateTags(text.toString('utf8'))) pages.push(path);
  }
  return { pages: pages.slice(0, MAX_PAGES), left: pages.slice(MAX_PAGES).length, publicDirs: framework.publicDirs };
}

/** Differences between two screenshots of a page. */
interface Difference {
  /** Width of the window in CSS pixels. */
  width: number;
  /** The first layout difference, as the end of a sentence. */
  layout: string | undefined;
  /** Share of the pixels that differ, from 0 to 1. */
  share: number;
}

class Comparison {
  readonly #browser: Browser;
  readonly #root: ProjectRoot;
  readonly #publicDirs: readonly string[];
  /** Files overwritten by the apply: by path, where the old version is stored. */
  readonly #stored: ReadonlyMap<string, string>;
  readonly #created: ReadonlySet<string>;
  readonly #problems: Problem[] = [];
  /** Pages that could not be compared, with the reason. */
  readonly #unknown: string[] = [];
  #compared = 0;
  #largestShare = 0;

  constructor(browser: Browser, root: ProjectRoot, backup: Backup, publicDirs: readonly string[]) {
    this.#browser = browser;
    this.#root = root;
    this.#publicDirs = publicDirs;
    this.#stored = new Map(backup.files.map((file) => [file.path, storedPath(backup, file)]));
    this.#created = new Set(backup.created.map(({ path }) => path));
  }

  async page(path: string): Promise<void> {
    try {
      await this.#compare(path);
      this.#compared += 1;
    } catch (error) {
      this.#unknown.push(`${path} (${error instanceof Error ? error.message.split('\n')[0] : String(error)})`);
    }
  }

  result(left: number): RenderedCheck {
    const more = [
      ...(left > 0 ? [`${left} more pages were left out`] : []),
      ...(this.#unknown.length > 0 ? [`not rendered: ${this.#unknown.join(', ')}`] : []),
    ];
    const details = [
      `${this.#compared} pages at ${WIDTHS.join(', ')} px: ${this.#problems.length} problems, at most ${percentOf(this.#largestShare)} of the pixels differ`,
      ...more,
    ].join('; ');
    return { check: { name: 'rendered', ok: this.#problems.length === 0, details }, problems: this.#problems };
  }

  async #compare(path: string): Promise<void> {
    const shoot = (isBefore: boolean) =>
      takeScreenshots(this.#browser, this.#serve(path, isBefore), `/${path}`, WIDTHS);
    const before = await shoot(true);
    const isChanged = ({ layout, share }: Difference) => layout !== undefined || share > MAX_DIFFERING_SHARE;
    let differences = await this.#differences(before, await shoot(false));
    if (differences.some(isChanged)) {
      if ((await this.#differences(before, await shoot(true))).some(isChanged))
        throw new Error('it looks otherwise each time');
      // On a busy machine the screenshot may have been taken before a style sheet's image was loaded. Try once more.
      differences = await this.#differences(before, await shoot(false));
    }
    const changed = differences.filter(isChanged);
    this.#largestShare = Math.max(this.#largestShare, ...differences.map(({ share }) => share));
    for (const { width, layout, share } of changed) {
      const fault = layout ?? `${percentOf(share)} of the pixels differ`;
      const code = layout === undefined ? 'looks_different' : 'layout_changed';
      this.#problems.push({ file: path, line: null, code, message: `At ${width} px ${fault}.` });
    }
  }

  async #differences(before: readonly PageScreenshot[], after: readonly PageScreenshot[]): Promise<Difference[]> {
    const differences: Difference[] = [];
    for (const [index, width] of WIDTHS.entries()) {
      const [was, is] = [before[index]!, after[index]!];
      const share = await differingShare(this.#browser, was.png, is.png);
      differences.push({ width, layout: layoutChange(was, is), share });
    }
    return differences;
  }

  /** Serves the project's files as they were before the apply or as they are now. */
  #serve(page: string, isBefore: boolean): Serve {
    const tops = siteRootsOf(page, this.#publicDirs);
    return async (path) => {
      const plain = posix.normalize(path).replace(/^\/+/, '');
      for (const top of tops) {
        for (const name of namesOf(posix.join(top, plain))) {
          const body = await this.#file(name, isBefore);
          if (body) return { body, contentType: CONTENT_TYPES[extensionOf(name)] };
        }
      }
      return undefined;
    };
  }

  async #file(path: string, isBefore: boolean): Promise<Buffer | undefined> {
    if (skipName(path) === 'secret' || (isBefore && this.#created.has(path))) return undefined;
    const read = isBefore ? (this.#stored.get(path) ?? path) : path;
    return await this.#root.read(read, MAX_SERVED_BYTES).catch(() => undefined);
  }
}

/** Folders that may be the site root of a page. The page itself is addressed from the project root. */
function siteRootsOf(page: string, publicDirs: readonly string[]): string[] {
  const around = publicDirs.filter((folder) => page.startsWith(`${folder}/`));
  const folders = page.split('/').slice(0, -1);
  const above = folders.map((_, index) => folders.slice(0, index + 1).join('/'));
  return [...new Set(['', ...around, ...above])];
}

function namesOf(path: string): string[] {
  const plain = path.replace(/\/$/, '');
  if (plain === '' || plain === '.') return ['index.html'];
  return extensionOf(plain) === '' ? [`${plain}/index.html`, `${plain}.html`, plain] : [plain];
}

const percentOf = (share: number): string => `${(share * 100).toFixed(2)}%`;

/** The first difference between two layouts, as the end of a sentence. */
function layoutChange(before: PageScreenshot, after: PageScreenshot): string | undefined {
  if (before.boxes.length !== after.boxes.length)
    return `the page has ${after.boxes.length} images instead of ${before.boxes.length}`;
  for (const [index, was] of before.boxes.entries()) {
    const is = after.boxes[index]!;
    const isSame = (['x', 'y', 'width', 'height'] as const).every(
      (side) => Math.abs(was[side] - is[side]) <= BOX_TOLERANCE,
    );
    if (!isSame) return `image ${index + 1} (${is.src.slice(0, 200)}) is ${boxText(is)} instead of ${boxText(was)}`;
  }
  if (Math.abs(before.height - after.height) <= BOX_TOLERANCE) return undefined;
  return `the page is ${after.height} px high instead of ${before.height}`;
}

function boxText({ x, y, width, height }: ImageBox): string {
  const [left, top, wide, high] = [x, y, width, height].map((value) => Math.round(value * 10) / 10);
  return `${wide} x ${high} px at ${left}, ${top}`;
}
