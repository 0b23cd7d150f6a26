/**
 * The whole way: a service scans a website and makes its package, the local server of the website's project changes the sources,
 * a browser shows the pages with the new images, and a rollback gives every byte back.
 */
import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { extname, join } from 'node:path';
import { describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { noBrowser, withBrowser } from '../../support/browser.ts';
import { withFolder } from '../../support/folder.ts';
import { withServer } from '../../support/http-server.ts';
import { jpeg, pattern, png } from '../../support/pictures.ts';
import { withServed } from '../../support/served.ts';
import { verifies } from '../../support/verifies.ts';
import { prepareScanner, SCAN_ENV, ScanClient } from '../../support/website/scan.ts';
import { type Files, type Structured, snapshot, writeFiles } from './local/desk.ts';
import { type LocalProcess, withLocalProcess } from './local/process.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
};

async function websiteFiles(): Promise<Files> {
  const photo = (width: number, height: number) => jpeg(pattern(width, height), 95);
  return {
    'index.html': `<!doctype html>\r\n<html lang="en"><head><meta charset="utf-8"><title>Home</title>\r
<link rel="stylesheet" href="/css/site.css"><meta property="og:image" content="/img/hero.jpg"></head>\r
<body><div class="banner" style="height:100px"></div>\r
<img src="/img/hero.jpg" width="400" alt="Hero">\r
<img src="img/small.jpg" srcset="img/small.jpg 300w, img/large.jpg 900w" sizes="300px" alt="">\r
<a href="blog/post.html">Post</a></body></html>\r\n`,
    'blog/post.html': `\ufeff<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Post</title></head><body>
<picture><source type="image/jpeg" srcset="../img/large.jpg"><img src="../img/my%20photo.jpg" alt=""></picture>
<img src="../img/drawing.png?v=7" alt=""> Text about ../img/hero.jpg stays.</body></html>`,
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

/** A plain file server on a folder. */
function serve(root: string): RequestListener {
  return async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname);
    const file = path.endsWith('/') ? `${path}index.html` : path;
    const data = await readFile(join(root, file)).catch(() => undefined);
    if (!data || file.includes('/.')) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' }).end(data);
  };
}

interface Shown {
  /** Paths of what was loaded, with the type of the answer; and whatever failed. */
  loaded: string[];
  broken: string[];
}

/** What a browser loads for a page, and which of its images it cannot show. */
async function show(url: string): Promise<Shown> {
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

interface Story {
  local: LocalProcess;
  origin: string;
  root: string;
  before: Record<string, string>;
  scanId: string;
}

type Call = (name: string, args?: Structured) => Promise<Structured>;

/** Runs `work` with a client of the hosted server. */
async function withHosted<T>(address: string, key: string, work: (call: Call) => Promise<T>): Promise<T> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  const transport = new StreamableHTTPClientTransport(new URL('/api/mcp', address), { requestInit });
  // Its optional fields are declared as the SDK's own types are not.
  await client.connect(transport as Transport);
  try {
    return await work(async (name, args = {}) => {
      const { structuredContent, isError } = await client.callTool({ name, arguments: args }, undefined, {
        timeout: 120_000,
      });
      assert.ok(!isError, JSON.stringify(structuredContent));
      return structuredContent as Structured;
    });
  } finally {
    await client.close();
  }
}

/** Runs `work` with a website that has been scanned, and the local server of its project. */
async function withStory(work: (story: Story) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const root = join(folder, 'project');
    const dataDir = join(folder, 'data');
    await mkdir(dataDir);
    await writeFiles(root, await websiteFiles());
    const before = await snapshot(root);
    const key = await prepareScanner(dataDir);
    await withServer(serve(root), async ({ origin }) => {
      await withServed(
        dataDir,
        async ({ address }) => {
          const id = await withHosted(address, key, async (hosted) => {
            // Waits for as long as clients do; what takes longer is asked for.
            let { id, status } = await hosted('optimize_website', { url: origin });
            if (status !== 'done') ({ status } = await new ScanClient(address, key).ended(String(id)));
            const report = await hosted('get_website_report', { id });
            assert.deepEqual([report.status, report.total], ['done', 6]);
            return String(id);
          });
          await withLocalProcess(
            root,
            (local) => work({ local, origin, root, before, scanId: id }),
            { IC_API_KEY: key },
            ['--base-url', address],
          );
        },
        SCAN_ENV,
      );
    });
  });
}

describe('a website, from its scan to lighter images in its sources', { timeout: 300_000 }, () => {
  it('goes all the way and back', async (test) => {
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
    await withStory(async ({ local, origin, root, before, scanId }) => {
      const loaded = await local.call('load_replacement_package', { scan_id: scanId });
      assert.equal(loaded.scan_id, scanId);
      assert.equal(loaded.replacements, 6);

      const found = await local.call('find_references');
      const references = found.references as { raw: string; editable: boolean; reason: string | null }[];
      assert.deepEqual(
        references.filter(({ editable }) => !editable).map(({ raw, reason }) => [raw, reason]),
        [
          // A sentence about the image.
          ['../img/hero.jpg', 'unsupported_type'],
          ['/img/hero.jpg', 'social_image'],
        ],
      );
      assert.deepEqual(found.unmatched, []);

      const plan = await local.call('preview_replacements');
      assert.deepEqual(await snapshot(root), before);
      const summary = plan.summary as Record<string, number>;
      assert.deepEqual([summary.files_changed, summary.images_added, summary.skipped], [3, 6, 2]);
      assert.match(
        String(plan.diff),
        /^\+\.banner \{ background: url\("\.\.\/img\/banner\.webp"\) center \/ cover \}$/m,
      );

      const applied = await local.call('apply_replacements', { plan_id: plan.plan_id, approved: true });
      assert.deepEqual(applied.validation, { ok: true, problems: [] });
      assert.equal((await local.call('validate_replacements')).ok, true);
      const report = await local.call('replacement_report');
      assert.ok(Number(report.bytes_saved) > 0);
      assert.match(String(report.markdown), /6 images added/);

      if (noBrowser) test.diagnostic(`not shown: ${noBrowser}`);
      else {
        assert.deepEqual(await show(`${origin}/`), {
          loaded: ['/img/banner.webp', '/img/hero.webp', '/img/small.webp'],
          broken: [],
        });
        assert.deepEqual(await show(`${origin}/blog/post.html`), {
          loaded: ['/img/drawing.webp', '/img/large.webp'],
          broken: [],
        });
      }

      const { restored, removed, kept } = (await local.call('rollback', { approved: true })) as Structured &
        Record<string, string[]>;
      assert.deepEqual([restored?.length, removed?.length, kept], [3, 6, []]);
      assert.deepEqual(await snapshot(root), before);

      // And with the originals kept for browsers that do not know the new format.
      const pictures = await local.call('preview_replacements', { strategy: 'picture' });
      await local.call('apply_replacements', { plan_id: pictures.plan_id, approved: true });
      assert.equal((await local.call('validate_replacements')).ok, true);
      if (!noBrowser) {
        assert.deepEqual(await show(`${origin}/`), {
          loaded: ['/img/banner.webp', '/img/hero.webp', '/img/small.webp'],
          broken: [],
        });
      }
      await local.call('rollback', { approved: true });
      assert.deepEqual(await snapshot(root), before);
    });
  });
});
