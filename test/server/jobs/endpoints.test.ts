import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { unzipSync } from 'fflate';
import { newId } from '../../../base/id.ts';
import type { JobRecord } from '../../../server/jobs/record.ts';
import { withFolder } from '../../support/folder.ts';
import { eventsOf } from '../../support/server-sent-events.ts';
import { type TestService, withService } from '../../support/service.ts';
import { verifies } from '../../support/verifies.ts';

const PATH = '/api/v1/jobs';
const IMAGE = new Uint8Array([0xff, 0xd8, 0xff, 1, 2, 3]);

interface Answer {
  status: number;
  headers: Headers;
  body: JobRecord & { jobs: JobRecord[]; error: { code: string; param?: string; message: string } };
}

async function send(
  service: TestService,
  path: string,
  init: RequestInit = {},
  key = service.keys.pro,
): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, ...(init.headers as object) };
  const response = await service.call(path, { ...init, headers });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
}

const post = (service: TestService, body: unknown, headers: object = {}, key?: string, path = PATH) =>
  send(
    service,
    path,
    { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } },
    key,
  );

function form(parts: Record<string, string | Uint8Array>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(parts)) {
    if (typeof value === 'string') data.set(name, value);
    else data.set(name, new Blob([new Uint8Array(value)]), `${name}.jpg`);
  }
  return data;
}

const inputs = (count: number) => Array.from({ length: count }, (_, n) => ({ url: `https://example.com/${n}.jpg` }));
const errorOf = ({ status, body }: Answer) => [status, body.error?.code, body.error?.param];

