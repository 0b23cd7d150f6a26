import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { buildPackage } from '../../../../server/sites/package/build.ts';
import { csvLine } from '../../../../server/sites/package/csv.ts';
import { escapeHtml, html } from '../../../../server/sites/package/html.ts';
import { withBrowser } from '../../../support/browser.ts';
import { withFolder } from '../../../support/folder.ts';
import { browserSkipReason } from '../../../support/separate-browser.ts';
import { pattern, sharpOf } from '../../../support/test-images.ts';
import { withScanRows } from './rows.ts';

describe('CSV', () => {
  it('quotes where necessary, and ends lines as in RFC 4180', () => {
    assert.equal(
      csvLine(['a', 1, null, 'b,c', 'say "x"', 'two\nlines', 0.5]),
      'a,1,,"b,c","say ""x""","two\nlines",0.5\r\n',
    );
  });

  it('neutralizes formulas, and leaves numbers alone', () => {
    const cells = ['=1+1', '+1', '-1', '@a', '\tb', '\rc', 'a=1', -5];
    assert.equal(csvLine(cells), `'=1+1,'+1,'-1,'@a,'\tb,"'\rc",a=1,-5\r\n`);
  });
});

describe('HTML', () => {
  it('escapes values, and removes invisible and bidirectional characters', () => {
    assert.equal(escapeHtml(`<a href="x" title='y'>&`), '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;');
    assert.equal(escapeHtml('a\u202egpj.exe\u0000\u200bb'), 'a gpj.exe b');
    assert.equal(
      html`<p>${'<'}${html`<b>${1}</b>`}${['&', false, null, undefined]}</p>`.html,
      '<p>&lt;<b>1</b>&amp;</p>',
    );
  });
});

/** Texts that a hostile website may contain. */
const HOSTILE = [
  '<script>document.title="run"</script>',
  '"><img src=x onerror=document.title="run">',
  "'-document.write('run')-'",
  '</style><svg onload=document.title="run">',
  '{{7*7}}<%= 7*7 %>',
];

describe('the reports', () => {
  it('show hostile titles and URLs as text, and make no requests', {
    skip: browserSkipReason,
  }, async () => {
    await withScanRows(async (rows) => {
      await rows.scan();
      const image = await sharpOf(pattern(300, 200)).webp().toBuffer();
      for (const [index, text] of HOSTILE.entries()) {
        await rows.page(`https://example.com/${index}?${text}`, { title: text, imageBytes: 5000, bytesSaved: 100 });
        const seq = await rows.mapped(`https://example.com/${index}.jpg?${text}`, image, { bytes: 50_000 });
        await rows.finding(seq, 'wrong_format', 'warning', 1000);
      }
      const broken = await rows.asset('javascript:document.title="run"', { status: 'failed' });
      await rows.finding(broken, 'broken', 'error');
      await buildPackage(await rows.context());
      await withFolder(async (folder) => {
        const path = join(folder, 'report.html');
        await writeFile(path, await rows.download('report.html'));
        await withBrowser(async ({ page }) => {
          const asked: string[] = [];
          const wrong: string[] = [];
          page.on('request', (request) => asked.push(request.url()));
          page.on('console', (message) => wrong.push(message.text()));
          page.on('pageerror', (error) => wrong.push(error.message));
          for (const width of [360, 1280]) {
            await page.setViewportSize({ width, height: 800 });
            await page.goto(pathToFileURL(path).href);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth);
            assert.equal(wide, width);
          }
          assert.equal(await page.title(), 'Images of example.com, 22 November 2026');
          assert.deepEqual(wrong, []);
          assert.deepEqual(
            asked.filter((url) => !url.startsWith('data:image/webp') && !url.startsWith('file:')),
            [],
          );
          const shown = await page.locator('body').textContent();
          for (const text of HOSTILE) assert.ok(shown?.includes(text), text);
          assert.equal(await page.locator('script, svg, iframe, object, form').count(), 0);
          assert.equal(await page.locator('a:not([href^="https://example.com/"])').count(), 0);
          // Each new file is shown as a thumbnail.
          assert.equal(await page.locator('.thumb img').count(), HOSTILE.length);
          const sizes = await page
            .locator('.thumb img')
            .evaluateAll((images) => (images as HTMLImageElement[]).map(({ naturalWidth }) => naturalWidth));
          assert.deepEqual(new Set(sizes), new Set([160]));
        });
      });
    });
  });

  it('say what was found, and how much it saves', async () => {
    await withScanRows(async (rows) => {
      await rows.scan();
      await rows.page('https://example.com/', { imageBytes: 2_000_000, bytesSaved: 1_638_400 / 8 });
      const seq = await rows.mapped('https://example.com/hero.jpg', 'x'.repeat(250_000), { bytes: 1_000_000 });
      await rows.finding(seq, 'gps_metadata', 'error', 2000);
      await rows.finding(seq, 'missing_srcset', 'notice');
      await rows.asset('https://example.com/plain.png', { bytes: 1_000_000, skipReason: 'no_gain', status: 'skipped' });
      await buildPackage(await rows.context());
      const report = (await rows.downloadText('report.html')).replaceAll('\u00a0', ' ');
      for (const part of ['<b>2.00 MB</b>', '<b>1.25 MB</b>', '<b>38%</b>', '<b>1.0 s</b>', '−75%', '2.00 kB'])
        assert.ok(report.includes(part), part);
      assert.ok(report.indexOf('Photographs that tell') < report.indexOf('Large images without'));
      const csv = (await rows.downloadText('report.csv')).split('\r\n');
      assert.equal(csv.length, 4);
      assert.match(
        csv[1]!,
        /^1,https:\/\/example\.com\/hero\.jpg,raster,optimized,,jpeg,1000000,.*,750000,75,true,auto,0,0,gps_metadata missing_srcset,$/,
      );
      assert.match(csv[2]!, /^2,.*,skipped,no_gain,.*,false,auto,0,0,,$/);
    });
  });
});
