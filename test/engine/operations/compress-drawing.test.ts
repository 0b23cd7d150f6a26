/** SVG to SVG: smaller, with the same appearance. The independent renderer is librsvg, through sharp. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import sharp from 'sharp';
import {
  isVisuallyEqual,
  largestDifference,
  type Preview,
} from '../../../engine/operations/compress/drawing/sketch.ts';
import { corpus, corpusFiles, corpusSkipReason } from '../../support/corpus.ts';
import { type CompressOptions, compress } from '../../support/engine.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { pipeline } from '../pipeline/support.ts';

const DRAWING = `<?xml version="1.0" encoding="UTF-8"?>
<!-- made by Ann -->
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"
     width="60" height="40" viewBox="0 0 60 40" inkscape:export-filename="/home/ann/logo.png">
  <metadata>Ann's metadata</metadata>
  <title>A logo</title>
  <script>console.log("kept")</script>
  <rect width="60" height="40" fill="#123456"/>
  <path id="mark" d="M 10.000000,10.000000 L 50.000000,10.000000 L 30.000000,35.000000 Z" fill="#ffcc00" onclick="kept()"/>
</svg>
`;
const svg = (content: string) =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40">\n  ${content}\n</svg>\n`);

/** Draws a file with our own renderer. */
async function draw(file: Uint8Array, width: number): Promise<Buffer> {
  const { bytes } = await compress(file, { format: 'png', mode: 'lossless', width });
  return await sharp(bytes).ensureAlpha().raw().toBuffer();
}

async function assertDrawnAlike(before: Uint8Array, after: Uint8Array, width: number, what: string): Promise<void> {
  for (const scale of [1, 2]) {
    const [a, b] = [await draw(before, width * scale), await draw(after, width * scale)];
    const difference = a.length === b.length ? largestDifference({ data: a }, { data: b }) : Infinity;
    assert.ok(difference <= 16, `${what} at ${scale}x: ${difference}`);
  }
}