describe('POST /api/v1/jobs', () => {
  it('accepts addresses, and returns the Location of the job', async () => {
    verifies('jobs.create', 'jobs.create.inputs', 'jobs.create.pipeline', 'jobs.list', 'jobs.get');
    await withService(async (service) => {
      const steps = [{ op: 'resize', when: { min_width: 100 }, params: { width: 64 } }];
      const answer = await post(service, { inputs: inputs(2), pipeline: { steps, output_name: '{index}.{ext}' } });
      assert.equal(answer.status, 202);
      const { body, headers } = answer;
      assert.equal(headers.get('location'), `${PATH}/${body.id}`);
      assert.equal(headers.get('x-quota-meter'), 'none');
      assert.match(body.id, /^job_[0-9A-Z]{26}$/);
      assert.equal(body.status, 'queued');
      assert.deepEqual(body.pipeline, { name: null, version: null, steps, outputs: null });
      assert.deepEqual(body.progress, { total: 2, done: 0, failed: 0, cancelled: 0, percent: 0 });
      assert.deepEqual(
        body.results.map(({ index, status, input, url }) => [index, status, input, url]),
        [
          [0, 'queued', 'https://example.com/0.jpg', null],
          [1, 'queued', 'https://example.com/1.jpg', null],
        ],
      );
      assert.deepEqual((await send(service, `${PATH}/${body.id}`)).body, body);
      assert.deepEqual((await send(service, PATH)).body, { jobs: [body], total: 1, limit: 500, offset: 0 });
    });
  });

  it('compresses by default, also as /batch', async () => {
    verifies('jobs.batch');
    await withService(async (service) => {
      const { status, body } = await post(service, { inputs: inputs(1) }, {}, undefined, '/api/v1/batch');
      assert.equal(status, 202);
      assert.deepEqual(body.pipeline.steps, [{ op: 'compress', params: {} }]);
    });
  });

  it('accepts as many addresses as the plan of the operator allows', async () => {
    await withFolder(async (folder) => {
      const plansFile = join(folder, 'plans.json');
      await writeFile(plansFile, JSON.stringify({ pro: { job_images_json: 4000 } }));
      await withService(
        async (service) => {
          const { status, body } = await post(service, { inputs: inputs(4000), preset: 'web' });
          assert.deepEqual([status, body.progress?.total], [202, 4000]);
          assert.deepEqual(errorOf(await post(service, { inputs: inputs(4001) })), [400, 'too_many_images', undefined]);
        },
        { env: { IC_PLANS_FILE: plansFile } },
      );
    });
  });

  it('accepts images as ordered parts, with the pipeline, a preset and a webhook as text', async () => {
    verifies('jobs.create.multipart', 'jobs.create.preset');
    await withService(async (service) => {
      const parts = {
        image_2: IMAGE,
        image: IMAGE,
        image_1: IMAGE,
        preset: 'web',
        webhook_url: 'https://example.com/hook?secret=1',
      };
      const { status, body } = await send(service, PATH, { method: 'POST', body: form(parts) });
      assert.equal(status, 202);
      assert.deepEqual(
        body.results.map(({ input }) => input),
        ['image.jpg', 'image_1.jpg', 'image_2.jpg'],
      );
      assert.equal(body.pipeline.name, 'web');
      assert.equal(body.webhook?.url, 'https://example.com/hook');
      const pipeline = JSON.stringify({ steps: [{ op: 'flip', params: { flip: 'h' } }] });
      const other = await send(service, PATH, { method: 'POST', body: form({ image: IMAGE, pipeline }) });
      assert.deepEqual(other.body.pipeline.steps, [{ op: 'flip', params: { flip: 'h' } }]);
    });
  });

  it('rejects each invalid job with its code', async () => {
    await withService(async (service) => {
      const cases: [unknown, unknown[]][] = [
        [{}, [400, 'missing_image', 'inputs']],
        [{ inputs: [] }, [400, 'missing_image', 'inputs']],
        [{ inputs: 'https://example.com/1.jpg' }, [400, 'invalid_parameter', 'inputs']],
        [{ inputs: ['https://example.com/1.jpg'] }, [400, 'invalid_parameter', 'inputs[0]']],
        [{ inputs: [{ url: 'https://example.com/1.jpg', name: 'x' }] }, [400, 'invalid_parameter', 'inputs[0]']],
        [{ inputs: [...inputs(1), { url: 'nowhere' }] }, [400, 'invalid_url', 'inputs[1].url']],
        [{ inputs: [{ url: 'file:///etc/passwd' }] }, [400, 'invalid_url', 'inputs[0].url']],
        [{ inputs: [{ url: 'http://127.0.0.1/1.jpg' }] }, [400, 'url_not_allowed', 'inputs[0].url']],
        [{ inputs: inputs(101) }, [400, 'too_many_images', undefined]],
        [{ inputs: inputs(1), pipeline: { steps: [] } }, [400, 'invalid_pipeline', 'steps']],
        [{ inputs: inputs(1), pipeline: { steps: [{ op: 'fly' }] } }, [400, 'invalid_pipeline', 'steps[0].op']],
        [{ inputs: inputs(1), preset: 'nothing' }, [404, 'preset_not_found', 'preset']],
        [
          { inputs: inputs(1), preset: 'web', pipeline: { steps: [{ op: 'orient' }] } },
          [400, 'conflicting_parameters', 'preset'],
        ],
        [
          { inputs: inputs(1), pipeline: { steps: [{ op: 'watermark', params: { logo: true } }] } },
          [400, 'invalid_pipeline', 'steps[0].params.logo'],
        ],
        [
          { inputs: inputs(1), pipeline: { steps: [{ op: 'compress' }, { op: 'orient' }, { op: 'flip' }] } },
          [400, 'invalid_pipeline', 'steps[2].op'],
        ],
        [{ inputs: inputs(1), version: 2 }, [400, 'conflicting_parameters', 'version']],
        [{ inputs: inputs(1), webhook_url: 'http://example.com/hook' }, [400, 'url_not_allowed', 'webhook_url']],
        [{ inputs: inputs(1), webhook_url: 'https://10.0.0.1/hook' }, [400, 'url_not_allowed', 'webhook_url']],
        [{ inputs: inputs(1), steps: [] }, [400, 'invalid_parameter', 'steps']],
      ];
      for (const [body, error] of cases)
        assert.deepEqual(errorOf(await post(service, body)), error, JSON.stringify(body).slice(0, 200));
      assert.deepEqual((await send(service, PATH)).body, { jobs: [], total: 0, limit: 500, offset: 0 });
      const empty = await send(service, PATH, {
        method: 'POST',
        body: form({ image: IMAGE, image_1: new Uint8Array(0) }),
      });
      assert.deepEqual(errorOf(empty), [400, 'invalid_parameter', 'image_1']);
      const undrawn = await send(service, PATH, {
        method: 'POST',
        body: form({ image: IMAGE, watermark_image: IMAGE }),
      });
      assert.deepEqual(errorOf(undrawn), [400, 'invalid_parameter', 'watermark_image']);
      const raw = await send(service, PATH, { method: 'POST', body: IMAGE, headers: { 'content-type': 'image/jpeg' } });
      assert.deepEqual(errorOf(raw), [415, 'unsupported_media_type', undefined]);
      const unknown = await post(service, { inputs: inputs(1) }, {}, undefined, `${PATH}?wait=1`);
      assert.deepEqual(errorOf(unknown), [400, 'invalid_parameter', 'wait']);
    });
  });

  it('names inputs to a client that sends the images otherwise', async () => {
    await withService(async (service) => {
      const address = 'https://example.com/1.jpg';
      for (const body of [
        {},
        { inputs: [] },
        { url: address },
        { images: [address] },
        { urls: [address] },
        [address],
      ]) {
        const { status, body: answer } = await post(service, body);
        const { message, hint } = answer.error as unknown as Record<string, string>;
        assert.equal(status, 400);
        assert.match(`${message} ${hint}`, /\binputs\b/, JSON.stringify(body));
      }
      const nothing = await send(service, PATH, { method: 'POST', body: form({ preset: 'web' }) });
      assert.deepEqual(errorOf(nothing), [400, 'missing_image', 'image']);
    });
  });

  it('rejects a form with more images than a job may have as too many images', async () => {
    await withService(async (service) => {
      const images = Array.from({ length: 25 }, (_, n) => [n === 0 ? 'image' : `image_${n}`, IMAGE] as const);
      const tooMany = await send(service, PATH, { method: 'POST', body: form(Object.fromEntries(images)) });
      assert.deepEqual(errorOf(tooMany), [400, 'too_many_images', undefined]);
      assert.equal(tooMany.body.error.message, 'Expected at most 20 images for a job but received one more, image_20.');
      const other = await send(service, PATH, { method: 'POST', body: form({ image: IMAGE, image_01: IMAGE }) });
      assert.deepEqual(errorOf(other), [400, 'invalid_parameter', 'image_01']);
      const all = await send(service, PATH, { method: 'POST', body: form(Object.fromEntries(images.slice(0, 20))) });
      assert.deepEqual([all.status, all.body.progress?.total], [202, 20]);
    });
  });

  it('keeps no upload of a rejected job', async () => {
    await withService(
      async (service) => {
        const folder = join(service.services.config.dataDir, 'jobs');
        const first = await send(service, PATH, { method: 'POST', body: form({ image: IMAGE }) });
        assert.equal(first.status, 202);
        const one = await send(service, PATH, { method: 'POST', body: form({ image: IMAGE }) });
        assert.deepEqual(errorOf(one), [429, 'too_many_jobs', undefined]);
        assert.ok(one.headers.get('retry-after'));
        assert.equal(
          (await readdir(folder)).filter((name) => name.startsWith('job_')).length,
          1,
          'only the source of the accepted job is kept',
        );
      },
      { env: { IC_JOBS_QUEUED: '1' } },
    );
  });

  it('requires a Pro account, and the scope ai if a model is certain to run', async () => {
    verifies('auth.pro.jobs');
    await withService(async (service) => {
      const free = await post(service, { inputs: inputs(1) }, {}, service.keys.free);
      assert.deepEqual(errorOf(free), [403, 'upgrade_required', 'jobs']);
      const pipeline = { steps: [{ op: 'upscale' }] };
      assert.deepEqual(errorOf(await post(service, { inputs: inputs(1), pipeline })), [
        403,
        'scope_required',
        undefined,
      ]);
      const conditional = { steps: [{ op: 'upscale', when: { max_width: 100 } }] };
      assert.equal((await post(service, { inputs: inputs(1), pipeline: conditional })).status, 202);
    });
  });
});

