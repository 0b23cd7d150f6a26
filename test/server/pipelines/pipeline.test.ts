/** POST /api/v1/pipeline over HTTP, with the real engine. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { MAX_PIPELINE_LENGTH } from '../../../engine/pipeline/parse.ts';
import { monthOf } from '../../../server/account/period.ts';
import { withServer } from '../../support/http-server.ts';
import { decode, pattern, png } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { errorOf, PATH, type PipelineService, query, withPipelineService } from './desk.ts';

type Json = Record<string, unknown>;

const resize = (width: number, when?: object) => ({ op: 'resize', ...(when && { when }), params: { width } });
const TO_WEBP = { op: 'compress', params: { format: 'webp', quality: 60 } };
const UPSCALE_SMALL = { op: 'upscale', when: { max_width: 20 } };

let image: Buffer<ArrayBuffer>;
const raw = () => ({ method: 'POST', body: image });
const json = (value: unknown): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json' },
});

function form(texts: Record<string, string>, files: Record<string, Blob> = {}): RequestInit {
  const body = new FormData();
  for (const [name, text] of Object.entries(texts)) body.append(name, text);
  body.append('image', new Blob([image]), 'beach day.png');
  for (const [name, file] of Object.entries(files)) body.append(name, file, 'logo.png');
  return { method: 'POST', body };
}

const headersOf = ({ headers }: Response, ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, headers.get(name)]));

async function sizeOf(answer: Response): Promise<[number, number]> {
  assert.equal(answer.status, 200, answer.status === 200 ? '' : await answer.clone().text());
  const { width, height } = await decode(new Uint8Array(await answer.arrayBuffer()));
  return [width, height];
}

/** Uses credits of the Pro account. */
async function useUp({ services }: PipelineService, credits: { requests: number; ai: number }): Promise<void> {
  const account = await services.database.accounts.findByName('ben');
  const id = { subject: account!.id, period: monthOf(Date.now()).id };
  await services.database.meters.settle(id, credits, false);
}

