/** The check `rendered` of validate_replacements, with real pages in Chromium. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { noBrowser } from '../../../support/browser.ts';
import { type DeskOptions, type Files, type LocalDesk, photo, type Structured, withLoaded } from './desk.ts';

interface Validation extends Structured {
  ok: boolean;
  checks: { name: string; ok: boolean; details: string }[];
  problems: { file: string; line: number | null; code: string; message: string }[];
}

const HERE: DeskOptions = { env: process.env };

async function apply(desk: LocalDesk, strategy = 'swap'): Promise<void> {
  const { plan_id } = await desk.call('preview_replacements', { strategy });
  await desk.call('apply_replacements', { plan_id, approved: true });
}

async function validate(desk: LocalDesk) {
  const validation = (await desk.call('validate_replacements')) as Validation;
  return { ...validation, rendered: validation.checks.find(({ name }) => name === 'rendered')! };
}

const PAGE = (head: string, body: string) => `<!doctype html><html><head>${head}</head><body>${body}</body></html>`;

describe('the check rendered', { skip: noBrowser }, () => {
  it('passes where pages look as before, and sends no request', async () => {
    const data = await photo(50);
    let asked = 0;
    const other = createServer((_, response) => {
      asked += 1;
      response.end();
    });
    other.on('upgrade', (_, socket) => {
      asked += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(other.address() as AddressInfo).port}`;
    const body = `<div style="display: flex; gap: 16px"><img src="/a.jpg"><b>x</b></div>
      <div style="height: 5000px"></div><img src="../a.jpg" loading="lazy"><img src="http://${host}/x.png">
      <script>
        fetch('http://${host}/fetch').catch(() => {});
        new WebSocket('ws://${host}/');
        document.body.append(new Image(10, 20));
      </script>`;
    const files: Files = { 'a.jpg': data, 'blog/index.html': PAGE('<link rel="preconnect" href="/">', body) };
    try {
      for (const strategy of ['swap', 'picture']) {
        await withLoaded(
          files,
          [{ at: '/a.jpg', data }],
          async (desk) => {
            await apply(desk, strategy);
            const { ok, rendered, problems } = await validate(desk);
            assert.deepEqual([ok, problems], [true, []]);
            assert.match(
              rendered.details,
              /^1 pages at 360, 1440, 2560 px: 0 problems, at most \d\.\d\d% of the pixels differ$/,
            );
          },
          HERE,
        );
      }
      assert.equal(asked, 0);
    } finally {
      other.close();
    }
  });

  it('finds a page whose layout changes', async () => {
    const data = await photo(51);
    const files: Files = { 'a.jpg': data, 'index.html': PAGE('', '<p>x</p><img src="a.jpg"><p>y</p>') };
    await withLoaded(
      files,
      [{ at: '/a.jpg', data, isResized: true }],
      async (desk) => {
        await apply(desk);
        const { ok, rendered, problems } = await validate(desk);
        assert.deepEqual([ok, rendered.ok], [false, false]);
        assert.deepEqual(
          problems.map(({ file, line, code }) => [file, line, code]),
          [360, 1440, 2560].map(() => ['index.html', null, 'layout_changed']),
        );
        assert.match(
          problems[0]!.message,
          /^At 360 px image 1 \(a\.webp\) is 58 x [\d.]+ px at [\d., ]+ instead of 115 x 48 px at [\d., ]+\.$/,
        );
      },
      { ...HERE, scannedPages: ['https://example.com/'] },
    );
  });

  it('finds a page that looks different, also by a style sheet', async () => {
    const data = await photo(52);
    const files: Files = {
      'a.jpg': data,
      'site.css': 'body { height: 800px; background: url(a.jpg) 0 0 / cover }',
      'index.html': PAGE('<link rel="stylesheet" href="site.css">', 'x'),
    };
    await withLoaded(
      files,
      [{ at: '/a.jpg', data }],
      async (desk) => {
        await apply(desk);
        assert.equal((await validate(desk)).rendered.ok, true);
        const { width, height } = await sharp(data).metadata();
        const red = sharp({ create: { width, height, channels: 3, background: '#f00' } });
        await writeFile(join(desk.folder, 'a.webp'), await red.webp().toBuffer());
        const { problems } = await validate(desk);
        const found = problems.filter(({ file }) => file === 'index.html');
        assert.deepEqual(
          found.map(({ code }) => code),
          ['looks_different', 'looks_different', 'looks_different'],
        );
        assert.match(found[0]!.message, /^At 360 px \d+\.\d\d% of the pixels differ\.$/);
      },
      HERE,
    );
  });

  it('says of which pages it knows nothing', async () => {
    const data = await photo(53);
    const random = '<img src="a.jpg"><script>document.body.style.paddingTop = Math.random() * 900 + "px"</script>';
    const files: Files = { 'a.jpg': data, 'a.html': PAGE('', random) };
    for (let page = 1; page <= 10; page++) files[`b${page}.html`] = PAGE('', '<img src="a.jpg">');
    await withLoaded(
      files,
      [{ at: '/a.jpg', data }],
      async (desk) => {
        await apply(desk);
        const { ok, rendered } = await validate(desk);
        assert.equal(ok, true);
        // Of ten at most, as many as there is time for.
        const [, compared, left] = /^(\d+) pages at .*; (\d+) more pages were left out; /.exec(rendered.details)!;
        assert.equal(Number(compared) + Number(left), 10);
        assert.ok(Number(left) >= 1);
        assert.match(rendered.details, /; not rendered: a\.html \(it looks otherwise each time\)$/);
      },
      HERE,
    );
  });
});

describe('pages that are not rendered', () => {
  it('are told, with the reason', async () => {
    const data = await photo(54);
    const cases: [Files, DeskOptions, RegExp][] = [
      [{ 'a.html': '<img src="/a.jpg">' }, { env: {} }, /^not rendered: Chromium was not found: /],
      [{ 'a.jsx': 'export const a = <img src="/a.jpg" />;' }, HERE, /^not rendered: no edited file is a page of plain/],
      [{ 'a.html': '<img src="/a.jpg">{{ more }}' }, HERE, /^not rendered: no edited file is a page of plain HTML/],
    ];
    for (const [files, options, expected] of cases) {
      await withLoaded(
        { 'a.jpg': data, ...files },
        [{ at: '/a.jpg', data }],
        async (desk) => {
          await apply(desk);
          const { ok, rendered } = await validate(desk);
          assert.equal(ok, true);
          assert.match(rendered.details, expected);
        },
        options,
      );
    }
  });
});