describe('GET /api/v1/jobs', () => {
  it('returns a page of the list, newest first, with the total', async () => {
    await withService(async (service) => {
      const ids: string[] = [];
      for (let n = 0; n < 7; n += 1) ids.unshift((await post(service, { inputs: inputs(100) })).body.id);
      const whole = await send(service, PATH);
      assert.deepEqual(
        whole.body.jobs.map(({ id, results }) => [id, results.length]),
        ids.map((id) => [id, 100]),
      );
      // The list is too long to be written in one piece, so it has no Content-Length.
      assert.equal(whole.headers.get('content-length'), null);
      for (const [query, from, to, limit, offset] of [
        ['limit=3', 0, 3, 3, 0],
        ['limit=3&offset=6', 6, 7, 3, 6],
        ['offset=2', 2, 7, 500, 2],
        ['offset=9', 9, 9, 500, 9],
      ] as const) {
        const { jobs, ...rest } = (await send(service, `${PATH}?${query}`)).body;
        assert.deepEqual(jobs, whole.body.jobs.slice(from, to), query);
        assert.deepEqual(rest, { total: 7, limit, offset });
      }
      for (const [query, param] of [
        ['limit=0', 'limit'],
        ['limit=501', 'limit'],
        ['offset=-1', 'offset'],
        ['page=1', 'page'],
      ])
        assert.deepEqual(errorOf(await send(service, `${PATH}?${query}`)), [400, 'invalid_parameter', param]);
    });
  });
});