describe('POST /api/v1/pipeline', { timeout: 300_000 }, () => {
  before(async () => {
    image = Buffer.from(await png(pattern(60, 40)));
  });

  it('runs the steps from the query and reports what they did', async () => {
    verifies('pipeline.endpoint', 'pipeline.query', 'pipeline.step', 'pipeline.step.when');
    await withPipelineService(async ({ send, used }) => {
      const steps = [resize(30), { op: 'rotate', when: { min_width: 31 }, params: { rotate: 90 } }, TO_WEBP];
      const answer = await send(
        query({ pipeline: { steps, output_name: '{name} {index}-{width}x{height}.{ext}' }, name: 'sea.png' }),
        raw(),
      );
      assert.deepEqual(
        headersOf(
          answer,
          'content-type',
          'x-ic-steps',
          'x-ic-width',
          'x-ic-height',
          'x-ic-format',
          'x-quota-meter',
          'cache-control',
          'content-disposition',
        ),
        {
          'content-type': 'image/webp',
          'x-ic-steps': '2/3',
          'x-ic-width': '30',
          'x-ic-height': '20',
          'x-ic-format': 'webp',
          'x-quota-meter': 'requests',
          'cache-control': 'no-store',
          'content-disposition': `inline; filename="sea 1-30x20.webp"; filename*=UTF-8''sea%201-30x20.webp`,
        },
      );
      assert.deepEqual(await sizeOf(answer), [30, 20]);
      assert.deepEqual(await used(), { requests: 1, ai: 0 });
    });
  });

  it('accepts the pipeline from a form and from JSON, as an object and as text; the query wins', async () => {
    verifies('pipeline.multipart', 'pipeline.json-body');
    await withServer(
      (_request, response) => response.end(image),
      async ({ origin }) => {
        await withPipelineService(
          async ({ send }) => {
            const pipeline = { steps: [resize(20)] };
            const text = JSON.stringify(pipeline);
            const url = `${origin}/folder/beach%20day.png`;
            const named = `filename="beach day.png"`;
            for (const init of [form({ pipeline: text }), json({ url, pipeline }), json({ url, pipeline: text })]) {
              const answer = await send(PATH, init);
              assert.match(answer.headers.get('content-disposition') ?? '', new RegExp(named));
              assert.deepEqual((await sizeOf(answer))[0], 20);
            }
            const other = { steps: [resize(10)] };
            for (const init of [form({ pipeline: text }), json({ url, pipeline })])
              assert.deepEqual((await sizeOf(await send(query({ pipeline: other }), init)))[0], 10);
            const stored = (await (await send(PATH, json({ url, pipeline, output: 'json' }))).json()) as Json;
            assert.equal(stored.width, 20);
          },
          { env: { IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' } },
        );
      },
    );
  });

  it('accepts at most 64 KiB of pipeline in a form and in JSON', async () => {
    await withServer(
      (_request, response) => response.end(image),
      async ({ origin }) => {
        await withPipelineService(
          async ({ send }) => {
            const text = JSON.stringify({ steps: [resize(20)] });
            const padded = (length: number) => text.padEnd(length);
            assert.equal((await send(PATH, form({ pipeline: padded(MAX_PIPELINE_LENGTH) }))).status, 200);
            const long = await errorOf(await send(PATH, form({ pipeline: padded(MAX_PIPELINE_LENGTH + 1) })));
            assert.deepEqual([long.status, long.param], [400, 'pipeline']);
            const other = await errorOf(await send(PATH, form({ pipeline: text, name: 'a'.repeat(8193) })));
            assert.deepEqual([other.status, other.param], [400, 'name']);
            const body = `{"url":"${origin}/a.png","pipeline":${padded(MAX_PIPELINE_LENGTH)}}`;
            assert.equal((await send(PATH, { ...json({}), body })).status, 200);
            const huge = await errorOf(await send(PATH, { ...json({}), body: body.padEnd(200_000) }));
            assert.deepEqual([huge.status, huge.code], [400, 'invalid_request']);
          },
          { env: { IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' } },
        );
      },
    );
  });

  it('runs any version of a saved pipeline, and prefers it to a template', async () => {
    verifies('pipeline.preset.saved', 'pipeline.preset.template', 'pipeline.version');
    await withPipelineService(async ({ send }) => {
      const save = (width: number) =>
        send('/api/v1/pipelines', json({ name: 'shop', pipeline: { steps: [resize(width)], output_name: '{width}' } }));
      await save(10);
      await save(20);
      const stored = async (values: Json) =>
        (await (await send(query({ ...values, output: 'json' }), raw())).json()) as Json;
      const latest = await stored({ preset: 'shop' });
      assert.deepEqual([latest.pipeline, latest.width, latest.filename], [{ name: 'shop', version: 2 }, 20, '20']);
      const first = await stored({ preset: 'shop', version: '1' });
      assert.deepEqual([first.pipeline, first.width], [{ name: 'shop', version: 1 }, 10]);
      const template = await stored({ preset: 'thumbnail' });
      assert.deepEqual(
        [template.pipeline, template.width, template.height, template.format],
        [{ name: 'thumbnail', version: null }, 40, 40, 'webp'],
      );
      for (const [values, param] of [
        [{ preset: 'none' }, 'preset'],
        [{ preset: 'shop', version: '3' }, 'version'],
        [{ preset: 'thumbnail', version: '1' }, 'version'],
      ] as const) {
        const error = await errorOf(await send(query(values), raw()));
        assert.deepEqual([error.status, error.code, error.param], [404, 'preset_not_found', param]);
      }
    });
  });

  it('stores the result with output=json, with the pipeline and its steps', async () => {
    verifies('pipeline.output-json', 'pipeline.name');
    await withPipelineService(async ({ send }) => {
      const steps = [
        resize(100),
        resize(30),
        { op: 'convert', when: { format: 'jpeg' }, params: { format: 'png' } },
        TO_WEBP,
      ];
      const answer = await send(
        query({ pipeline: { name: 'of no effect', steps }, name: 'Žaba/../x y.jpg', output: 'json' }),
        raw(),
      );
      const record = (await answer.json()) as Json & { steps: Json[] };
      assert.deepEqual(
        [record.filename, record.pipeline, record.quota_meter, record.test_mode, record.width],
        ['x y.webp', { name: null, version: null }, 'requests', false, 30],
      );
      assert.deepEqual(
        record.steps.map(({ duration_ms, ...rest }) => [rest, Number.isInteger(duration_ms)]),
        [
          [{ index: 1, op: 'resize', status: 'skipped', reason: 'no_change', width: 60, height: 40 }, true],
          [{ index: 2, op: 'resize', status: 'applied', reason: null, width: 30, height: 20 }, true],
          [{ index: 3, op: 'convert', status: 'skipped', reason: 'condition', width: 30, height: 20 }, true],
          [{ index: 4, op: 'compress', status: 'applied', reason: null, width: 30, height: 20 }, true],
        ],
      );
      const file = await send(new URL(String(record.url)).pathname);
      assert.deepEqual(await sizeOf(file), [30, 20]);
      assert.match(file.headers.get('content-disposition') ?? '', /filename="x y\.webp"/);
    });
  });

  it('returns the plan with dry_run, and counts nothing', async () => {
    verifies('pipeline.dry-run', 'pipeline.dry-run.sizes');
    await withPipelineService(async (desk) => {
      const { send, used, tasks, services } = desk;
      // The quota is exhausted, which does not affect a dry run.
      await useUp(desk, { requests: 20_000, ai: 2000 });
      const steps = [
        { op: 'rotate', params: { rotate: 30 } },
        UPSCALE_SMALL,
        resize(30),
        TO_WEBP,
        { op: 'convert', params: { format: 'png' } },
      ];
      const pipeline = { steps, output_name: '{name}-{width}.{ext}' };
      for (const init of [
        [query({ pipeline, dry_run: 'true', output: 'json', name: 'a.png' }), raw()],
        [PATH, form({ pipeline: JSON.stringify(pipeline), dry_run: '1', name: 'a.png' })],
      ] as [string, RequestInit][]) {
        const answer = await send(...init);
        assert.equal(answer.status, 200, await answer.clone().text());
        assert.equal(answer.headers.get('x-quota-meter'), 'none');
        const plan = (await answer.json()) as {
          steps: Json[];
          result: Json & { predicted_bytes: number; predicted_min_bytes: number; predicted_max_bytes: number };
        } & Json;
        assert.deepEqual(
          [plan.dry_run, plan.pipeline, plan.quota, plan.warnings],
          [true, { name: null, version: null }, { requests: 1, ai: 0 }, []],
        );
        assert.deepEqual(plan.source, {
          format: 'png',
          bytes: image.length,
          width: 60,
          height: 40,
          frames: 1,
          has_alpha: false,
          has_gps: false,
        });
        assert.deepEqual(
          plan.steps.map(({ index, op, status, reason, model }) => [index, op, status, reason, model]),
          [
            [1, 'rotate', 'would_run', null, false],
            [2, 'upscale', 'would_skip', 'condition', false],
            [3, 'resize', 'would_run', null, false],
            [4, 'compress', 'would_run', null, false],
            [5, 'convert', 'would_skip', 'earlier_encoding_used', false],
          ],
        );
        assert.deepEqual(plan.steps[2]?.params, { width: 30, fit: 'inside', enlarge: false, dpr: 1 });
        assert.deepEqual([plan.result.format, plan.result.width, plan.result.filename], ['webp', 30, 'a-30.webp']);
        const { predicted_min_bytes: least, predicted_bytes: bytes, predicted_max_bytes: most } = plan.result;
        assert.ok(least <= bytes && bytes <= most && bytes > 0);
      }
      assert.deepEqual(tasks, ['pipeline-plan', 'pipeline-plan']);
      assert.deepEqual(await used(), { requests: 20_000, ai: 2000 });
      assert.equal(services.uploads.heldBytes, 0);
    });
  });

  it('shows in the plan that a model would run, without needing the scope', async () => {
    await withPipelineService(async ({ send, keyOf }) => {
      const path = query({ pipeline: { steps: [resize(10), UPSCALE_SMALL] }, dry_run: 'true' });
      const plan = (await (await send(path, raw())).json()) as { steps: Json[] } & Json;
      assert.deepEqual([plan.quota, plan.steps[1]?.model, plan.steps[1]?.width], [{ requests: 1, ai: 1 }, true, 20]);
      const headers = await keyOf('ben', [], 'test');
      assert.deepEqual(((await (await send(path, { ...raw(), headers })).json()) as Json).quota, {
        requests: 0,
        ai: 0,
      });
    });
  });

  it('charges one request of each kind when a model has run', async () => {
    verifies('limits.credit.pipeline-model');
    await withPipelineService(async ({ send, keyOf, used, tasks, services }) => {
      const headers = await keyOf('ben', ['ai']);
      const answer = await send(query({ pipeline: { steps: [resize(10), UPSCALE_SMALL] } }), { ...raw(), headers });
      assert.equal(answer.headers.get('x-quota-meter'), 'requests, ai');
      assert.deepEqual((await sizeOf(answer))[0], 20);
      assert.deepEqual(tasks, ['pipeline-plan', 'pipeline']);
      assert.deepEqual(await used(), { requests: 1, ai: 1 });
      const stored = (await (
        await send(query({ pipeline: { steps: [{ op: 'upscale' }] }, output: 'json' }), { ...raw(), headers })
      ).json()) as Json;
      assert.deepEqual([stored.quota_meter, stored.width], ['requests, ai', 120]);
      // This step runs with every image, so no plan is needed before.
      assert.deepEqual(tasks.slice(2), ['pipeline']);
      const account = await services.database.accounts.findByName('ben');
      const [usage] = await services.database.usage.ofMonth(account!.id, monthOf(Date.now()).id);
      assert.deepEqual([usage?.operation, usage?.requests, usage?.ai, usage?.failed], ['pipeline', 2, 2, 0]);
      assert.equal(usage?.bytesIn, 2 * image.length);
    });
  });

  it('charges no AI request and needs no scope if the condition of the model step is false', async () => {
    await withPipelineService(async (desk) => {
      const { send, used, tasks } = desk;
      await useUp(desk, { requests: 0, ai: 2000 });
      const answer = await send(query({ pipeline: { steps: [UPSCALE_SMALL, resize(30)] } }), raw());
      assert.equal(answer.headers.get('x-quota-meter'), 'requests');
      assert.deepEqual((await sizeOf(answer))[0], 30);
      assert.deepEqual(tasks, ['pipeline-plan', 'pipeline']);
      assert.deepEqual(await used(), { requests: 1, ai: 2000 });
    });
  });

  it('needs the scope ai if a model would run', async () => {
    verifies('auth.scope.ai');
    await withPipelineService(async ({ send, used, tasks }) => {
      for (const steps of [[{ op: 'upscale' }], [resize(10), UPSCALE_SMALL]]) {
        const { status, code } = await errorOf(await send(query({ pipeline: { steps } }), raw()));
        assert.deepEqual([status, code], [403, 'scope_required']);
      }
      assert.deepEqual(tasks, ['pipeline-plan']);
      assert.deepEqual(await used(), { requests: 0, ai: 0 });
    });
  });

  it('returns 429 before any work if an allowance is used up', async () => {
    verifies('error.retry-after.429');
    await withPipelineService(async (desk) => {
      const { send, keyOf, tasks } = desk;
      const headers = await keyOf('ben', ['ai']);
      await useUp(desk, { requests: 0, ai: 2000 });
      for (const steps of [[{ op: 'upscale' }], [resize(10), UPSCALE_SMALL]]) {
        const answer = await send(query({ pipeline: { steps } }), { ...raw(), headers });
        assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
        const { status, code, message } = await errorOf(answer);
        assert.deepEqual([status, code], [429, 'quota_exceeded']);
        assert.match(message, /2,000 AI requests/);
      }
      assert.equal((await send(query({ pipeline: { steps: [resize(10)] } }), raw())).status, 200);
      await useUp(desk, { requests: 20_000, ai: 0 });
      for (const steps of [[resize(10)], [resize(10), UPSCALE_SMALL]])
        assert.equal((await errorOf(await send(query({ pipeline: { steps } }), raw()))).code, 'quota_exceeded');
      assert.deepEqual(tasks, ['pipeline-plan', 'pipeline']);
    });
  });

  it('uses no quota with a test key, but one request of its day', async () => {
    verifies('limits.test-key.no-quota', 'header.x-ic-test-mode');
    await withPipelineService(async ({ send, keyOf, used, services }) => {
      const headers = await keyOf('ben', ['ai'], 'test');
      const answer = await send(query({ pipeline: { steps: [resize(10), UPSCALE_SMALL] }, output: 'json' }), {
        ...raw(),
        headers,
      });
      assert.deepEqual(headersOf(answer, 'x-quota-meter', 'x-ic-test-mode'), {
        'x-quota-meter': 'none',
        'x-ic-test-mode': 'true',
      });
      const { quota_meter, test_mode } = (await answer.json()) as Json;
      assert.deepEqual([quota_meter, test_mode], ['none', true]);
      assert.deepEqual(await used(), { requests: 0, ai: 0 });
      const { test } = await services.ledger.balance(await services.authenticate(headers.authorization));
      assert.equal(test.used, 1);
    });
  });

  it('names the step that failed, and charges nothing', async () => {
    await withPipelineService(async ({ send, used, services }) => {
      const steps = [resize(30), { op: 'crop', params: { crop: '50,50,10,10' } }];
      const { status, code, message } = await errorOf(await send(query({ pipeline: { steps } }), raw()));
      assert.deepEqual([status, code], [400, 'invalid_parameter']);
      assert.match(message, /step 2 \(crop\)/);
      const broken = await errorOf(
        await send(query({ pipeline: { steps: [resize(30)] } }), { method: 'POST', body: 'no image' }),
      );
      assert.equal(broken.code, 'unsupported_format');
      assert.deepEqual(await used(), { requests: 0, ai: 0 });
      assert.equal(services.uploads.heldBytes, 0);
    });
  });

  it('rejects a free account before the body', async () => {
    verifies('auth.pro.pipelines', 'error.upgrade-required');
    await withPipelineService(async ({ call, keys, tasks }) => {
      for (const key of [keys.free, keys.test]) {
        const error = await errorOf(
          await call(query({ preset: 'web' }), { ...raw(), headers: { authorization: `Bearer ${key}` } }),
        );
        assert.deepEqual([error.status, error.code, error.param], [403, 'upgrade_required', 'pipelines']);
      }
      assert.deepEqual(tasks, []);
    });
  });

  it('draws a logo that was sent, and requires one if it is missing', async () => {
    await withPipelineService(async ({ send }) => {
      const pipeline = JSON.stringify({ steps: [{ op: 'watermark', params: { logo: true } }] });
      const logo = { watermark_image: new Blob([Buffer.from(await png(pattern(8, 8)))]) };
      assert.deepEqual(await sizeOf(await send(PATH, form({ pipeline }, logo))), [60, 40]);
      const without = await errorOf(await send(PATH, form({ pipeline })));
      assert.deepEqual(
        [without.status, without.code, without.param],
        [400, 'invalid_pipeline', 'steps[0].params.logo'],
      );
      const idle = await errorOf(await send(PATH, form({ preset: 'web' }, logo)));
      assert.deepEqual([idle.status, idle.code, idle.param], [400, 'invalid_parameter', 'watermark_image']);
    });
  });

  it('rejects conflicting and invalid parameters', async () => {
    verifies('pipeline.version.bounds');
    await withPipelineService(async ({ send, tasks }) => {
      const pipeline = { steps: [resize(10)] };
      const cases: [Json, number, string, string][] = [
        [{}, 400, 'invalid_pipeline', 'pipeline'],
        [{ pipeline, preset: 'web' }, 400, 'conflicting_parameters', 'preset'],
        [{ pipeline, version: '1' }, 400, 'conflicting_parameters', 'version'],
        [{ version: '1' }, 400, 'conflicting_parameters', 'version'],
        [{ preset: 'web', version: '0' }, 400, 'invalid_parameter', 'version'],
        [{ preset: 'web', version: '1000001' }, 400, 'invalid_parameter', 'version'],
        [{ preset: 'web', version: '1000000' }, 404, 'preset_not_found', 'version'],
        [{ pipeline: '{"steps":' }, 400, 'invalid_pipeline', 'pipeline'],
        [{ pipeline: { steps: [{ op: 'fly' }] } }, 400, 'invalid_pipeline', 'steps[0].op'],
        [{ pipeline, dry_run: 'yes' }, 400, 'invalid_parameter', 'dry_run'],
        [{ pipeline, name: 'a'.repeat(256) }, 400, 'invalid_parameter', 'name'],
        [{ pipeline, output: 'zip' }, 400, 'invalid_parameter', 'output'],
        [{ pipeline, deliver_to: 'https://example.com/' }, 400, 'invalid_parameter', 'deliver_to'],
        [{ pipeline, page: '2' }, 400, 'invalid_parameter', 'page'],
      ];
      for (const [values, status, code, param] of cases) {
        const error = await errorOf(await send(query(values), raw()));
        assert.deepEqual([error.status, error.code, error.param], [status, code, param], JSON.stringify(values));
      }
      const texts = Object.fromEntries(Object.entries({ pipeline: JSON.stringify(pipeline), preset: 'web' }));
      assert.equal((await errorOf(await send(PATH, form(texts)))).code, 'conflicting_parameters');
      assert.equal((await errorOf(await send(PATH, form({})))).code, 'invalid_pipeline');
      for (const value of [null, 5, [], { steps: [] }])
        assert.equal(
          (await errorOf(await send(PATH, json({ url: 'http://example.com/', pipeline: value })))).status,
          400,
        );
      const empty = await errorOf(await send(query({ pipeline }), { method: 'POST', body: '' }));
      assert.equal(empty.code, 'missing_image');
      assert.deepEqual(tasks, []);
    });
  });
});
