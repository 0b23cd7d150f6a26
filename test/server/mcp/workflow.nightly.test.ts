/**
 * Tests the complete workflow: a service scans a website and builds its package, the local server of the website's
 * project changes the sources, a browser shows the pages with the new images, and a rollback restores every byte. An
 * agent runs it twice, with another revision of MCP each time. Once it reads only the text of results, once only their
 * structured content, and it takes every argument from there.
 */
import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { extname, join } from 'node:path';
import { describe, it } from 'node:test';
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Files, snapshot } from '../../codemod/desk.ts';
import { withLocalProcess } from '../../codemod/process.ts';
import { withBrowser } from '../../support/browser.ts';
import { withFolder, writeFiles } from '../../support/folder.ts';
import { withServer } from '../../support/http-server.ts';
import { MCP_REVISIONS, type McpRevision, speaking } from '../../support/mcp-revisions.ts';
import { browserSkipReason } from '../../support/separate-browser.ts';
import { withServed } from '../../support/serve-process.ts';
import { jpeg, pattern, png } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { prepareScanner, SCAN_ENV } from '../../support/website/scan.ts';
import { CHANNELS, type Channel, type ResultView, type Row, readField } from './channels.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
};

/** A path that names no file. */
const MISSING_CHROMIUM = '/chromium-that-is-not-there';

/** So many images that the diff of their page comes in parts. */
const GALLERY_IMAGES = 40;

async function websiteFiles(): Promise<Files> {
  const alt = 'The garden behind the house, taken on a morning in May. '.repeat(4);
  const photo = (width: number, height: number) => jpeg(pattern(width, height), 95);
  return {
    'index.html': `<!doctype html>\r\n<html lang="en"><head><meta charset="utf-8"><title>Home</title>\r
<link rel="stylesheet" href="/css/site.css"><meta property="og:image" content="/img/hero.jpg"></head>\r
<body><div class="banner" style="height:100px"></div>\r
<img src="/img/hero.jpg" width="400" alt="Hero">\r
<img src="img/small.jpg" srcset="img/small.jpg 300w, img/large.jpg 900w" sizes="300px" alt="">\r
<a href="blog/post.html">Post</a> <a href="gallery.html">Gallery</a></body></html>\r\n`,
    'blog/post.html': `\ufeff<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Post</title></head><body>
<picture><source type="image/jpeg" srcset="../img/large.jpg"><img src="../img/my%20photo.jpg" alt=""></picture>
<img src="../img/drawing.png?v=7" alt=""> Text about ../img/hero.jpg stays.</body></html>`,
    'gallery.html': `<!doctype html><html lang="en"><head><title>Gallery</title></head><body>\n${Array.from(
      { length: GALLERY_IMAGES },
      (_, index) => `<img src="/img/hero.jpg" width="400" height="250" loading="lazy" alt="${alt} ${index}">\n`,
    ).join('')}</body></html>\n`,
    'css/site.css': '.banner { background: url("../img/banner.jpg") center / cover }\n',
    'img/hero.jpg': await photo(800, 500),
    'img/small.jpg': await photo(300, 200),
    'img/large.jpg': await photo(900, 600),
    'img/my photo.jpg': await photo(640, 480),
    'img/banner.jpg': await photo(1000, 200),
    'img/drawing.png': await png(pattern(500, 300)),
    'README.md': 'The website.\n',
  };
}

/** Serves the files of a folder. */
function serve(root: string): RequestListener {
  return async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname);
    const file = path.endsWith('/') ? `${path}index.html` : path;
    const data = await readFile(join(root, file)).catch(() => undefined);
    if (!data || file.includes('/.')) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' }).end(data);
  };
}

interface LoadedImages {
  /** Paths of the images that were loaded. `broken` has whatever failed. */
  loaded: string[];
  broken: string[];
}