describe('Idempotency-Key', () => {
  it('returns the existing job for the same request', async () => {
    verifies('jobs.create.idempotency');
    await withService(async (service) => {
      const key = { 'Idempotency-Key': 'order 7' };
      const first = await post(service, { inputs: inputs(2), preset: 'web' }, key);
      assert.equal(first.status, 202);
      const again = await post(
        service,
        { preset: 'web', inputs: inputs(2) },
        { 'Idempotency-Key': '"order 7"' },
        undefined,
        '/api/v1/batch',
      );
      assert.deepEqual(
        [again.status, again.body.id, again.headers.get('location')],
        [200, first.body.id, `${PATH}/${first.body.id}`],
      );
      const other = await post(service, { inputs: inputs(1), preset: 'web' }, key);
      assert.deepEqual(errorOf(other), [422, 'idempotency_key_reused', 'Idempotency-Key']);
      assert.equal((await send(service, PATH)).body.jobs.length, 1);
    });
  });

  it('returns the existing job even if the preset or the quota has changed since', async () => {
    await withService(async (service) => {
      const { database, authenticate, now } = service.services;
      const { account } = await authenticate(`Bearer ${service.keys.pro}`);
      const saved = { name: 'mine', pipeline: { steps: [{ op: 'orient' }] } };
      assert.equal((await post(service, saved, {}, undefined, '/api/v1/pipelines')).status, 201);
      const key = { 'Idempotency-Key': 'k' };
      const first = await post(service, { inputs: inputs(1), preset: 'mine' }, key);
      await send(service, '/api/v1/pipelines/mine', { method: 'DELETE' });
      const month = { subject: account.id, period: new Date(now()).toISOString().slice(0, 7) };
      await database.meters.reserve(month, { requests: 20_000, ai: 0 }, { requests: null, ai: null, total: null });
      const again = await post(service, { inputs: inputs(1), preset: 'mine' }, key);
      assert.deepEqual([again.status, again.body.id], [200, first.body.id]);
      assert.deepEqual(errorOf(await post(service, { inputs: inputs(1) })), [429, 'quota_exceeded', undefined]);
    });
  });

  it('compares uploads by their bytes and names', async () => {
    await withService(async (service) => {
      const ask = (parts: Record<string, string | Uint8Array>) =>
        send(service, PATH, { method: 'POST', body: form(parts), headers: { 'Idempotency-Key': 'k' } });
      const first = await ask({ image: IMAGE, image_1: IMAGE });
      assert.equal((await ask({ image_1: IMAGE, image: IMAGE })).body.id, first.body.id);
      const changed = IMAGE.slice();
      changed[5] = 9;
      assert.deepEqual(errorOf(await ask({ image: IMAGE, image_1: changed })), [
        422,
        'idempotency_key_reused',
        'Idempotency-Key',
      ]);
    });
  });

  it('is rejected while the first request is still being accepted, and if it is invalid', async () => {
    verifies('jobs.create.idempotency.length');
    await withService(async (service) => {
      const { account } = await service.services.authenticate(`Bearer ${service.keys.pro}`);
      const endClaim = await service.services.jobs.claim(account.id, 'k');
      const during = await post(service, { inputs: inputs(1) }, { 'Idempotency-Key': 'k' });
      assert.deepEqual(errorOf(during), [409, 'idempotency_in_progress', 'Idempotency-Key']);
      await endClaim();
      assert.equal((await post(service, { inputs: inputs(1) }, { 'Idempotency-Key': 'k' })).status, 202);
      for (const bad of ['', '""', 'x'.repeat(129), 'é'])
        assert.deepEqual(
          errorOf(await post(service, { inputs: inputs(1) }, { 'Idempotency-Key': bad })),
          [400, 'invalid_parameter', 'Idempotency-Key'],
          bad,
        );
      assert.equal((await post(service, { inputs: inputs(1) }, { 'Idempotency-Key': 'x'.repeat(128) })).status, 202);
    });
  });

  it('can be used again if its request was rejected', async () => {
    await withService(async (service) => {
      const key = { 'Idempotency-Key': 'k' };
      assert.equal((await post(service, { inputs: [] }, key)).status, 400);
      assert.equal((await post(service, { inputs: inputs(1) }, key)).status, 202);
    });
  });
});