describe('compressing an SVG', () => {
  it('returns a smaller SVG of the same size, with its scripts and its title', async () => {
    const source = Buffer.from(DRAWING);
    const { bytes, ...result } = await compress(source);
    const { format, width, height, outcome, warnings, dpi } = result;
    assert.deepEqual([format, width, height, outcome, warnings, dpi], ['svg', 60, 40, 'reduced', [], null]);
    assert.ok(bytes.length < source.length);
    for (const kept of ['<script>', 'onclick="kept()"', 'id="mark"', '<title>A logo</title>', 'viewBox'])
      assert.ok(bytes.includes(kept), kept);
    await assertDrawnAlike(source, bytes, 60, 'the drawing');
  });

  it('removes metadata, comments and editor data, unless they are to be kept', async () => {
    const traces = ['Ann', 'metadata>', 'inkscape'];
    for (const metadata of ['strip', 'color', 'no_gps'] as const) {
      const { bytes, warnings } = await compress(Buffer.from(DRAWING), { metadata });
      for (const trace of traces) assert.ok(!bytes.includes(trace), `${metadata}: ${trace}`);
      assert.deepEqual(warnings, metadata === 'no_gps' ? ['metadata_dropped'] : []);
    }
    const { bytes, outcome } = await compress(Buffer.from(DRAWING), { metadata: 'keep' });
    for (const trace of [...traces, 'made by Ann', '/home/ann']) assert.ok(bytes.includes(trace), trace);
    assert.equal(outcome, 'reduced');
  });

  it('removes them also where svgo must not change the SVG', async () => {
    const foreign = svg('<!-- Ann --><rect width="9" height="9"/><foreignObject><b>a</b> <i>b</i></foreignObject>');
    const { bytes, outcome } = await compress(foreign);
    assert.equal(bytes.toString(), foreign.toString().replace('<!-- Ann -->', ''));
    assert.equal(outcome, 'kept_original');
    const commented = Buffer.concat([Buffer.from('<!-- Ann -->'), bytes]);
    assert.equal((await compress(commented)).bytes.toString(), bytes.toString());
    const kept = await compress(foreign, { metadata: 'keep' });
    assert.ok(kept.bytes.equals(foreign));
  });

  it('returns the source where nothing can be removed', async () => {
    const small = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="m0 0 8 8V0z"/></svg>',
    );
    const { bytes, outcome, format } = await compress(small);
    assert.deepEqual([format, outcome], ['svg', 'kept_original']);
    assert.ok(bytes.equals(small));
  });

  it('never returns an SVG that looks different', { skip: corpusSkipReason }, async () => {
    // Rounding the paths of this drawing changes samples by up to 47 of 255.
    const logo = corpus('svg/libvips--logo.svg')!;
    const { bytes, outcome } = await compress(logo);
    assert.equal(outcome, 'reduced');
    assert.ok(bytes.equals((await compress(logo, { mode: 'lossless' })).bytes));
  });

  it('renders every file of the corpus as before', { skip: corpusSkipReason || nightlyOnly }, async () => {
    const files = corpusFiles('svg').filter((path) => /\.svgz?$/.test(path));
    assert.ok(files.length > 15);
    for (const path of files) {
      const file = corpus(path)!;
      const { bytes, format, width } = await compress(file);
      assert.equal(format, 'svg', path);
      assert.ok(bytes.length < file.length, path);
      await assertDrawnAlike(file, bytes, width, path);
    }
  });

  it('keeps every pixel in mode lossless', { skip: corpusSkipReason || nightlyOnly }, async () => {
    for (const path of corpusFiles('svg').filter((name) => name.endsWith('.svg'))) {
      const file = corpus(path)!;
      const { bytes, width } = await compress(file, { mode: 'lossless' });
      assert.ok((await draw(file, width)).equals(await draw(bytes, width)), path);
    }
  });

  it('keeps every digit of a number in mode lossless', async () => {
    const path = 'M10.123456 10.234567L50.345678 12.456789 30.567891 35.678912z';
    const source = svg(`<path d="${path}"/>`);
    assert.ok((await compress(source, { mode: 'lossless' })).bytes.includes(path));
    assert.ok(!(await compress(source)).bytes.includes('10.123456'));
  });

  it('becomes a raster image when a parameter needs pixels', async () => {
    const asked: CompressOptions[] = [
      { width: 60 },
      { height: 20 },
      { percent: 100 },
      { max_width: 30 },
      { print_width: 10 },
      { dpi: 300 },
      { crop: '0,0,9,9' },
      { crop_ratio: '1:1' },
      { crop_shape: 'circle' },
      { flip: 'h' },
      { rotate: 90 },
      { brightness: 10 },
      { blur: 5 },
      { border: 1 },
      { watermark_text: 'x' },
      { min_bytes: 5000 },
    ];
    for (const params of asked)
      assert.equal((await compress(Buffer.from(DRAWING), params)).format, 'png', JSON.stringify(params));
    assert.equal((await compress(Buffer.from(DRAWING), { format: 'webp' })).format, 'webp');
    const logo = await sharp({ create: { width: 4, height: 4, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    assert.equal((await compress(Buffer.from(DRAWING), {}, logo)).format, 'png');
    for (const params of [{ max_width: 60 }, { max_height: 1000 }, { quality: 10 }, { mode: 'smart' }] as const)
      assert.equal((await compress(Buffer.from(DRAWING), params)).format, 'svg', JSON.stringify(params));
  });

  it('meets a target as an SVG, otherwise becomes a raster image', async () => {
    const met = await compress(Buffer.from(DRAWING), { target_bytes: 400 });
    assert.deepEqual([met.format, met.outcome], ['svg', 'target_met']);
    assert.equal((await compress(Buffer.from(DRAWING), { target_bytes: 150 })).format, 'png');
  });

  it('returns score and fingerprint', async () => {
    const { similarity, fingerprint } = await compress(Buffer.from(DRAWING), { score: true, fingerprint: true });
    assert.equal(similarity, 1);
    const image = await compress(Buffer.from(DRAWING), { format: 'png', fingerprint: true });
    assert.equal(fingerprint, image.fingerprint);
  });

  it('keeps a compressed file compressed', async () => {
    const packed = gzipSync(DRAWING);
    const { bytes, format, extension, outcome } = await compress(packed);
    assert.deepEqual([format, extension, outcome], ['svg', 'svgz', 'reduced']);
    assert.ok(bytes.length < packed.length);
    assert.ok(gunzipSync(bytes).includes('<title>A logo</title>'));
    await assertDrawnAlike(packed, bytes, 60, 'packed');
  });

  it('reads entities and other encodings', async () => {
    const declared = Buffer.from(
      '<!DOCTYPE svg [<!ENTITY blue "#0000ff"><!ENTITY ns_i "http://ns.adobe.com/AdobeIllustrator/10.0/">]>' +
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:i="&ns_i;" i:viewOrigin="1 2" width="9" height="9"><i:pgf>secret</i:pgf><rect width="9" height="9" fill="&blue;"/></svg>',
    );
    const { bytes } = await compress(declared);
    assert.equal(
      bytes.toString(),
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="#0000ff"/></svg>',
    );
    const wide = Buffer.from(`\ufeff${svg('<text y="20">\u010d</text>')}`, 'utf16le');
    const result = await compress(wide);
    assert.ok(result.bytes.includes('<text y="20">\u010d</text>'));
    await assertDrawnAlike(wide, result.bytes, 60, 'UTF-16');
  });

  it('keeps a style sheet that the file references, and drops what names its editor', async () => {
    const styled = Buffer.concat([Buffer.from('<?xml-stylesheet href="a.css"?><!-- Ann -->'), svg('<rect/>')]);
    const { bytes } = await compress(styled);
    assert.ok(bytes.includes('<?xml-stylesheet href="a.css"?>'));
    assert.ok(!bytes.includes('Ann'));
  });

  it('rejects what cannot be rendered, as before', async () => {
    await assert.rejects(compress(svg('<g>')), { code: 'corrupt_image' });
    await assert.rejects(compress(Buffer.from(DRAWING), { page: 2 }), { code: 'page_out_of_range' });
  });

  it('does not pass a long SVG to svgo, and still returns a result', async () => {
    const many = svg('<!-- Ann --> <path d="M0 0h9"/>'.repeat(30_000));
    const { bytes, outcome, format } = await compress(many);
    assert.deepEqual([format, outcome], ['svg', 'kept_original']);
    assert.ok(!bytes.includes('Ann'));
    assert.ok(bytes.length < many.length);
    assert.equal((await compress(svg(`<desc>${'a'.repeat(4_000_000)}</desc>`))).outcome, 'kept_original');
  });

  it('passes a long SVG to svgo when its elements are in groups', async () => {
    const group = `<g>${'<path d="M0 0h9"/>'.repeat(99)}</g>\n`;
    assert.equal((await compress(svg(group.repeat(210)))).outcome, 'reduced');
  });

  it('needs no pixels of an SVG that declares a very large size', async () => {
    const large = Buffer.from(DRAWING.replace('width="60" height="40"', 'width="30000" height="20000"'));
    const { format, width, height } = await compress(large);
    assert.deepEqual([format, width, height], ['svg', 30_000, 20_000]);
    await assert.rejects(compress(large, { format: 'png' }), { code: 'image_too_large' });
  });
});

describe('two sketches of SVGs', () => {
  const sketch = (...data: number[]): Preview => ({
    data: Uint8Array.from(data),
    width: data.length / 4,
    height: 1,
    drawn: { width: 60, height: 40 },
  });

  it('are equal up to a difference of 16', () => {
    const one = sketch(1, 2, 3, 255, 10, 20, 30, 255);
    assert.equal(isVisuallyEqual(one, sketch(1, 2, 3, 255, 10, 20, 46, 255)), true);
    assert.equal(isVisuallyEqual(one, sketch(1, 2, 3, 255, 10, 20, 47, 255)), false);
    assert.equal(isVisuallyEqual(one, sketch(1, 2, 3, 238, 10, 20, 30, 255)), false);
    assert.equal(isVisuallyEqual(one, sketch(1, 2, 3, 255, 10, 20, 31, 255), 0), false);
    // The colour of transparent pixels is invisible.
    assert.equal(isVisuallyEqual(sketch(1, 2, 3, 0), sketch(200, 2, 3, 0), 0), true);
  });

  it('differ when the SVGs or the sketches have different sizes', () => {
    const one = sketch(1, 2, 3, 255);
    assert.equal(isVisuallyEqual(one, { ...one, drawn: { width: 60, height: 41 } }), false);
    assert.equal(isVisuallyEqual(one, { ...one, drawn: { width: 61, height: 40 } }), false);
    assert.equal(isVisuallyEqual(one, sketch(1, 2, 3, 255, 0, 0, 0, 0)), false);
  });
});

describe('a pipeline on an SVG', () => {
  it('gives the same result as compress when no step needs pixels, and predicts it', async () => {
    const file = Buffer.from(DRAWING);
    const expected = await compress(file);
    for (const steps of [[{ op: 'compress' }], [{ op: 'metadata', params: { metadata: 'strip' } }]]) {
      const { plan, bytes, ...result } = await pipeline(file, steps);
      assert.ok(bytes.equals(expected.bytes));
      const { format, outcome, width, height } = result;
      assert.deepEqual([format, outcome, width, height], ['svg', 'reduced', 60, 40]);
      assert.deepEqual(
        [plan.result.format, plan.result.predicted.bytes, plan.result.predicted.basis],
        ['svg', bytes.length, 'exact'],
      );
    }
    const skipped = [{ op: 'resize', when: { min_width: 1000 }, params: { width: 500 } }, { op: 'compress' }];
    assert.equal((await pipeline(file, skipped)).format, 'svg');
  });

  it('returns a raster image when a step needs pixels', async () => {
    const steps = [{ op: 'flip', params: { flip: 'h' } }, { op: 'compress' }];
    const { plan, format } = await pipeline(Buffer.from(DRAWING), steps);
    assert.deepEqual([plan.result.format, format], ['png', 'png']);
    const dense = await pipeline(Buffer.from(DRAWING), [{ op: 'compress', params: { dpi: 300 } }]);
    assert.deepEqual([dense.format, dense.dpi], ['png', 300]);
  });
});
