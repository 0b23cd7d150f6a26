import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { corpus, corpusFiles, noCorpus } from '../../support/corpus.ts';
import { testEngine } from '../../support/engine.ts';
import { decode, difference } from '../../support/pictures.ts';

async function minify(file: Uint8Array): Promise<Buffer> {
  const engine = await testEngine();
  const { data } = await engine.run('minify-svg', { image: { data: new Uint8Array(file).buffer } });
  return Buffer.from(data);
}

const draw = (svg: Uint8Array) => sharp(svg).resize(256, 256, { fit: 'fill' }).png().toBuffer();

describe('minifying SVG', () => {
  it('takes away what is not drawn', async () => {
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

  it('keeps what another file may name: the symbols of a sprite', async () => {
    const sprite =
      '<svg xmlns="http://www.w3.org/2000/svg" style="display:none"><symbol id="arrow" viewBox="0 0 8 8"><path class="line" d="M0 0h8"/></symbol></svg>';
    const small = (await minify(Buffer.from(sprite))).toString();
    for (const kept of ['<symbol', 'id="arrow"', 'viewBox="0 0 8 8"', 'class="line"'])
      assert.ok(small.includes(kept), small);
  });

  it('draws real files as before', { skip: noCorpus }, async () => {
    const files = corpusFiles('svg').filter((path) => path.endsWith('.svg'));
    assert.ok(files.length > 10);
    for (const path of files) {
      const file = corpus(path)!;
      const small = await minify(file);
      assert.ok(small.length <= file.length, path);
      const { max } = difference(await decode(await draw(file)), await decode(await draw(small)));
      assert.ok(max <= 8, `${path}: ${max}`);
    }
  });

  it('leaves packed ones as they are', async () => {
    const packed = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
    assert.deepEqual(await minify(packed), packed);
  });

  it('refuses what is no XML, and nothing', async () => {
    for (const text of ['<svg', '<svg><g></svg>', ''])
      await assert.rejects(minify(Buffer.from(text)), { code: 'corrupt_image' }, text);
  });
});