/** Completes the next item of a job, as the runner does. */
async function finishNext(service: TestService, data = IMAGE): Promise<void> {
  const { database, results, jobs } = service.services;
  const now = new Date().toISOString();
  const leased = await database.transaction(({ jobQueue }) => jobQueue.lease({ now, until: now, runningJobs: 5 }));
  assert.ok(leased, 'an item is due');
  const { job, item } = leased;
  const description = { contentType: 'image/webp', format: 'webp', width: 4, height: 3 };
  const file = await results.put(job.accountId, {
    data: new Uint8Array(data).buffer,
    filename: 'photo.webp',
    ...description,
  });
  const result = {
    expires_at: file.expiresAt,
    filename: file.filename,
    content_type: 'image/webp',
    format: 'webp',
    width: 4,
    height: 3,
    outcome: 'reduced',
    warnings: [],
    duration_ms: 5,
    sha256: file.sha256,
    steps: [],
  };
  const done = {
    fileId: file.id,
    result: JSON.stringify(result),
    originalBytes: 10,
    bytes: data.length,
    requests: 1,
    ai: 0,
    finishedAt: now,
  };
  await database.transaction(({ jobQueue }) => jobQueue.complete(item, done));
  jobs.events.emit({ type: 'item', jobId: job.id, position: item.position });
}

