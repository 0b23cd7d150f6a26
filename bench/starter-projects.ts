/**
 * `npm run bench:starters`: tests starter projects of frameworks, from their npm packages. Builds each, scans the built
 * website, applies the replacements to the sources through the local MCP server, builds again and compares every page
 * in Chromium, 360, 1440 and 2560 pixels wide: all boxes, the pixels, and whether an image is displayed larger than its
 * file. Needs the npm registry, Chromium and a few minutes. Exits with 1 if a page has become worse.
 * Options: --only NAME (may be repeated) --strategy picture --keep FOLDER (keeps the projects and both websites).
 */
import { mkdir, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { withLocalProcess } from '../test/codemod/process.ts';
import { withFolder } from '../test/support/folder.ts';
import { withServer } from '../test/support/http-server.ts';
import { withSeparateBrowser } from '../test/support/separate-browser.ts';
import { withServed } from '../test/support/serve-process.ts';
import { prepareScanner, SCAN_ENV, ScanClient } from '../test/support/website/scan.ts';
import { describeMachine, describeRevision } from './machine.ts';
import { serveFolder } from './serve-folder.ts';
import { buildStarter, prepareStarter, STARTERS, type Starter } from './starters/starters.ts';
import { type Difference, differenceOf, type PageViews, showPage } from './starters/views.ts';

/** Maximum share of differing pixels of a page. */
const MAX_DIFFERING_SHARE = 0.001;

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    strategy: { type: 'string', default: 'swap' },
    keep: { type: 'string' },
  },
});

interface Applied {
  filesChanged: number;
  imagesAdded: number;
  skipped: Record<string, number>;
  /** Bytes saved in the replaced files, according to the report. */
  bytesSaved: number;
}

/** Scans the website and applies the replacements to the sources. */
async function optimize(site: string, project: string, dataDir: string): Promise<Applied> {
  await mkdir(dataDir);
  const key = await prepareScanner(dataDir);
  let applied: Applied | undefined;
  await withServer(serveFolder(site), ({ origin }) =>
    withServed(
      dataDir,
      async ({ address }) => {
        const client = new ScanClient(address, key);
        const ended = await client.complete({ url: origin, settings: { delay_ms: 0 } });
        const env = { IC_API_KEY: key };
        await withLocalProcess(
          project,
          async (local) => {
            await local.call('load_replacement_package', { scan_id: ended.id });
            const plan = await local.call('preview_replacements', { strategy: values.strategy });
            const summary = plan.summary as Record<string, number>;
            const skipped: Record<string, number> = {};
            for (const { reason } of plan.skipped as { reason: string }[]) skipped[reason] = (skipped[reason] ?? 0) + 1;
            if (summary.files_changed! > 0) {
              const result = await local.call('apply_replacements', { plan_id: plan.plan_id, approved: true });
              const { ok, problems } = result.validation as { ok: boolean; problems: unknown[] };
              if (!ok) throw new Error(`Expected a valid result: ${JSON.stringify(problems)}`);
            }
            const report = await local.call('replacement_report');
            applied = {
              filesChanged: summary.files_changed!,
              imagesAdded: summary.images_added!,
              skipped,
              bytesSaved: Number(report.bytes_saved),
            };
          },
          { env, args: ['--base-url', address] },
        );
      },
      SCAN_ENV,
    ),
  );
  return applied!;
}

/** Paths of all pages of a built website. */
async function pagesOf(site: string): Promise<string[]> {
  const files = await readdir(site, { recursive: true });
  return files
    .filter((path) => path.endsWith('.html'))
    .map((path) => `/${path.replace(/(?<=^|\/)index\.html$/, '')}`)
    .sort();
}

interface Compared {
  page: string;
  difference: Difference;
  before: PageViews;
  after: PageViews;
}

async function compare(before: string, after: string): Promise<Compared[]> {
  return await withServer(serveFolder(before), (was) =>
    withServer(serveFolder(after), (is) =>
      withSeparateBrowser(async ({ context }) => {
        const pages: Compared[] = [];
        const show = async (page: string): Promise<Compared> => {
          const first = await showPage(context, `${was.origin}${page}`);
          const second = await showPage(context, `${is.origin}${page}`);
          return { page, difference: await differenceOf(context, first, second), before: first, after: second };
        };
        for (const page of await pagesOf(before)) {
          const compared = await show(page);
          // A fault may come from scripts of the page that were still running in one of the two. A real difference
          // occurs again.
          pages.push(regressionsOf(compared).length === 0 ? compared : await show(page));
        }
        return pages;
      }),
    ),
  );
}

/** Lists what is worse than before, as messages. */
function regressionsOf({ page, difference, before, after }: Compared): string[] {
  return [
    ...difference.layout.slice(0, 3),
    ...difference.larger,
    ...(difference.pixels > MAX_DIFFERING_SHARE
      ? [`${(difference.pixels * 100).toFixed(3)}% of the pixels differ`]
      : []),
    ...after.broken.filter((path) => !before.broken.includes(path)).map((path) => `${path} is not shown`),
  ].map((fault) => `${page}: ${fault}`);
}

/** Bytes of all images that any page loads, each counted once. */
function imageBytes(pages: readonly PageViews[]): number {
  const images = new Map(pages.flatMap(({ loaded }) => [...loaded]));
  return [...images.values()].reduce((sum, bytes) => sum + bytes, 0);
}

async function check(starter: Starter, folder: string) {
  const project = join(folder, starter.name);
  const [before, after] = [`${project}.before`, `${project}.after`];
  await prepareStarter(starter, project);
  await buildStarter(starter, project, before);
  const applied = await optimize(before, project, `${project}.data`);
  await buildStarter(starter, project, after);
  const pages = await compare(before, after);
  const faults = pages.flatMap(regressionsOf);
  return {
    starter: starter.name,
    framework: starter.framework,
    package: starter.package,
    ...applied,
    pages: pages.length,
    views: pages.reduce((sum, { before }) => sum + before.views.length, 0),
    imageBytesBefore: imageBytes(pages.map((each) => each.before)),
    imageBytesAfter: imageBytes(pages.map((each) => each.after)),
    largestPixelDifference: Math.max(...pages.map(({ difference }) => difference.pixels)),
    faults,
  };
}

console.log(JSON.stringify({ revision: describeRevision(), machine: describeMachine(), strategy: values.strategy }));
const wanted = STARTERS.filter(({ name }) => values.only === undefined || values.only.includes(name));
if (wanted.length === 0)
  throw new Error(`Expected --only to be one of ${STARTERS.map(({ name }) => name).join(', ')}.`);
await withFolder(async (temporary) => {
  const folder = values.keep === undefined ? temporary : resolve(values.keep);
  await mkdir(folder, { recursive: true });
  for (const starter of wanted) {
    const result = await check(starter, folder);
    console.log(JSON.stringify(result, null, 1));
    if (result.faults.length > 0) process.exitCode = 1;
  }
});
