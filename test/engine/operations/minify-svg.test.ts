import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { corpus, corpusFiles, corpusSkipReason } from '../../support/corpus.ts';
import { testEngine } from '../../support/engine.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { decode, difference } from '../../support/test-images.ts';

async function minify(file: Uint8Array): Promise<Buffer> {
  const engine = await testEngine();
  const { data } = await engine.run('minify-svg', { image: { data: new Uint8Array(file).buffer } });
  return Buffer.from(data);
}

/** Draws the SVG at 512 pixels, even if it declares a smaller size. */
async function draw(svg: Uint8Array): Promise<Buffer> {
  const { width, height } = await sharp(svg).metadata();
  const density = Math.max(1, Math.min(100_000, (72 * 512) / Math.max(width, height)));
  return await sharp(svg, { density }).resize(512, 512, { fit: 'fill' }).png().toBuffer();
}

const svg = (content: string, viewBox = '0 0 512 512') =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="${viewBox}">${content}</svg>`);

async function assertDrawnAlike(before: Buffer, after: Buffer, what: string): Promise<void> {
  const { max, mean } = difference(await decode(await draw(before)), await decode(await draw(after)));
  assert.ok(max <= 24 && mean < 0.1, `${what}: ${max}, ${mean}`);
}

describe('minifying SVG', () => {
  it('removes what is not drawn', { skip: nightlyOnly }, async () => {
    const small = await minify(
      Buffer.from(
        '<?xml version="1.0"?>\n<!-- by hand -->\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">\n  <path d="M 0.0000 0.0000 L 8.0000 8.0000"/>\n</svg>',
      ),
    );
    assert.equal(
      small.toString(),
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="m0 0 8 8"/></svg>',
    );
  });

  it('keeps what another file may reference: the symbols of a sprite', async () => {
    const sprite =
      '<svg xmlns="http://www.w3.org/2000/svg" style="display:none"><symbol id="arrow" viewBox="0 0 8 8"><path class="line" d="M0 0h8"/></symbol></svg>';
    const small = (await minify(Buffer.from(sprite))).toString();
    for (const kept of ['<symbol', 'id="arrow"', 'viewBox="0 0 8 8"', 'class="line"'])
      assert.ok(small.includes(kept), small);
  });

  it('renders real files as before', { skip: corpusSkipReason || nightlyOnly }, async () => {
    const files = corpusFiles('svg').filter((path) => path.endsWith('.svg'));
    assert.ok(files.length > 10);
    for (const path of files) {
      const file = corpus(path)!;
      const small = await minify(file);
      assert.ok(small.length <= file.length, path);
      await assertDrawnAlike(Buffer.from(file), small, path);
    }
  });

  it('keeps small units precise enough for a large image', async () => {
    const wave = Array.from(
      { length: 40 },
      (_, at) => `L${(at / 40 + 0.000_123).toFixed(6)} ${(0.5 + 0.4 * Math.sin(at)).toFixed(6)}`,
    ).join('');
    const d = `M0.000512 0.500768${wave}L0.001234 0.500768`;
    for (const [what, drawing] of [
      ['a small view box', svg(`<path d="${d}"/>`, '0 0 1 1')],
      ['a scale', svg(`<g transform="scale(512)"><path d="${d}"/></g>`)],
      ['a matrix', svg(`<g transform="matrix(512 0 0 512 0 0)"><path d="${d}"/></g>`)],
      ['nested scales', svg(`<g transform="scale(32)"><g transform="scale(16)"><path d="${d}"/></g></g>`)],
      ['a rule', svg(`<style>path{transform:scale(512)}</style><path d="${d}"/>`)],
      ['a symbol', svg(`<symbol id="a" viewBox="0 0 1 1"><path d="${d}"/></symbol><use href="#a"/>`)],
      [
        'a clip',
        svg(
          `<clipPath id="a" clipPathUnits="objectBoundingBox"><path d="${d}"/></clipPath><rect width="512" height="512" clip-path="url(#a)"/>`,
        ),
      ],
      [
        'a marker',
        svg(
          `<marker id="a" overflow="visible"><path d="${d}"/></marker><path d="M0 0h9" stroke-width="512" marker-start="url(#a)"/>`,
        ),
      ],
    ] as const)
      await assertDrawnAlike(drawing, await minify(drawing), what);
  });

  it('rounds where it is invisible', async () => {
    const path = '<path d="M1.23456789 2.3456789L400.123456 300.123456L20.1234567 500.1234567z"/>';
    const rounded = '<path d="m1.235 2.346 398.888 297.777-380 200z"/>';
    assert.equal((await minify(svg(path))).toString(), svg(rounded).toString());
    const turned = `<g transform="rotate(9) matrix(.8 .6 -.6 .8 1 2) scale(1 -1)">${path}</g>`;
    assert.ok((await minify(svg(turned))).includes('m1.235 2.346'));
  });

  it('keeps the ends and corners of lines whose stroke is set elsewhere', async () => {
    const drawing = svg(
      '<defs><path id="a" fill="none" d="M100 100h300v300L100 100M50 450h0"/></defs><use href="#a" stroke="#000" stroke-width="60" stroke-linecap="round"/>',
    );
    await assertDrawnAlike(drawing, await minify(drawing), 'use');
  });

  it('keeps names that look like numbers', async () => {
    const small = (await minify(svg('<path id="1.50" class="007" d="M0 0h8"/>'))).toString();
    assert.ok(small.includes('id="1.50"') && small.includes('class="007"'), small);
  });

  it('does not change files that are not UTF-8, are compressed, declare entities or contain HTML', async () => {
    const text = '<svg xmlns="http://www.w3.org/2000/svg">   <text>Preg\u00f3n</text>   </svg>';
    for (const file of [
      Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]),
      Buffer.from(text, 'latin1'),
      Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${text}`, 'latin1'),
      Buffer.from(`<?xml version='1.0' encoding='windows-1250'?>${text}`, 'latin1'),
      Buffer.from(`\ufeff${text}`, 'utf16le'),
      Buffer.from(`<!DOCTYPE svg [<!ENTITY a "&#38;b;"><!ENTITY b "&#38;a;">]>${text}`),
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><foreignObject><b>a</b> <i>b</i></foreignObject></svg>'),
    ])
      assert.deepEqual(await minify(file), file);
  });

  it('reads UTF-8 with a byte order mark and a declaration', async () => {
    const small = await minify(
      Buffer.from('\ufeff<?xml version="1.0" encoding="utf-8"?><svg><text>\u010d</text></svg>'),
    );
    assert.equal(small.toString(), '<svg><text>\u010d</text></svg>');
  });

  it('rejects invalid XML and empty input', async () => {
    for (const text of ['<svg', '<svg><g></svg>', ''])
      await assert.rejects(minify(Buffer.from(text)), { code: 'corrupt_image' }, text);
  });
});