describe('a job', () => {
  it('is visible to its own account only, which can cancel it', async () => {
    verifies('jobs.cancel', 'jobs.cancel.keeps-finished');
    await withService(async (service) => {
      const { body } = await post(service, { inputs: inputs(2) });
      await finishNext(service);
      for (const [path, method] of [
        ['', 'GET'],
        ['', 'DELETE'],
        ['/events', 'GET'],
        ['/zip', 'GET'],
      ] as const) {
        const answer = await send(service, `${PATH}/${body.id}${path}`, { method }, service.keys.free);
        assert.deepEqual(errorOf(answer), [404, 'not_found', 'id'], `${method} ${path}`);
      }
      assert.deepEqual(errorOf(await send(service, `${PATH}/${newId('job')}`)), [404, 'not_found', 'id']);
      const cancelled = await send(service, `${PATH}/${body.id}`, { method: 'DELETE' });
      assert.deepEqual(
        [cancelled.status, cancelled.body.status, cancelled.body.results.map(({ status }) => status)],
        [200, 'cancelled', ['done', 'cancelled']],
      );
      assert.ok(cancelled.body.results[0]?.url, 'what is finished keeps its result');
      assert.deepEqual((await send(service, `${PATH}/${body.id}`, { method: 'DELETE' })).body, cancelled.body);
    });
  });

  it('sends its events in order', async () => {
    await withService(async (service) => {
      const { body } = await post(service, { inputs: inputs(2) });
      const response = await service.call(`${PATH}/${body.id}/events`, {
        headers: { authorization: `Bearer ${service.keys.pro}` },
      });
      assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
      assert.equal(response.headers.get('cache-control'), 'no-store');
      const events = eventsOf(response);
      const next = async () => (await events.next()).value as { name: string; data: Record<string, never> };
      assert.deepEqual(await next(), { name: 'job', data: body as never });
      await finishNext(service);
      const result = await next();
      assert.deepEqual([result.name, result.data.index, result.data.status], ['result', 0, 'done']);
      const progress = await next();
      assert.deepEqual(
        [progress.name, progress.data.progress],
        ['progress', { total: 2, done: 1, failed: 0, cancelled: 0, percent: 50 }],
      );
      await send(service, `${PATH}/${body.id}`, { method: 'DELETE' });
      const end = await next();
      assert.deepEqual([end.name, end.data.status], ['end', 'cancelled']);
      assert.equal((await events.next()).done, true, 'the stream ends with the job');
      const late = eventsOf(
        await service.call(`${PATH}/${body.id}/events`, { headers: { authorization: `Bearer ${service.keys.pro}` } }),
      );
      const names: string[] = [];
      for await (const { name } of late) names.push(name);
      assert.deepEqual(names, ['job', 'end']);
    });
  });

  it('ends its event stream when the service is stopped', async () => {
    await withService(async (service) => {
      const { body } = await post(service, { inputs: inputs(1) });
      const headers = { authorization: `Bearer ${service.keys.pro}` };
      const events = eventsOf(await service.call(`${PATH}/${body.id}/events`, { headers }));
      assert.equal((await events.next()).value?.name, 'job');
      service.services.jobs.events.close();
      assert.equal((await events.next()).done, true);
    });
  });

  it('returns all its results as one ZIP once it has ended', async () => {
    let now = Date.now();
    await withService(
      async (service) => {
        const { body } = await post(service, { inputs: inputs(3) });
        const zip = () =>
          service.call(`${PATH}/${body.id}/zip`, { headers: { authorization: `Bearer ${service.keys.pro}` } });
        await finishNext(service, new Uint8Array([1, 2, 3]));
        await finishNext(service, new Uint8Array([4, 5]));
        assert.deepEqual(errorOf(await send(service, `${PATH}/${body.id}/zip`)), [409, 'invalid_state', 'id']);
        await send(service, `${PATH}/${body.id}`, { method: 'DELETE' });
        const answer = await zip();
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get('content-type'), 'application/zip');
        assert.match(
          answer.headers.get('content-disposition') ?? '',
          new RegExp(`attachment; filename="${body.id}.zip"`),
        );
        assert.deepEqual(unzipSync(new Uint8Array(await answer.arrayBuffer())), {
          'photo.webp': new Uint8Array([1, 2, 3]),
          'photo (2).webp': new Uint8Array([4, 5]),
        });
        now += 3_600_001;
        const late = await zip();
        assert.equal(late.status, 410);
        const { body: other } = await post(service, { inputs: inputs(1) });
        await send(service, `${PATH}/${other.id}`, { method: 'DELETE' });
        assert.deepEqual(errorOf(await send(service, `${PATH}/${other.id}/zip`)), [409, 'invalid_state', 'id']);
      },
      { now: () => now },
    );
  });
});
