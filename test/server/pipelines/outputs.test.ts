/** Several results of one pipeline over HTTP, with the real engine. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { unzipSync } from 'fflate';
import sharp from 'sharp';
import { createExecuteItem } from '../../../server/jobs/execute-item.ts';
import type { PlanRecord } from '../../../server/pipelines/records.ts';
import type { StoredOutputs } from '../../../server/pipelines/stored-outputs.ts';
import type { Job } from '../../../storage/records/jobs.ts';
import { decode, difference, pattern, png } from '../../support/test-images.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { errorOf, PATH, type PipelineService, query, withPipelineService } from './desk.ts';

const OUTPUTS = { widths: [30, 45], formats: ['webp', 'png'] };
const CROP = { op: 'crop', params: { crop: '0,0,50,40' } };
const PIPELINE = { steps: [CROP, { op: 'compress', params: { mode: 'lossless' } }], outputs: OUTPUTS };

let image: Buffer<ArrayBuffer>;
const raw = () => ({ method: 'POST', body: image });
const bytesOf = async (answer: Response) => new Uint8Array(await answer.arrayBuffer());

/** Compares a lossless result with the crop of the source, scaled by sharp. */
async function checkPixels(bytes: Uint8Array, width: number): Promise<void> {
  const cut = await sharp(image).extract({ left: 0, top: 0, width: 50, height: 40 }).png().toBuffer();
  const expected = await decode(
    await sharp(cut)
      .resize(width, (width * 4) / 5)
      .png()
      .toBuffer(),
  );
  const { max } = difference(await decode(bytes), expected);
  assert.ok(max <= 2, `${width}: ${max}`);
}

const save = ({ send }: PipelineService, name: string, pipeline: object) =>
  send('/api/v1/pipelines', {
    method: 'POST',
    body: JSON.stringify({ name, pipeline }),
    headers: { 'content-type': 'application/json' },
  });