/** Returns what a browser loads for a page, and which of its images it cannot load. */
async function loadPage(url: string): Promise<LoadedImages> {
  return await withBrowser(async ({ page }) => {
    const loaded: string[] = [];
    const broken: string[] = [];
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (pathname === '/favicon.ico') return;
      if (response.status() !== 200) broken.push(pathname);
      else if (response.request().resourceType() === 'image') loaded.push(pathname);
    });
    await page.goto(url, { waitUntil: 'networkidle' });
    const dark = await page.$$eval('img', (images) =>
      images.filter((image) => image.naturalWidth === 0).map(({ src }) => src),
    );
    return { loaded: loaded.sort(), broken: [...broken, ...dark] };
  });
}

/** An agent whose client forwards only one channel. */
class OneChannelAgent {
  readonly #send: (name: string, args: Arguments) => Promise<CallToolResult>;
  readonly #channel: Channel;

  constructor(send: (name: string, args: Arguments) => Promise<CallToolResult>, channel: Channel) {
    this.#send = send;
    this.#channel = channel;
  }

  async call(name: string, args: Arguments = {}): Promise<ResultView> {
    const result = await this.#send(name, args);
    assert.ok(!result.isError, JSON.stringify(result.content));
    return this.#channel.view(result);
  }

  async errorOf(name: string, args: Arguments): Promise<string | undefined> {
    const result = await this.#send(name, args);
    assert.ok(result.isError);
    return this.#channel.view(result).errorCode();
  }

  /**
   * Reads all items of a list that comes in parts.
   * @param limit maximum number of items per part
   */
  async list(tool: string, list: string, args: Arguments, limit: number): Promise<Row[]> {
    const rows: Row[] = [];
    let offset: string | undefined = '0';
    while (offset !== undefined) {
      const view: ResultView = await this.call(tool, { ...args, limit, offset: Number(offset) });
      rows.push(...view.rows(list));
      offset = view.find('next_offset');
    }
    return rows;
  }
}

type Arguments = Record<string, unknown>;

/** Runs `work` with an agent that is connected to the hosted server. */
async function withHosted<T>(
  address: string,
  key: string,
  channel: Channel,
  revision: McpRevision,
  work: (hosted: OneChannelAgent) => Promise<T>,
): Promise<T> {
  const client = new Client({ name: 'test', version: '1' }, speaking(revision));
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  const transport = new StreamableHTTPClientTransport(new URL('/api/mcp', address), { requestInit });
  await client.connect(transport);
  const send = async (name: string, args: Arguments) =>
    (await client.callTool({ name, arguments: args }, { timeout: 120_000 })) as CallToolResult;
  try {
    return await work(new OneChannelAgent(send, channel));
  } finally {
    await client.close();
  }
}

interface Scanned {
  scanId: string;
  /** Arguments of the local server, without the name of the program. */
  args: string[];
}

/** Optimizes the website. Reads the report, the pages, the images and the prompt. */
async function scan(hosted: OneChannelAgent, url: string): Promise<Scanned> {
  let run = await hosted.call('optimize_website', { url });
  const id = readField(run, 'id');
  while (!['done', 'failed', 'cancelled'].includes(readField(run, 'status')))
    run = await hosted.call('get_website_report', { id, wait: true });
  const report = await hosted.call('get_website_report', { id, wait: true });
  assert.deepEqual([readField(report, 'status'), readField(report, 'total')], ['done', '6']);

  const replaced = await hosted.list(
    'get_website_report',
    'replacements',
    { id, fields: ['to_path', 'saved_bytes'] },
    4,
  );
  assert.equal(replaced.length, 6);
  assert.ok(replaced.some(({ to_path }) => to_path === '/img/hero.webp'));
  assert.equal(
    replaced.reduce((sum, { saved_bytes }) => sum + Number(saved_bytes), 0),
    Number(readField(report, 'totals.bytes_saved')),
  );

  const pages = await hosted.list('list_website_pages', 'pages', { scan_id: id }, 2);
  assert.deepEqual(
    pages.map(({ url: page }) => page),
    ['/', '/blog/post.html', '/gallery.html'].map((path) => `${url}${path}`),
  );
  const images = await hosted.list('list_website_assets', 'assets', { scan_id: id }, 4);
  assert.equal(images.length, 6);
  const [heaviest] = [...images].sort((one, other) => Number(other.bytes) - Number(one.bytes));
  assert.match(heaviest!.findings!, /wrong_format/);

  // The findings with their places, as the channel shows them.
  const finding = 'missing_dimensions';
  const found = await hosted.list('list_website_assets', 'assets', { scan_id: id, finding, search: 'drawing' }, 4);
  assert.equal(found.length, 1);
  const { findings } = found[0]!;
  for (const fact of [finding, `${url}/blog/post.html`, '../img/drawing.png?v=7'])
    assert.ok(findings!.includes(fact), `${fact} in ${findings}`);

  const { length: mapped } = await hosted.list('get_replacement_mapping', 'replacements', { scan_id: id }, 5);
  assert.equal(mapped, 6);
  const prompt = (await hosted.call('get_agent_prompt', { scan_id: id })).block('prompt');
  const [, args] = /over stdio: `npx -y [^`]+ (mcp [^`]+)`/.exec(prompt)!;
  const [, scanId] = /`load_replacement_package` with scan_id "([^"]+)"/.exec(prompt)!;
  return { scanId: scanId!, args: args!.split(' ') };
}

