import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { jpeg, pattern } from '../../../support/test-images.ts';
import { createPage, type ScanService, type SiteFiles, useScanService, withSite } from './scan-desk.ts';

const IMG = '<img src="/a.jpg" alt="x" width="32" height="20" class="photo">';
const styled = (head: string, body = IMG) => createPage({ head: head + body });
const link = (path: string) => `<link rel="stylesheet" href="${path}">`;

/** Sites whose only image is 32 x 20 by its attributes, and whether that size is certain. */
const SITES: Readonly<Record<string, { files: SiteFiles; isCertain: boolean }>> = {
  'without style sheets': { files: { '/': styled('') }, isCertain: true },
  'with style sheets that widen others': {
    files: { '/': styled(link('/a.css')), '/a.css': '.wide { width: 100% } img { max-width: 100%; height: auto }' },
    isCertain: true,
  },
  'with a style sheet that widens it': {
    files: { '/': styled(link('/a.css')), '/a.css': '.photo { width: 100% !important }' },
    isCertain: false,
  },
  'with an imported one that does': {
    files: { '/': styled(link('/a.css')), '/a.css': '@import "b.css";', '/b.css': 'img { width: 50vw }' },
    isCertain: false,
  },
  'with one that is not there': { files: { '/': styled(link('/a.css')) }, isCertain: false },
  'with a page in the place of one': {
    files: { '/': styled(link('/a.css')), '/a.css': { headers: { 'content-type': 'text/html' }, body: createPage() } },
    isCertain: false,
  },
  'with more imports than are followed': {
    files: {
      '/': styled(link('/1.css')),
      '/1.css': '@import "2.css";',
      '/2.css': '@import "3.css";',
      '/3.css': '@import "4.css";',
      '/4.css': '',
    },
    isCertain: false,
  },
  'with another page that widens it': {
    files: {
      '/': createPage({ head: IMG, links: ['/other'] }),
      '/other': createPage({ head: `<style>img { width: 100% }</style>${IMG}` }),
    },
    isCertain: false,
  },
};

describe('the displayed size of an image', { timeout: 300_000 }, () => {
  let desk: ScanService;
  let photo: Buffer;
  const opened = useScanService();
  before(async () => {
    desk = opened();
    photo = await jpeg(pattern(640, 400));
  });

  for (const [what, { files, isCertain }] of Object.entries(SITES))
    it(`${isCertain ? 'is' : 'is not'} certain ${what}`, async () => {
      await withSite({ ...files, '/a.jpg': photo }, async ({ origin }) => {
        const settings = { min_savings_bytes: 1 };
        const id = await desk.start({ url: origin, optimize: 'auto', settings });
        const scan = await desk.client.ended(id);
        assert.equal(scan.status, 'done', JSON.stringify(scan.error));
        const { assets } = desk.rows(id);
        const [output] = desk.read<{ width: number }>(
          'select width from site_outputs where scan_id = ? and id = ?',
          id,
          'o1',
        );
        // Twice the displayed width if the size is certain, otherwise the original width.
        assert.equal(output?.width, isCertain ? 64 : 640);
        const findings = desk.read<{ code: string }>('select code from site_findings where scan_id = ?', id);
        assert.equal(
          findings.some(({ code }) => code === 'oversized'),
          isCertain,
        );
        assert.equal(assets[0]!.displayedSource, 'attribute');
      });
    });
});
