/** Steps that run a model, compared with their own operations, and the templates on real photos. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { blurFacesParams } from '../../../engine/operations/blur-faces/params.ts';
import { compressParams } from '../../../engine/operations/compress/params.ts';
import { meterOf } from '../../../engine/operations/definition.ts';
import { operationNamed } from '../../../engine/operations/registry.ts';
import { removeBackgroundParams } from '../../../engine/operations/remove-background/params.ts';
import { upscaleParams } from '../../../engine/operations/upscale/params.ts';
import { checkPipeline } from '../../../engine/pipeline/check.ts';
import { TEMPLATES } from '../../../engine/pipeline/templates.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { inspect, ownBuffer, testModelEngine } from '../../support/engine.ts';
import { modelsSkipReason } from '../../support/models.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { decode, difference, pattern, pixel, png } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { makeGif } from '../gif/support.ts';
import { discImage } from '../remove-background/support.ts';
import { type PipelineRun, pipeline, type RawStep, reasons, stepsOf } from './support.ts';

const PNG: RawStep = { op: 'convert', params: { format: 'png', quality: 100 } };
const subject = () =>
  png(discImage({ width: 480, height: 360, subject: [240, 200, 40], background: [30, 60, 160] }).photo);

async function run(image: Uint8Array, steps: readonly RawStep[]): Promise<PipelineRun> {
  return pipeline(image, steps, { engine: await testModelEngine() });
}

const same = async (one: Uint8Array, other: ArrayBuffer) =>
  assert.deepEqual(difference(await decode(one), await decode(new Uint8Array(other))), { max: 0, mean: 0 });

describe('a step with a model', { skip: modelsSkipReason }, () => {
  it('removes the background as remove-background does', { skip: nightlyOnly }, async () => {
    const source = await subject();
    const engine = await testModelEngine();
    for (const params of [{}, { background: '#ffffff', frame: '200x220', subject_fill: 60 }, { background: 'blur' }]) {
      const expected = await engine.run('remove-background', {
        image: { data: ownBuffer(source) },
        params: { ...removeBackgroundParams.parse(params), page: 1 },
      });
      const ran = await run(source, [{ op: 'remove_background', params }, PNG]);
      assert.equal(ran.ranModel, true);
      await same(ran.bytes, expected.data);
    }
  });

  it('warns when the cut-out cannot stay transparent', { skip: nightlyOnly }, async () => {
    const ran = await run(await subject(), [
      { op: 'remove_background' },
      { op: 'convert', params: { format: 'jpeg', quality: 100 } },
    ]);
    assert.deepEqual([ran.warnings, ran.plan.warnings], [['alpha_flattened'], ['alpha_flattened']]);
    const [red, green, blue] = pixel(await decode(ran.bytes), 2, 2) as [number, number, number];
    assert.ok(Math.min(red, green, blue) > 250);
    const covered = await run(await subject(), [
      { op: 'remove_background', params: { background: '#00ff00' } },
      { op: 'convert', params: { format: 'jpeg' } },
    ]);
    assert.deepEqual(covered.warnings, []);
  });

  it('doubles the size as upscale does, within the limit of the plan', { skip: nightlyOnly }, async () => {
    const source = await png(pattern(60, 50, 4));
    const expected = await (await testModelEngine()).run('upscale', {
      image: { data: ownBuffer(source) },
      params: { ...upscaleParams.parse({ format: 'png' }), page: 1 },
      maxPixels: 3000,
    });
    const engine = await testModelEngine();
    const steps = [{ op: 'upscale' }, PNG];
    await same((await pipeline(source, steps, { engine, maxPixels: 3000 })).bytes, expected.data);
    await assert.rejects(pipeline(source, steps, { engine, maxPixels: 2999 }), { code: 'image_too_large' });
    // The limit counts the image before the step.
    const smaller = await pipeline(source, [{ op: 'resize', params: { percent: 50 } }, ...steps], {
      engine,
      maxPixels: 750,
    });
    assert.deepEqual([smaller.width, smaller.height], [60, 50]);
  });

  it('is skipped when its condition is false', async () => {
    const ran = await run(await subject(), [
      { op: 'upscale', when: { max_width: 100 } },
      { op: 'blur_faces', when: { min_width: 1000 } },
      PNG,
    ]);
    assert.deepEqual([reasons(ran), ran.ranModel], [['condition', 'condition', null], false]);
  });

  it('uses the first frame of an animation', async () => {
    const gif = makeGif({
      width: 40,
      height: 30,
      table: [0xff0000, 0x0000ff],
      frames: [0, 1].map((index) => ({ width: 40, height: 30, indices: Array.from({ length: 1200 }, () => index) })),
    });
    const ran = await run(gif, [{ op: 'upscale' }, PNG]);
    assert.deepEqual(ran.warnings, ['animation_flattened']);
    const [red, , blue] = pixel(await decode(ran.bytes), 40, 30) as [number, number, number];
    assert.ok(red > 240 && blue < 15);
  });

  it('detects faces as blur-faces does', { skip: corpusSkipReason }, async () => {
    const source = corpus('jpeg/image--portrait_2.jpg')!;
    const expected = await (await testModelEngine()).run('blur-faces', {
      image: { data: ownBuffer(source) },
      params: { ...blurFacesParams.parse({ format: 'png' }), page: 1 },
    });
    const ran = await run(source, [{ op: 'blur_faces' }, PNG]);
    await same(ran.bytes, expected.data);
    const none = await run(await png(pattern(64, 64)), [{ op: 'blur_faces' }, PNG]);
    assert.deepEqual(none.warnings, ['no_faces_found']);
  });
});

describe('focus=faces', { skip: corpusSkipReason || modelsSkipReason }, () => {
  /** The person stands right of the middle, in a wide image. */
  const offCentre = () =>
    sharp(corpus('faces/scikit-image--astronaut.png')!).extend({ left: 900, background: '#808080' }).png().toBuffer();
  const facesOf = async (bytes: Uint8Array) =>
    (await (await testModelEngine()).run('faces', { image: { data: ownBuffer(bytes) }, params: { page: undefined } }))
      .record.faces;

  it('keeps the face in the middle of a cut to a ratio and of fit=cover, also in compress', async () => {
    verifies('compress.focus.faces');
    const source = await offCentre();
    const cuts = [
      { op: 'crop', params: { crop_ratio: '1:2', focus: 'faces' } },
      { op: 'resize', params: { width: 200, height: 400, fit: 'cover', focus: 'faces' } },
    ] as const;
    const results = await Promise.all(cuts.map(async (cut) => (await run(source, [cut, PNG])).bytes));
    const engine = await testModelEngine();
    const compressed = await Promise.all(
      cuts.map(({ params }) =>
        engine.run('compress', {
          image: { data: ownBuffer(source) },
          params: { ...compressParams.parse({ format: 'png', ...params }), page: undefined },
        }),
      ),
    );
    for (const bytes of [...results, ...compressed.map(({ data }) => new Uint8Array(data))]) {
      const { width, height } = await sharp(bytes).metadata();
      const [face] = await facesOf(bytes);
      assert.equal(width! * 2, height);
      assert.ok(face && Math.abs((face.x + face.width / 2) / width! - 0.5) < 0.06, JSON.stringify(face));
    }
  });

  it('looks for faces inside the crop only', async () => {
    const source = await sharp(corpus('faces/scikit-image--astronaut.png')!)
      .extend({ right: 512, extendWith: 'repeat' })
      .png()
      .toBuffer();
    for (const left of [0, 512]) {
      const params = { crop: `${left},0,512,512`, crop_ratio: '1:2', focus: 'faces' };
      const [face] = await facesOf((await run(source, [{ op: 'crop', params }, PNG])).bytes);
      assert.ok(face && Math.abs(face.x + face.width / 2 - 128) < 12, JSON.stringify(face));
    }
  });

  it('keeps the centre and warns where it finds none', async () => {
    const source = await png(pattern(120, 60));
    const ran = await run(source, [{ op: 'crop', params: { crop_ratio: '1:1', focus: 'faces' } }, PNG]);
    assert.deepEqual(ran.warnings, ['no_faces_found']);
    await same(ran.bytes, ownBuffer((await run(source, [{ op: 'crop', params: { crop_ratio: '1:1' } }, PNG])).bytes));
  });

  it('counts as an AI request only where it cuts', () => {
    verifies('compress.focus.faces.ai');
    const meter = (params: object) => meterOf(operationNamed('compress')!, compressParams.parse(params));
    assert.equal(meter({ crop_ratio: '1:1', focus: 'faces' }), 'ai');
    assert.equal(meter({ width: 10, height: 10, fit: 'cover', focus: 'faces' }), 'ai');
    for (const params of [
      { focus: 'faces' },
      { width: 10, fit: 'cover', focus: 'faces' },
      { crop_ratio: '1:1', focus: '0,1' },
    ])
      assert.equal(meter(params), 'requests');
  });
});