/** Reads the complete diff of a plan, which comes in parts. */
async function readDiff(local: OneChannelAgent, first: ResultView): Promise<string> {
  const planId = readField(first, 'plan_id');
  let diff = first.block('diff');
  let next = first.find('next_diff_offset');
  while (next !== undefined) {
    const part = await local.call('preview_replacements', { plan_id: planId, diff_offset: Number(next) });
    diff += part.block('diff');
    next = part.find('next_diff_offset');
  }
  return diff;
}

interface Project {
  root: string;
  /** Whether the local server finds Chromium. */
  isRendered: boolean;
  /** Origin of the website that is served from the project. */
  origin: string;
  before: Record<string, string>;
}

/** Replaces the images in the sources, checks the result and rolls it back. */
async function replace(local: OneChannelAgent, scanId: string, project: Project): Promise<void> {
  const { root, before } = project;
  const loaded = await local.call('load_replacement_package', { scan_id: scanId });
  assert.deepEqual([readField(loaded, 'scan_id'), readField(loaded, 'replacements')], [scanId, '6']);
  const package_id = readField(loaded, 'package_id');

  const references = await local.list('find_references', 'references', { package_id }, 100);
  assert.deepEqual(
    references.filter(({ editable }) => editable === 'false').map(({ place, raw, reason }) => [place, raw, reason]),
    [
      // A sentence that mentions the image.
      ['blog/post.html:3:54', '../img/hero.jpg', 'unsupported_type'],
      ['index.html:3:80', '/img/hero.jpg', 'social_image'],
    ],
  );

  const preview = await local.call('preview_replacements', { package_id });
  assert.deepEqual(await snapshot(root), before);
  assert.deepEqual(
    ['files_changed', 'images_added', 'skipped'].map((name) => readField(preview, `summary.${name}`)),
    ['4', '6', '2'],
  );
  assert.deepEqual(
    preview.rows('skipped').map(({ place, reason }) => [place, reason]),
    [
      ['blog/post.html:3', 'unsupported_type'],
      ['index.html:3', 'social_image'],
    ],
  );
  const plan_id = readField(preview, 'plan_id');
  const diff = await readDiff(local, preview);
  assert.ok(Buffer.byteLength(diff) > 20_000);
  assert.equal(diff, await readFile(join(root, `.ic/plans/${plan_id}.diff`), 'utf8'));
  assert.match(diff, /^\+\.banner \{ background: url\("\.\.\/img\/banner\.webp"\) center \/ cover \}$/m);

  assert.equal(await local.errorOf('apply_replacements', { plan_id, approved: false }), 'approval_required');
  assert.deepEqual(await snapshot(root), before);
  const applied = await local.call('apply_replacements', { plan_id, approved: true });
  assert.equal(readField(applied, 'validation.ok'), 'true');
  const backup_id = readField(applied, 'backup_id');
  const validated = await local.call('validate_replacements', { plan_id });
  assert.equal(readField(validated, 'ok'), 'true');
  const checks = validated.rows('checks');
  for (const { name, ok } of checks) assert.equal(ok, 'true', name);
  const { details } = checks.find(({ name }) => name === 'rendered')!;
  assert.match(details!, project.isRendered ? /^\d+ pages at 360, 1440, 2560 px: 0 problems/ : /^not rendered: /);
  const report = await local.call('replacement_report', { plan_id });
  assert.equal(readField(report, 'backup_id'), backup_id);
  assert.ok(Number(readField(report, 'bytes_saved')) > 0);
  assert.match(report.block('markdown'), /6 images added/);
  await showsNewImages(project);

  const rolledBack = await local.call('rollback', { backup_id, approved: true });
  assert.equal(readField(rolledBack, 'backup_id'), backup_id);
  assert.deepEqual(rolledBack.rows('kept'), []);
  assert.deepEqual(await snapshot(root), before);

  // Again with the strategy that keeps the originals for browsers that do not support the new format.
  const wrapped = readField(await local.call('preview_replacements', { strategy: 'picture' }), 'plan_id');
  await local.call('apply_replacements', { plan_id: wrapped, approved: true });
  assert.equal(readField(await local.call('validate_replacements', { plan_id: wrapped }), 'ok'), 'true');
  await showsNewImages(project);
  await local.call('rollback', { approved: true });
  assert.deepEqual(await snapshot(root), before);
}

