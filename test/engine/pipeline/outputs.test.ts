/** Several results of one pipeline, each compared with the pipeline that makes it alone. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unzipSync } from 'fflate';
import sharp from 'sharp';
import type { OutputFormat } from '../../../codecs/formats/registry.ts';
import { outputSizes } from '../../../engine/pipeline/outputs.ts';
import { decode, difference, jpeg, pattern, png } from '../../support/test-images.ts';
import { pipeline, type RawStep, runOutputs } from './support.ts';

const PIXEL_STEPS: readonly RawStep[] = [
  { op: 'crop', params: { crop_ratio: '1:1' } },
  { op: 'border', params: { border: 8, border_color: '#ff0000' } },
];
const resize = (width: number): RawStep => ({ op: 'resize', params: { width } });
const compress = (params: object): RawStep => ({ op: 'compress', params });
const bytesOf = (data: ArrayBuffer | undefined) => new Uint8Array(data!);
const sizesOf = (files: readonly { format: string; width: number; height: number }[]) =>
  files.map(({ format, width, height }) => `${format} ${width}x${height}`);

/** A GIF of three frames. */
async function animation(): Promise<Buffer> {
  const frames = Buffer.concat(
    ['#ff0000', '#00ff00', '#0000ff']
      .map((colour) => Buffer.from(colour.slice(1), 'hex'))
      .map((rgb) => Buffer.alloc(40 * 30 * 3, rgb)),
  );
  return await sharp(frames, { raw: { width: 40, height: 90, channels: 3, pageHeight: 30 } })
    .gif({ delay: [50, 60, 70] })
    .toBuffer();
}

