/** The step `trim`: steps after it see the size that it measures, in a dry run and in a run. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { testEngine, testModelEngine } from '../../support/engine.ts';
import { failureOf } from '../../support/failure.ts';
import { modelsSkipReason } from '../../support/models.ts';
import { decode, difference, flat, pattern, pixel, png, sharpOf } from '../../support/test-images.ts';
import { discImage } from '../remove-background/support.ts';
import { pipeline, plan, type RawStep, reasons, runOutputs, stepsOf } from './support.ts';

const TRIM: RawStep = { op: 'trim' };
const PNG: RawStep = { op: 'convert', params: { format: 'png', quality: 100 } };
const WIDTH = 100;
const HEIGHT = 60;
const content = pattern(WIDTH, HEIGHT);
const source = () =>
  sharpOf(content).extend({ left: 40, right: 10, top: 20, bottom: 30, background: '#ffffff' }).png().toBuffer();

const sizes = ({ steps }: { steps: readonly { width: number | null; height: number | null }[] }) =>
  steps.map(({ width, height }) => [width, height]);

describe('the step trim', () => {
  it('measures the logo that was drawn before it', async () => {
    const logo = await png(flat(20, 10, 255, 0, 0));
    const marks = { op: 'watermark', params: { logo: true, watermark_position: 'br', watermark_opacity: 100 } };
    const ran = await pipeline(await png(flat(200, 100, 255, 255, 255)), [marks, TRIM, PNG], { logo });
    assert.ok(ran.width < 200 && ran.height < 100, `${ran.width} x ${ran.height}`);
  });

  it('refuses a damaged file in a dry run as in a run', async () => {
    const avif = await sharpOf(content).avif().toBuffer();
    const damaged = Buffer.concat([avif.subarray(0, avif.length - 400), Buffer.alloc(400)]);
    await failureOf('corrupt_image', () => pipeline(damaged, [TRIM, PNG]));
    await failureOf('corrupt_image', () => plan(damaged, [TRIM, PNG]));
  });

  it('cuts exactly the border, and is skipped where there is none', async () => {
    const ran = await pipeline(await source(), [TRIM, TRIM, PNG]);
    assert.deepEqual(reasons(ran), [null, 'no_change', null]);
    assert.deepEqual(difference(await decode(ran.bytes), content), { max: 0, mean: 0 });
  });

  it('gives later conditions its own size', async () => {
    const ran = await pipeline(await source(), [
      { op: 'resize', when: { max_width: 100 }, params: { width: 50 } },
      TRIM,
      { op: 'flip', when: { max_width: 100, max_height: 60 }, params: { flip: 'h' } },
      { op: 'resize', when: { min_width: 101 }, params: { width: 30 } },
      { op: 'resize', params: { width: 80 } },
    ]);
    assert.deepEqual(reasons(ran), ['condition', null, null, 'condition', null]);
    assert.deepEqual(sizes(ran), [
      [150, 110],
      [100, 60],
      [100, 60],
      [100, 60],
      [80, 48],
    ]);
  });

  it('measures at full size, even if it depends on a condition and a resize follows', async () => {
    const [left, right, top, bottom] = [405, 123, 211, 322];
    const large = sharpOf(pattern(1600, 1200)).extend({ left, right, top, bottom, background: '#ffffff' });
    const steps: RawStep[] = [
      { ...TRIM, when: { format: 'jpeg' }, params: { trim_threshold: 40 } },
      { op: 'resize', params: { percent: 10 } },
    ];
    const ran = await pipeline(await large.jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer(), steps);
    assert.deepEqual(sizes(ran), [
      [1600, 1200],
      [160, 120],
    ]);
  });

  it('tests transparency in what it leaves', async () => {
    const clear = await sharpOf(content).extend({ left: 9, background: '#00000000' }).png().toBuffer();
    const flip: RawStep = { op: 'flip', when: { has_alpha: true }, params: { flip: 'h' } };
    const ran = await pipeline(clear, [flip, TRIM, flip]);
    assert.deepEqual(reasons(ran), [null, null, 'condition']);
  });

  it('cuts what the steps before have made', async () => {
    const framed = await pipeline(await png(content), [
      { op: 'border', params: { border: 12, border_color: '#102030' } },
      TRIM,
      { op: 'border', params: { border: 3 } },
      PNG,
    ]);
    assert.deepEqual(sizes(framed), [
      [124, 84],
      [WIDTH, HEIGHT],
      [106, 66],
      [106, 66],
    ]);
    const turned = await pipeline(await png(flat(50, 50, 200, 0, 0)), [
      { op: 'rotate', params: { rotate: 45 } },
      { op: 'crop', params: { crop: '0,0,71,20' } },
      TRIM,
      PNG,
    ]);
    assert.ok(turned.width > 30 && turned.width < 50 && turned.height <= 20, `${turned.width} x ${turned.height}`);
  });

  it('decodes again where a step that depends on its size needs other samples', async () => {
    const margin = { left: 40, right: 10, top: 20, bottom: 30 };
    const deep = sharpOf(content)
      .toColourspace('rgb16')
      .extend({ ...margin, background: '#ffffff' });
    const image = await deep.png().toBuffer();
    const depthAfter = async (when: object) => {
      const cover: RawStep = { op: 'blur_faces', when, params: { boxes: '0,0,20,20' } };
      const ran = await pipeline(image, [TRIM, cover, PNG]);
      assert.deepEqual([ran.width, ran.height], [WIDTH, HEIGHT]);
      return (await sharp(ran.bytes).metadata()).depth;
    };
    assert.equal(await depthAfter({ max_width: WIDTH - 1 }), 'ushort');
    assert.equal(await depthAfter({ max_width: WIDTH }), 'uchar');
  });

  it('leaves an image of one colour, with a warning', async () => {
    const ran = await pipeline(await png(flat(20, 10, 9, 9, 9)), [TRIM, TRIM, PNG]);
    assert.deepEqual([reasons(ran), ran.warnings], [['no_change', 'no_change', null], ['image_uniform']]);
    assert.deepEqual(ran.plan.warnings, ['image_uniform']);
  });

  it('is measured before the widths of several results are planned', async () => {
    const ran = await runOutputs(await source(), [TRIM], {
      widths: [50, 90, 120, 400],
      formats: ['webp', 'png'],
      mode: 'lossless',
    });
    const widths = ran.outputs.map(({ width, height }) => [width, height]);
    assert.deepEqual(widths, [
      [50, 30],
      [50, 30],
      [90, 54],
      [90, 54],
      [WIDTH, HEIGHT],
      [WIDTH, HEIGHT],
    ]);
    const last = ran.outputs.at(-1)!;
    assert.deepEqual(difference(await decode(new Uint8Array(last.data!)), content), { max: 0, mean: 0 });
  });

  it('gives a photo what it leaves', async () => {
    const photo: RawStep = { op: 'id_photo', params: { width: 50, height: 60, format: 'png' } };
    const trimmed = await pipeline(await source(), [TRIM, photo]);
    const alone = await pipeline(await png(content), [photo]);
    assert.deepEqual(difference(await decode(trimmed.bytes), await decode(alone.bytes)), { max: 0, mean: 0 });
  });

  it('renders an SVG for the size that follows', async () => {
    const svg = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24"><path fill="#d00" d="M8 6h8v12H8z"/></svg>',
    );
    const ran = await pipeline(svg, [TRIM, { op: 'resize', params: { width: 400 } }, PNG]);
    assert.deepEqual([ran.width, ran.height], [400, 600]);
    assert.deepEqual(pixel(await decode(ran.bytes), 1, 300).slice(0, 3), [221, 0, 0]);
  });

  it('names the step that fails before it, and the one after it', async () => {
    const image = await source();
    const withoutModel = pipelineAlone(image, [{ op: 'remove_background' }, TRIM]);
    await assert.rejects(withoutModel, ({ message }: Error) => {
      assert.match(message, /in step 1 \(remove_background\)/);
      return !/step 2/.test(message);
    });
    const outside = pipeline(image, [TRIM, { op: 'crop', params: { crop: '0,0,101,10' } }]);
    await assert.rejects(outside, /in step 2 \(crop\)/);
  });

  it('after a model has an unknown size in a dry run, and its own in a run', { skip: modelsSkipReason }, async () => {
    const { photo } = discImage({ width: 480, height: 360, subject: [240, 200, 40], background: [30, 60, 160] });
    const image = await png(photo);
    const steps: RawStep[] = [{ op: 'remove_background' }, TRIM, { op: 'resize', params: { percent: 50 } }, PNG];
    const engine = await testModelEngine();
    const planned = await plan(image, steps, { engine });
    assert.deepEqual(sizes(planned), [
      [480, 360],
      [null, null],
      [null, null],
      [null, null],
    ]);
    assert.deepEqual([planned.result.width, planned.result.height], [null, null]);
    const ran = await engine.run('pipeline', {
      image: { data: new Uint8Array(image).buffer },
      params: { steps: stepsOf(steps), maxPixels: 1_000_000 },
    });
    const expected = await pipeline(image, [steps[0]!, PNG], { engine });
    const { info } = await sharp(expected.bytes)
      .trim({ threshold: 10, lineArt: true })
      .toBuffer({ resolveWithObject: true });
    const [, trimmed, , last] = ran.steps;
    assert.ok(Math.abs(trimmed!.width - info.width) <= 2 && Math.abs(trimmed!.height - info.height) <= 2);
    assert.ok(info.width < 470 && ran.ranModel);
    assert.deepEqual([ran.width, ran.height], [last!.width, last!.height]);
    assert.equal(ran.width, Math.round(trimmed!.width / 2));
  });
});

/** Runs a pipeline without its plan. */
async function pipelineAlone(image: Uint8Array, raw: readonly RawStep[]): Promise<void> {
  const params = { steps: stepsOf(raw), maxPixels: 1_000_000 };
  await (await testEngine()).run('pipeline', { image: { data: new Uint8Array(image).buffer }, params });
}