async function showsNewImages({ origin, isRendered }: Project): Promise<void> {
  if (!isRendered) return;
  assert.deepEqual(await loadPage(`${origin}/`), {
    loaded: ['/img/banner.webp', '/img/hero.webp', '/img/small.webp'],
    broken: [],
  });
  assert.deepEqual(await loadPage(`${origin}/blog/post.html`), {
    loaded: ['/img/drawing.webp', '/img/large.webp'],
    broken: [],
  });
}

describe('the workflow from the scan of a website to smaller images in its sources', { timeout: 1_200_000 }, () => {
  for (const [index, channel] of CHANNELS.entries()) {
    const revision = MCP_REVISIONS[index]!;
    it(`applies and rolls back for an agent that reads only ${channel.name} and speaks ${revision}`, async (test) => {
      verifies(
        'mcp.local.load-replacement-package',
        'mcp.local.find-references',
        'mcp.local.preview-replacements',
        'mcp.local.apply-replacements',
        'mcp.local.validate-replacements',
        'mcp.local.replacement-report',
        'mcp.local.rollback',
        'mcp.local.diff-first',
      );
      if (browserSkipReason) test.diagnostic(`not shown: ${browserSkipReason}`);
      // The second agent works without Chromium.
      const isRendered = !browserSkipReason && channel === CHANNELS[0];
      await withFolder(async (folder) => {
        const root = join(folder, 'project');
        const dataDir = join(folder, 'data');
        await mkdir(dataDir);
        await writeFiles(root, await websiteFiles());
        const before = await snapshot(root);
        const key = await prepareScanner(dataDir);
        const work = async (address: string, origin: string) => {
          const { scanId, args } = await withHosted(address, key, channel, revision, (hosted) => scan(hosted, origin));
          // The prompt starts the server in the folder of the project. test/server/sites/local-server.test.ts tests its program.
          const [command, rootOption, here, ...options] = args;
          assert.deepEqual([command, rootOption, here], ['mcp', '--root', '.']);
          await withLocalProcess(
            root,
            (local) =>
              replace(new OneChannelAgent((name, sent) => local.send(name, sent), channel), scanId, {
                root,
                isRendered,
                origin,
                before,
              }),
            {
              env: { IC_API_KEY: key, ...(!isRendered && { IC_CHROMIUM: MISSING_CHROMIUM }) },
              args: options,
              revision,
            },
          );
        };
        await withServer(serve(root), ({ origin }) =>
          withServed(dataDir, ({ address }) => work(address, origin), SCAN_ENV),
        );
      });
    });
  }
});