describe('outputs', () => {
  it('makes every width in every format, each as the pipeline alone with a resize would', async () => {
    const source = await png(pattern(300, 200));
    const { outputs, steps } = await runOutputs(source, [...PIXEL_STEPS, compress({ quality: 60 })], {
      widths: [150, 60],
      formats: ['webp', 'jpeg', 'png'],
    });
    assert.deepEqual(sizesOf(outputs), [
      ...['webp 60x60', 'jpeg 60x60', 'png 60x60'],
      ...['webp 150x150', 'jpeg 150x150', 'png 150x150'],
    ]);
    assert.deepEqual(
      steps.map(({ op, width }) => [op, width]),
      [
        ['crop', 200],
        ['border', 216],
        ['compress', 216],
      ],
    );
    for (const { width, format, data } of outputs) {
      const alone = await pipeline(source, [...PIXEL_STEPS, resize(width), compress({ quality: 60, format })]);
      assert.deepEqual(Buffer.from(bytesOf(data)), alone.bytes, `${format} ${width}`);
    }
  });

  it('scales a JPEG that its decoder has shrunk', async () => {
    const source = await jpeg(pattern(1200, 800));
    const { outputs } = await runOutputs(source, [], { widths: [50, 100, 290], formats: ['png'], mode: 'lossless' });
    // sharp would let the decoder shrink a JPEG to each size.
    const whole = await sharp(source).png().toBuffer();
    for (const { width, data } of outputs) {
      const expected = await decode(await sharp(whole).resize(width).png().toBuffer());
      const { mean, max } = difference(await decode(bytesOf(data)), expected);
      assert.ok(mean < 1.5 && max < 8, `${width}: mean ${mean}, max ${max}`);
    }
  });

  it('never enlarges: all widths from that of the image on give one result', async () => {
    const { outputs } = await runOutputs(await png(pattern(100, 50)), [], {
      widths: [100, 40, 300, 2000],
      formats: ['webp'],
    });
    assert.deepEqual(sizesOf(outputs), ['webp 40x20', 'webp 100x50']);
    assert.deepEqual(outputSizes({ width: 3, height: 1000 }, { widths: [1, 2] }), [
      { width: 1, height: 333 },
      { width: 2, height: 667 },
    ]);
  });

  it('renders a drawing at the widest size', async () => {
    const drawing =
      '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><path d="M0 0L20 10V0z" fill="#00f"/></svg>';
    const rotated = [{ op: 'rotate', params: { rotate: 180 } }];
    const { outputs } = await runOutputs(Buffer.from(drawing), rotated, {
      widths: [400, 100],
      formats: ['png'],
      mode: 'lossless',
    });
    assert.deepEqual(sizesOf(outputs), ['png 100x50', 'png 400x200']);
    const { data, width, channels } = await decode(bytesOf(outputs[1]!.data));
    // The edge of the triangle is as sharp as at this size: at most a few pixels of each row are partly covered.
    const row = Array.from({ length: width }, (_, x) => data[(100 * width + x) * channels + 3]!);
    assert.ok(row.filter((alpha) => alpha > 0 && alpha < 255).length <= 4, row.join(' '));
  });

  it('keeps the frames of an animation in the formats that move', async () => {
    const { outputs, warnings } = await runOutputs(await animation(), [], { widths: [20], formats: ['webp', 'jpeg'] });
    const pages = await Promise.all(outputs.map(async ({ data }) => (await sharp(bytesOf(data)).metadata()).pages));
    assert.deepEqual(pages, [3, undefined]);
    assert.deepEqual(
      outputs.map((output) => output.warnings),
      [[], ['animation_flattened']],
    );
    assert.deepEqual(warnings, ['animation_flattened']);
    const [red, green] = (await decode(bytesOf(outputs[1]!.data))).data;
    assert.ok(red! > 240 && green! < 15, 'the first frame');
  });

  it('flattens transparency only in the formats without it', async () => {
    const { outputs } = await runOutputs(await png(pattern(40, 30, 4)), [compress({ background: '#00ff00' })], {
      widths: [40],
      formats: ['png', 'jpeg'],
    });
    assert.deepEqual(
      outputs.map(({ warnings }) => warnings),
      [[], ['alpha_flattened']],
    );
    assert.equal((await sharp(bytesOf(outputs[0]!.data)).metadata()).hasAlpha, true);
    const { data, width, channels } = await decode(bytesOf(outputs[1]!.data));
    const at = (width - 1) * channels;
    assert.ok(data[at + 1]! > 200 && data[at]! < 60, 'the background');
  });

  it('keeps the source at its own width in its own format where no encoding is smaller', async () => {
    const source = await sharp(await png(pattern(160, 120)))
      .jpeg({ quality: 20 })
      .toBuffer();
    const { outputs } = await runOutputs(source, [], { widths: [80, 160], formats: ['jpeg'], quality: 95 });
    assert.equal(outputs[1]!.outcome, 'kept_original');
    assert.deepEqual(await decode(bytesOf(outputs[1]!.data)), await decode(source));
  });

  it('keeps 16 bits only if every format has them', async () => {
    const deep = await sharp(await png(pattern(40, 30)))
      .toColourspace('rgb16')
      .png()
      .toBuffer();
    const depth = async (formats: OutputFormat[]) => {
      const { outputs, warnings } = await runOutputs(deep, [compress({ mode: 'lossless' })], {
        widths: [20],
        formats: formats as never,
      });
      return [(await sharp(bytesOf(outputs[0]!.data)).metadata()).depth, warnings];
    };
    assert.deepEqual(await depth(['png']), ['ushort', []]);
    assert.deepEqual(await depth(['png', 'webp']), ['uchar', ['depth_reduced']]);
  });

  it('takes the quality of each format from outputs, otherwise from the compress step', async () => {
    const source = await png(pattern(200, 150));
    const bytes = async (quality: object | number | undefined, step = 90) => {
      const { outputs } = await runOutputs(source, [compress({ quality: step, metadata: 'keep' })], {
        widths: [150],
        formats: ['webp', 'jpeg'],
        ...(quality === undefined ? {} : { quality: quality as never }),
      });
      return outputs.map((output) => output.bytes);
    };
    const [high, low] = [await bytes(undefined), await bytes(undefined, 30)];
    assert.ok(low[0]! < high[0]! && low[1]! < high[1]!);
    assert.deepEqual(await bytes(30), low);
    assert.deepEqual(await bytes({ jpeg: 30 }), [high[0], low[1]]);
  });

  it('packs the files under their names, with the markup that shows them', async () => {
    const { data, outputs, markup } = await runOutputs(
      await png(pattern(90, 60)),
      [],
      { widths: [30, 60], formats: ['jpeg', 'webp'] },
      { isPacked: true, sourceName: 'my, photo.png' },
    );
    const files = unzipSync(bytesOf(data));
    assert.deepEqual(Object.keys(files), [
      'picture.html',
      ...['my, photo-30.jpg', 'my, photo-30.webp', 'my, photo-60.jpg', 'my, photo-60.webp'],
    ]);
    assert.equal(Buffer.from(files['picture.html']!).toString(), markup);
    assert.deepEqual(
      outputs.map(({ filename, bytes, data: own }) => [filename, bytes, own]),
      Object.entries(files)
        .slice(1)
        .map(([name, content]) => [name, content.length, undefined]),
    );
    assert.equal((await decode(files['my, photo-60.webp']!)).width, 60);
    assert.equal(
      markup.slice(markup.indexOf('<picture>')),
      [
        '<picture>',
        '  <source type="image/webp" srcset="my%2C%20photo-30.webp 30w, my%2C%20photo-60.webp 60w" sizes="100vw">',
        '  <img src="my%2C%20photo-60.jpg" srcset="my%2C%20photo-30.jpg 30w, my%2C%20photo-60.jpg 60w" sizes="100vw" width="60" height="40" alt="">',
        '</picture>',
        '',
      ].join('\n'),
    );
  });

  it('predicts each result, exactly where the source is kept', async () => {
    const source = await jpeg(pattern(160, 120), 50);
    const target = source.length + 10_000;
    const { plan, outputs } = await runOutputs(source, [compress({ target_bytes: target })], {
      widths: [80, 160],
      formats: ['jpeg'],
    });
    assert.deepEqual(
      plan.outputs.map(({ predicted }) => predicted.basis),
      ['target', 'exact'],
    );
    assert.equal(outputs[1]!.bytes, plan.outputs[1]!.predicted.bytes);
  });

  it('computes the perceptual hash of the source once', async () => {
    const source = await png(pattern(90, 60));
    const outputs = { widths: [30, 60], formats: ['jpeg' as const] };
    const { fingerprint } = await runOutputs(source, [compress({ fingerprint: true })], outputs);
    const alone = await pipeline(source, [compress({ fingerprint: true, format: 'jpeg' })]);
    assert.equal(fingerprint, alone.fingerprint);
    assert.equal((await runOutputs(source, [], outputs)).fingerprint, undefined);
  });
});
