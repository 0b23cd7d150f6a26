import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { before, describe, it } from 'node:test';
import { jpeg, pattern, png } from '../../../support/test-images.ts';
import { createPage, type ScanService, useScanService, withSite } from './scan-desk.ts';

/** Responds with an image and an ETag, or with 304 if the request has that ETag. */
function validated(body: Buffer, etag: string, log: string[]) {
  return (request: IncomingMessage, response: ServerResponse) => {
    const isKnown = request.headers['if-none-match'] === etag;
    log.push(`${request.method} ${isKnown ? 304 : 200}`);
    response.writeHead(isKnown ? 304 : 200, { etag, ...(!isKnown && { 'content-type': 'image/jpeg' }) });
    response.end(isKnown || request.method === 'HEAD' ? undefined : body);
  };
}

describe('repeated scans', { timeout: 300_000 }, () => {
  let desk: ScanService;
  let photo: Buffer;
  const opened = useScanService();
  before(async () => {
    desk = opened();
    photo = await jpeg(pattern(96, 64));
  });

  async function act(id: string, action: string): Promise<void> {
    await desk.client.json(`/api/v1/sites/scans/${id}`, 'PATCH', { action });
    await desk.client.ended(id);
  }

  it('revalidate images that an earlier scan has seen', async () => {
    const asked: string[] = [];
    const changing: string[] = [];
    await withSite(
      { '/': createPage({ images: ['/same.jpg', '/other.jpg', '/bare.jpg'] }), '/bare.jpg': photo },
      async (site) => {
        // A decoder stops at the end of the image.
        const large = Buffer.concat([photo, Buffer.alloc(500_000)]);
        site.files['/same.jpg'] = validated(large, '"a"', asked);
        site.files['/other.jpg'] = validated(photo, '"b"', changing);
        const first = await desk.scan({ url: site.origin });
        site.files['/other.jpg'] = validated(await jpeg(pattern(50, 40)), '"c"', changing);
        const second = await desk.scan({ url: site.origin });
        assert.equal(second.scan.previousScanId, first.scan.id);
        const gets = (log: string[]) => log.filter((one) => one.startsWith('GET'));
        assert.deepEqual(
          [gets(asked), gets(changing)],
          [
            ['GET 200', 'GET 304'],
            ['GET 200', 'GET 200'],
          ],
        );
        const { scanId: _, ...same } = first.assets[0]!;
        const { scanId: __, ...again } = second.assets[0]!;
        assert.deepEqual(again, same);
        assert.equal(again.status, 'ready');
        assert.deepEqual([second.assets[1]?.width, second.assets[2]?.width], [50, 96]);
        const [bytes, bytesAgain] = [first, second].map(({ scan }) => Number(scan.bytesFetched));
        assert.ok(bytes! > 500_000 && bytesAgain! < 100_000, `${bytes} ${bytesAgain}`);
        // The original is fetched when it is to be converted.
        const third = await desk.scan({ url: site.origin, optimize: 'auto', settings: { min_savings_bytes: 0 } });
        assert.equal(third.assets[0]?.status, 'optimized');
        assert.deepEqual(gets(asked).slice(2), ['GET 304', 'GET 200']);
      },
    );
  });

  it('retry failed images within their limit, failed pages and style sheets', async () => {
    const images = Array.from({ length: 29 }, (_, index) => `/${index}.png`);
    await withSite({}, async (site) => {
      const body = await png(pattern(8, 8));
      for (const [index, path] of images.entries()) site.files[path] = index < 6 ? { status: 500 } : body;
      const head = '<link rel="stylesheet" href="/a.css">';
      site.files['/'] = createPage({ images, head, links: ['/broken'] });
      site.files['/broken'] = { status: 500 };
      site.files['/a.css'] = { status: 500 };
      const before = await desk.scan({ url: site.origin });
      const id = String(before.scan.id);
      const statuses = ({ assets }: typeof before) => assets.map(({ status }) => status).join();
      const expected = (...parts: [string, number][]) =>
        parts.flatMap(([status, times]) => Array<string>(times).fill(status)).join();
      assert.equal(statuses(before), expected(['failed', 6], ['ready', 18], ['skipped', 5]));
      assert.equal(before.pages[1]?.attention, '["failed"]');
      for (const path of images) site.files[path] = body;
      site.files['/a.css'] = 'p { background: url(/0.png) }';
      site.files['/broken'] = { status: 301, headers: { location: '/' } };
      await act(id, 'retry');
      const after = desk.rows(id);
      assert.equal(statuses(after), expected(['ready', 24], ['skipped', 5]));
      assert.deepEqual([after.pages[1]?.status, after.pages[1]?.attention], ['skipped', '[]']);
      assert.equal(after.sources.find(({ kind }) => kind === 'stylesheet')?.status, 'read');
    });
  });
});
