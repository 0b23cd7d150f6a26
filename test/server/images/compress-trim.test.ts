/** `trim` over HTTP: in compress, in a pipeline and in its dry run. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { decode, flat, pattern, png, sharpOf } from '../../support/test-images.ts';
import { errorOf, query, withPipelineService } from '../pipelines/desk.ts';

const COMPRESS = '/api/v1/compress';

describe('trim over HTTP', () => {
  let image: Buffer<ArrayBuffer>;
  before(async () => {
    const bordered = sharpOf(pattern(90, 60)).extend({ left: 30, right: 5, top: 8, bottom: 12, background: '#ffffff' });
    image = Buffer.from(await bordered.png().toBuffer());
  });
  const post = () => ({ method: 'POST', body: image });

  const sizeOf = ({ headers }: Response) => [headers.get('x-ic-width'), headers.get('x-ic-height')];

  it('cuts the border in compress, and counts as any request', () =>
    withPipelineService(async ({ send, used }) => {
      const answer = await send(`${COMPRESS}?trim=true&width=45&format=webp`, post());
      assert.equal(answer.status, 200);
      assert.deepEqual(sizeOf(answer), ['45', '30']);
      assert.equal(answer.headers.get('x-quota-meter'), 'requests');
      const { width, height } = await decode(new Uint8Array(await answer.arrayBuffer()));
      assert.deepEqual([width, height], [45, 30]);
      const whole = await send(`${COMPRESS}?trim_threshold=40`, post());
      assert.deepEqual(sizeOf(whole), ['125', '80']);
      await whole.arrayBuffer();
      assert.deepEqual(await used(), { requests: 2, ai: 0 });
    }));

  it('warns of an image of one colour', () =>
    withPipelineService(async ({ send }) => {
      const body = Buffer.from(await png(flat(20, 10, 1, 2, 3)));
      const answer = await send(`${COMPRESS}?trim=true`, { method: 'POST', body });
      assert.equal(answer.headers.get('x-ic-warnings'), 'image_uniform');
      assert.deepEqual(sizeOf(answer), ['20', '10']);
      await answer.arrayBuffer();
    }));

  it('refuses a threshold outside its bounds', () =>
    withPipelineService(async ({ send }) => {
      for (const value of ['-1', '101', '2.5', 'much']) {
        const refused = await errorOf(await send(`${COMPRESS}?trim=true&trim_threshold=${value}`, post()));
        assert.deepEqual([refused.status, refused.code, refused.param], [400, 'invalid_parameter', 'trim_threshold']);
      }
      for (const value of [0, 100]) {
        const answer = await send(`${COMPRESS}?trim=true&trim_threshold=${value}`, post());
        assert.equal(answer.status, 200);
        await answer.arrayBuffer();
      }
      const steps = [{ op: 'trim', params: { trim_threshold: 101 } }];
      const refused = await errorOf(await send(query({ pipeline: { steps } }), post()));
      assert.deepEqual([refused.code, refused.param], ['invalid_pipeline', 'steps[0].params.trim_threshold']);
    }));

  it('is exact in a dry run, which costs nothing, and the same in a run', () =>
    withPipelineService(async ({ send, used }) => {
      const steps = [{ op: 'trim' }, { op: 'flip', when: { max_width: 90 }, params: { flip: 'h' } }];
      const name = 'a.png';
      const pipeline = { steps, output_name: '{name}-{width}x{height}.{ext}' };
      const planned = (await (await send(query({ pipeline, name, dry_run: true }), post())).json()) as {
        steps: { status: string; width: number; height: number; params: object }[];
        result: { width: number; height: number; filename: string };
      };
      assert.deepEqual(
        planned.steps.map(({ status, width, height }) => [status, width, height]),
        [
          ['would_run', 90, 60],
          ['would_run', 90, 60],
        ],
      );
      assert.deepEqual(planned.steps[0]!.params, { trim_threshold: 10 });
      assert.deepEqual(await used(), { requests: 0, ai: 0 });
      const answer = await send(query({ pipeline, name }), post());
      assert.deepEqual([...sizeOf(answer), answer.headers.get('x-ic-steps')], ['90', '60', '2/2']);
      await answer.arrayBuffer();
    }));

  it('has no size and no name in a dry run after a model', () =>
    withPipelineService(async ({ send, keyOf }) => {
      const pipeline = { steps: [{ op: 'upscale' }, { op: 'trim' }], output_name: '{width}.{ext}' };
      const planned = (await (await send(query({ pipeline, dry_run: true }), post())).json()) as {
        steps: { width: number | null }[];
        result: { width: number | null; height: number | null; filename: string | null };
      };
      assert.deepEqual(
        planned.steps.map(({ width }) => width),
        [250, null],
      );
      const { width, height, filename } = planned.result;
      assert.deepEqual([width, height, filename], [null, null, null]);
      const headers = await keyOf('ben', ['ai']);
      const answer = await send(query({ pipeline }), { ...post(), headers });
      assert.equal(answer.headers.get('x-quota-meter'), 'requests, ai');
      const [wide] = sizeOf(answer);
      // The model changes pixels of the border near the content.
      assert.ok(Number(wide) >= 180 && Number(wide) < 200, `${wide}`);
      await answer.arrayBuffer();
    }));
});