describe('POST /api/v1/pipeline with outputs', { timeout: 300_000 }, () => {
  before(async () => {
    image = Buffer.from(await png(pattern(60, 40)));
  });

  it('answers with one ZIP, which counts as one request', async () => {
    await withPipelineService(async ({ send, used, tasks }) => {
      const answer = await send(query({ pipeline: PIPELINE, name: 'sea side.png' }), raw());
      assert.equal(answer.status, 200, answer.status === 200 ? '' : await answer.clone().text());
      const header = (name: string) => answer.headers.get(name);
      const bytes = await bytesOf(answer);
      assert.deepEqual(
        [header('content-type'), header('x-ic-steps'), header('x-ic-outcome'), header('x-quota-meter')],
        ['application/zip', '2/2', 'done', 'requests'],
      );
      assert.deepEqual([header('x-ic-bytes'), header('x-ic-original-bytes')], [`${bytes.length}`, `${image.length}`]);
      assert.match(header('content-disposition')!, /^attachment; filename="sea side\.zip"/);
      const files = unzipSync(bytes);
      const names = ['sea side-30.webp', 'sea side-30.png', 'sea side-45.webp', 'sea side-45.png'];
      assert.deepEqual(Object.keys(files), ['picture.html', ...names]);
      for (const name of names) await checkPixels(files[name]!, Number(/[0-9]+/.exec(name)));
      assert.match(Buffer.from(files['picture.html']!).toString(), /src="sea%20side-45\.png"/);
      assert.deepEqual(tasks, ['pipeline-outputs']);
      assert.deepEqual(await used(), { requests: 1, ai: 0 });
    });
  });

  it('stores each result with output=json', async () => {
    await withPipelineService(async ({ send, services }) => {
      const pipeline = { ...PIPELINE, output_name: '{format}_{width}x{height}_{name}.{ext}' };
      const answer = await send(query({ pipeline, name: 'a.png', output: 'json' }), raw());
      const record = (await answer.json()) as StoredOutputs;
      assert.deepEqual(
        record.outputs.map(({ filename, format, width, height }) => [filename, format, width, height]),
        [
          ['webp_30x24_a.webp', 'webp', 30, 24],
          ['png_30x24_a.png', 'png', 30, 24],
          ['webp_45x36_a.webp', 'webp', 45, 36],
          ['png_45x36_a.png', 'png', 45, 36],
        ],
      );
      for (const { url, filename, width, bytes, content_type, outcome, warnings } of record.outputs) {
        const file = await send(new URL(url).pathname);
        assert.equal(file.headers.get('content-type'), content_type);
        assert.match(file.headers.get('content-disposition')!, new RegExp(`filename="${filename}"`));
        const content = await bytesOf(file);
        assert.deepEqual([content.length, warnings], [bytes, []]);
        assert.ok(['reduced', 'grown'].includes(outcome));
        await checkPixels(content, width);
      }
      const { markup, bytes, original_width, steps, quota_meter } = record;
      assert.ok(
        record.outputs.every(({ filename }) => markup.includes(filename)),
        markup,
      );
      assert.equal(
        bytes,
        record.outputs.reduce((sum, output) => sum + output.bytes, 0),
      );
      assert.deepEqual([original_width, steps.length, quota_meter], [60, 2, 'requests']);
      assert.equal(services.uploads.heldBytes, 0);
    });
  });

  it('stores none of the results if there is no space for all', async () => {
    await withPipelineService(
      async ({ send, services, used }) => {
        const { status, code } = await errorOf(await send(query({ pipeline: PIPELINE, output: 'json' }), raw()));
        assert.deepEqual([status, code], [507, 'storage_full']);
        assert.equal(services.results.usedBytes, 0);
        assert.deepEqual(await used(), { requests: 0, ai: 0 });
      },
      { env: { IC_STORAGE_BYTES: '1500' } },
    );
  });

  it('predicts every result with dry_run', async () => {
    await withPipelineService(async ({ send, tasks }) => {
      const answer = await send(query({ pipeline: PIPELINE, name: 'a.png', dry_run: 'true' }), raw());
      const { result, outputs = [], quota } = (await answer.json()) as PlanRecord;
      assert.deepEqual(
        outputs.map(({ filename, format, width, height }) => [filename, format, width, height]),
        [
          ['a-30.webp', 'webp', 30, 24],
          ['a-30.png', 'png', 30, 24],
          ['a-45.webp', 'webp', 45, 36],
          ['a-45.png', 'png', 45, 36],
        ],
      );
      const sum = outputs.reduce((total, { predicted_bytes: bytes }) => total + bytes, 0);
      assert.deepEqual(
        [result.filename, result.format, result.width, result.predicted_bytes],
        ['a.zip', 'zip', null, sum],
      );
      assert.deepEqual([quota, answer.headers.get('x-quota-meter')], [{ requests: 1, ai: 0 }, 'none']);
      assert.deepEqual(tasks, ['pipeline-outputs-plan']);
    });
  });

  it('runs a model once for all results, if the condition of its step holds', async () => {
    await withPipelineService(async ({ send, keyOf, used, tasks }) => {
      const headers = await keyOf('ben', ['ai']);
      const steps = [
        { op: 'resize', params: { width: 10 } },
        { op: 'upscale', when: { max_width: 20 } },
      ];
      const answer = await send(query({ pipeline: { steps, outputs: OUTPUTS } }), { ...raw(), headers });
      assert.equal(answer.headers.get('x-quota-meter'), 'requests, ai');
      assert.deepEqual(Object.keys(unzipSync(await bytesOf(answer))), [
        'picture.html',
        'image-20.webp',
        'image-20.png',
      ]);
      assert.deepEqual(tasks, ['pipeline-outputs-plan', 'pipeline-outputs']);
      assert.deepEqual(await used(), { requests: 1, ai: 1 });
    });
  });

  it('saves outputs as part of a pipeline, and runs them with preset', async () => {
    await withPipelineService(async (service) => {
      const { send } = service;
      const saved = (await (await save(service, 'srcset', PIPELINE)).json()) as { outputs: object; version: number };
      assert.deepEqual([saved.outputs, saved.version], [OUTPUTS, 1]);
      assert.equal((await save(service, 'srcset', PIPELINE)).status, 200, 'the same');
      const other = { ...PIPELINE, outputs: { ...OUTPUTS, widths: [10] } };
      assert.equal(((await (await save(service, 'srcset', other)).json()) as { version: number }).version, 2);
      const one = (await (await save(service, 'one', { steps: [CROP] })).json()) as { outputs: null };
      assert.equal(one.outputs, null);
      assert.equal((await save(service, 'again', { steps: [CROP], outputs: null })).status, 201);
      const answer = await send(query({ preset: 'srcset', version: '1', name: 'a.png' }), raw());
      assert.equal(Object.keys(unzipSync(await bytesOf(answer))).length, 5);
    });
  });

  it('makes one ZIP of each image of a job', async () => {
    await withPipelineService(async ({ services, keys }) => {
      const caller = await services.authenticate(`Bearer ${keys.pro}`);
      const job = { steps: '[]', outputs: JSON.stringify(OUTPUTS), outputName: '{index}-{width}.{ext}' } as Job;
      const source = { data: new Uint8Array(image).buffer, filename: 'sea.png' };
      const executed = await createExecuteItem(services)({
        ...{ caller, job, image: source, index: 7, signal: new AbortController().signal },
        ...{ onAdmitted: () => {}, onStart: () => {} },
      });
      const { filename, content_type, format, width } = executed.description;
      assert.deepEqual([filename, content_type, format, width], ['sea.zip', 'application/zip', 'zip', null]);
      const names = Object.keys(unzipSync(new Uint8Array(executed.data)));
      assert.deepEqual(names, ['picture.html', '7-30.webp', '7-30.png', '7-45.webp', '7-45.png']);
      assert.deepEqual(executed.cost, { requests: 1, ai: 0 });
      await executed.release(0);
    });
  });

  it('stops when the client leaves, and charges nothing', async () => {
    await withPipelineService(async ({ send, used, tasks, services }) => {
      const client = new AbortController();
      const outputs = {
        widths: [500, 600, 700, 800, 900, 1000],
        formats: ['avif', 'webp', 'png', 'jxl'],
        mode: 'smart',
      };
      const large = await png(pattern(1000, 800));
      const sent = send(query({ pipeline: { steps: [], outputs } }), {
        method: 'POST',
        body: Buffer.from(large),
        signal: client.signal,
      });
      await waitUntil(() => tasks.includes('pipeline-outputs'));
      client.abort();
      await assert.rejects(sent, { name: 'AbortError' });
      await waitUntil(() => services.engine.stats().busy === 0 && services.uploads.heldBytes === 0);
      assert.deepEqual(await used(), { requests: 0, ai: 0 });
    });
  });

  it('refuses invalid outputs, with the path of the value', async () => {
    await withPipelineService(async ({ send, tasks }) => {
      const compress = (params: object) => ({ op: 'compress', params });
      const cases: [outputs: unknown, param: string, pipeline?: object][] = [
        [5, 'outputs'],
        [[], 'outputs'],
        [{ widths: [10] }, 'outputs.formats'],
        [{ widths: [], formats: ['webp'] }, 'outputs.widths'],
        [{ widths: [10], formats: [] }, 'outputs.formats'],
        [{ widths: [10, 0], formats: ['webp'] }, 'outputs.widths[1]'],
        [{ widths: [100_001], formats: ['webp'] }, 'outputs.widths[0]'],
        [{ widths: ['10'], formats: ['webp'] }, 'outputs.widths[0]'],
        [{ widths: [10, 20, 10], formats: ['webp'] }, 'outputs.widths[2]'],
        [{ widths: [10], formats: ['webp', 'webp'] }, 'outputs.formats[1]'],
        [{ widths: [10], formats: ['jpg'] }, 'outputs.formats[0]'],
        [{ widths: [10], formats: ['tiff'] }, 'outputs.formats[0]'],
        [{ widths: Array.from({ length: 13 }, (_, n) => n + 1), formats: ['webp'] }, 'outputs.widths'],
        [{ widths: [10], formats: ['webp', 'png', 'jpeg', 'avif', 'gif'] }, 'outputs.formats'],
        [{ widths: [1, 2, 3, 4, 5, 6, 7, 8, 9], formats: ['webp', 'png', 'jpeg'] }, 'outputs'],
        [{ widths: [10], formats: ['webp'], quality: 0 }, 'outputs.quality'],
        [{ widths: [10], formats: ['webp'], quality: { webp: 101 } }, 'outputs.quality.webp'],
        [{ widths: [10], formats: ['webp'], quality: { png: 50 } }, 'outputs.quality.png'],
        [{ widths: [10], formats: ['webp'], mode: 'target' }, 'outputs.mode'],
        [{ widths: [10], formats: ['png', 'jpeg'], mode: 'lossless' }, 'outputs.formats'],
        [{ widths: [10], formats: ['webp'], heights: [5] }, 'outputs.heights'],
        [OUTPUTS, 'steps[0].params.format', { steps: [compress({ format: 'webp' })] }],
        [OUTPUTS, 'steps[1].op', { steps: [CROP, { op: 'convert', params: { format: 'webp' } }] }],
        [OUTPUTS, 'steps[0].op', { steps: [{ op: 'id_photo', params: { width: 30, height: 40 } }] }],
        [OUTPUTS, 'steps[0].op', { steps: [{ op: 'gif' }] }],
        [OUTPUTS, 'output_name', { steps: [], output_name: '{name}.{ext}' }],
        [OUTPUTS, 'output_name', { steps: [], output_name: '{name}-{width}' }],
        [{ widths: [10], formats: ['webp'] }, 'output_name', { steps: [], output_name: 'picture.html' }],
        [{ widths: [10], formats: ['jpeg'] }, 'outputs.formats', { steps: [compress({ mode: 'lossless' })] }],
      ];
      for (const [outputs, param, pipeline = { steps: [] }] of cases) {
        const error = await errorOf(await send(query({ pipeline: { ...pipeline, outputs } }), raw()));
        assert.deepEqual([error.status, error.code, error.param], [400, 'invalid_pipeline', param], error.message);
        assert.match(error.message, /^Expected .+ but received .+\.$/);
      }
      assert.deepEqual(tasks, []);
      const ends = { widths: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], formats: ['webp', 'png'] };
      const most = await send(query({ pipeline: { steps: [], outputs: ends } }), raw());
      assert.equal(Object.keys(unzipSync(await bytesOf(most))).length, 25);
      assert.equal((await send(`${PATH}?output=json`, raw())).status, 400);
    });
  });

  it('makes the results of several requests at the same time', async () => {
    await withPipelineService(async ({ send, used }) => {
      const sent = [10, 20, 30, 40].map((width) =>
        send(query({ pipeline: { steps: [], outputs: { ...OUTPUTS, widths: [width] } } }), raw()),
      );
      const names = (
        await Promise.all(sent.map(async (answer) => Object.keys(unzipSync(await bytesOf(await answer)))))
      ).flat();
      assert.deepEqual(
        names.filter((name) => name.endsWith('.png')),
        ['image-10.png', 'image-20.png', 'image-30.png', 'image-40.png'],
      );
      assert.deepEqual(await used(), { requests: 4, ai: 0 });
    });
  });
});