describe('the templates', () => {
  it('are eight valid pipelines', () => {
    verifies('pipeline.preset.template');
    const names = ['web', 'thumbnail', 'social-card', 'avatar', 'product-white', 'privacy', 'email', 'archive'];
    assert.deepEqual(
      TEMPLATES.map(({ name }) => name),
      names,
    );
    for (const { steps, description } of TEMPLATES) {
      checkPipeline(stepsOf(steps));
      assert.ok(description.length > 0 && description.length <= 300);
    }
  });

  it('give the promised result for real photographs', {
    skip: corpusSkipReason || modelsSkipReason || nightlyOnly,
  }, async () => {
    verifies('pipeline.preset.template');
    for (const path of ['jpeg/exif-samples--canon_hdr_NO.jpg', 'faces/scikit-image--astronaut.png']) {
      const source = corpus(path)!;
      const made: Record<string, PipelineRun> = {};
      for (const { name, steps } of TEMPLATES) {
        made[name] = await run(source, steps);
      }
      const of = (name: string) => made[name]!;
      assert.ok(of('web').format === 'webp' && Math.max(of('web').width, of('web').height) <= 1920);
      assert.deepEqual([of('thumbnail').width, of('thumbnail').height, of('thumbnail').format], [320, 320, 'webp']);
      assert.deepEqual(
        [of('social-card').width, of('social-card').height, of('social-card').format],
        [1200, 630, 'jpeg'],
      );
      const avatar = await decode(of('avatar').bytes);
      assert.deepEqual(
        [avatar.width, avatar.height, pixel(avatar, 0, 0)[3], pixel(avatar, 128, 128)[3]],
        [256, 256, 0, 255],
      );
      const product = of('product-white');
      assert.deepEqual([product.width, product.height, product.outcome], [1200, 1200, 'target_met']);
      assert.ok(product.bytes.length <= 300_000 && of('email').bytes.length <= 500_000);
      assert.equal((await inspect(of('privacy').bytes)).camera, null);
      assert.deepEqual((await inspect(of('archive').bytes)).camera, (await inspect(source)).camera);
    }
  });
});
