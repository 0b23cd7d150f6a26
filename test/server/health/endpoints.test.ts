import assert from 'node:assert/strict';
import { chmod, copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageVersion } from '../../../server/version.ts';
import { databaseFile } from '../../../storage/sqlite/database.ts';
import { letGrow, stopGrowth, watchConnections } from '../../support/kysely.ts';
import { MODELS_FOLDER, modelsSkipReason } from '../../support/models.ts';
import { withService } from '../../support/service.ts';
import { sendRaw } from '../../support/socket.ts';

const COMPRESS = '/api/v1/compress';

describe('/healthz and /readyz', () => {
  it('report that the service is alive and ready, without a key', async () => {
    await withService(async ({ origin }) => {
      const healthz = await fetch(`${origin}/healthz`);
      assert.deepEqual([healthz.status, await healthz.json()], [200, { status: 'ok' }]);
      const readyz = await fetch(`${origin}/readyz`);
      const checks = { database: 'ok', workers: 'ok', storage: 'ok', codecs: 'ok' };
      const models = { background: 'missing', upscale: 'ready', faces: 'missing', ocr: 'ready' };
      assert.deepEqual([readyz.status, await readyz.json()], [200, { status: 'ready', checks, models }]);
    });
  });

  it('report unready while starting, while draining and when something does not work', async () => {
    await withService(async ({ origin, services, engine }) => {
      const readyz = async () => {
        const answer = await fetch(`${origin}/readyz`);
        return [answer.status, ((await answer.json()) as { status: string }).status];
      };
      services.lifecycle = 'starting';
      assert.deepEqual(await readyz(), [503, 'starting']);
      services.lifecycle = 'draining';
      assert.deepEqual(await readyz(), [503, 'draining']);
      services.lifecycle = 'ready';
      const { stats } = engine;
      engine.stats = () => ({ ...stats(), workers: 0 });
      assert.deepEqual(await readyz(), [503, 'failed']);
      engine.stats = stats;
      assert.deepEqual(await readyz(), [200, 'ready']);
      await services.database.close();
      assert.deepEqual(await readyz(), [503, 'failed']);
    });
  });

  it('report ready with models that are damaged or do not load, and name these', async () => {
    await withService(async ({ origin, services, engine }) => {
      const faces = async () => {
        const answer = await fetch(`${origin}/readyz`);
        const { status, models } = (await answer.json()) as { status: string; models: Record<string, string> };
        assert.deepEqual([answer.status, status, models.ocr, models.background], [200, 'ready', 'ready', 'missing']);
        return [models.faces, models.upscale];
      };
      await mkdir(services.config.modelsDir);
      const path = join(services.config.modelsDir, 'yunet-n.onnx');
      await writeFile(path, 'Please sign in');
      assert.deepEqual(await faces(), ['failed', 'ready']);
      await rm(path);
      assert.deepEqual(await faces(), ['missing', 'ready']);
      const stats = engine.stats();
      engine.stats = () => ({ ...stats, models: { 'imagecrew-x2': 'failed' } });
      assert.deepEqual(await faces(), ['missing', 'failed']);
      engine.stats = () => ({ ...stats, models: { 'imagecrew-x2': 'loaded' } });
      assert.deepEqual(await faces(), ['missing', 'ready']);
    });
  });

  it('find a model as soon as it exists, under any name', { skip: modelsSkipReason }, async () => {
    await withService(async ({ origin, services }) => {
      const states = async () =>
        ((await (await fetch(`${origin}/readyz`)).json()) as { models: Record<string, string> }).models;
      const { modelsDir } = services.config;
      const { faces, ...others } = await states();
      assert.equal(faces, 'missing');
      await mkdir(modelsDir);
      await copyFile(join(MODELS_FOLDER, 'faces-yunet-n.onnx'), join(modelsDir, 'any-name.onnx'));
      assert.deepEqual(await states(), { ...others, faces: 'ready' });
      await rm(join(modelsDir, 'any-name.onnx'));
      assert.deepEqual(await states(), { ...others, faces: 'missing' });
    });
  });

  it('report ready with a full disk, and mention it', async (t) => {
    const opened = watchConnections(t);
    await withService(async ({ origin, services, call }) => {
      const state = async () => {
        const answer = await fetch(`${origin}/readyz`);
        const { status, checks } = (await answer.json()) as { status: string; checks: Record<string, string> };
        return [answer.status, status, checks.storage];
      };
      assert.deepEqual(await state(), [200, 'ready', 'ok']);
      const [connection] = opened;
      stopGrowth(connection!);
      const insert = connection!.prepare('insert into meters (subject, period) values (?, ?)');
      assert.throws(() => {
        for (let n = 0; ; n += 1) insert.run(`acct_${n}`, '2026-11');
      });
      assert.throws(() => {
        for (let n = 0; ; n += 1) insert.run(`zzzz_${n}`, '2026-11');
      });
      for (let n = 0; n < 3; n += 1) assert.equal((await call(COMPRESS, { method: 'POST', body: 'abc' })).status, 200);
      assert.deepEqual(await state(), [200, 'ready', 'full']);
      letGrow(connection!);
      await services.ledger.stop();
      assert.deepEqual(await state(), [200, 'ready', 'ok']);
    });
  });

  it('report unready when the database file was overwritten or removed at run time', async () => {
    await withService(async ({ origin, services, call }) => {
      const state = async () => {
        const answer = await fetch(`${origin}/readyz`);
        const { status, checks } = (await answer.json()) as { status: string; checks: Record<string, string> };
        return [answer.status, status, checks.database];
      };
      // The connection of the service reads its pages of the database before the file changes.
      assert.equal((await call('/api/v1/usage')).status, 200);
      assert.deepEqual(await state(), [200, 'ready', 'ok']);
      const paths = ['', '-wal'].map((suffix) => databaseFile(services.config.dataDir) + suffix);
      const whole = await Promise.all(paths.map((path) => readFile(path)));
      for (const [at, path] of paths.entries()) await writeFile(path, Buffer.alloc(whole[at]!.length, 'Z'));
      assert.deepEqual(await state(), [503, 'failed', 'failed']);
      for (const [at, path] of paths.entries()) await writeFile(path, whole[at]!);
      assert.deepEqual(await state(), [200, 'ready', 'ok']);
      await rename(paths[0]!, `${paths[0]}-gone`);
      assert.deepEqual(await state(), [503, 'failed', 'failed']);
      await rename(`${paths[0]}-gone`, paths[0]!);
      assert.deepEqual(await state(), [200, 'ready', 'ok']);
    });
  });

  it('report unready when the data folder is gone', async () => {
    const clock = { time: 0 };
    await withService(
      async ({ origin, services }) => {
        const state = async () => (await fetch(`${origin}/readyz`)).status;
        assert.equal(await state(), 200);
        const { dataDir } = services.config;
        await rename(dataDir, `${dataDir}-gone`);
        clock.time += 1000;
        assert.equal(await state(), 503);
        await rename(`${dataDir}-gone`, dataDir);
        clock.time += 1000;
        assert.equal(await state(), 200);
      },
      { now: () => clock.time },
    );
  });

  it('report unready when the data folder cannot be written', {
    skip: process.getuid?.() === 0 && 'root may write everywhere',
  }, async () => {
    await withService(async ({ origin, services }) => {
      await chmod(services.config.dataDir, 0o500);
      const { status } = await fetch(`${origin}/readyz`);
      await chmod(services.config.dataDir, 0o700);
      assert.equal(status, 503);
    });
  });
});

describe('/metrics', () => {
  it('counts requests, errors, times, bytes and tasks', async () => {
    await withService(async ({ call, origin, services, engine }) => {
      const stats = engine.stats();
      engine.stats = () => ({ ...stats, models: { 'yunet-n': 'loaded', u2netp: 'failed' } });
      await (await call(COMPRESS, { method: 'POST', body: 'abc' })).arrayBuffer();
      await (await call(`${COMPRESS}?quality=0`, { method: 'POST', body: 'abc' })).arrayBuffer();
      await (await call('/nothing/secret')).text();
      services.metrics.observer.taskEnded?.({
        task: 'compress',
        lane: 'interactive',
        outcome: 'crashed',
        waitMs: 1,
        runMs: 2,
        bytesIn: 3,
        bytesOut: 4,
      });
      services.metrics.observer.workerRestarted?.('memory');
      const text = await (await fetch(`${origin}/metrics`)).text();
      for (const line of [
        'ic_requests_total{operation="compress",status="200"} 1',
        'ic_requests_total{operation="compress",status="400"} 1',
        'ic_requests_total{operation="none",status="404"} 1',
        'ic_errors_total{code="invalid_parameter"} 1',
        'ic_request_duration_seconds_count{operation="compress"} 2',
        'ic_phase_duration_seconds_count{phase="queue"} 1',
        'ic_phase_duration_seconds_count{phase="encode"} 1',
        'ic_bytes_in_total 3',
        'ic_tasks_total{task="compress",outcome="crashed"} 1',
        'ic_worker_restarts_total{reason="memory"} 1',
        // Known labels start at 0.
        'ic_worker_restarts_total{reason="crash"} 0',
        'ic_requests_total{operation="upscale",status="200"} 0',
        'ic_errors_total{code="internal_error"} 0',
        'ic_phase_duration_seconds_count{phase="fetch"} 0',
        'ic_tasks_total{task="ocr",outcome="timeout"} 0',
        'ic_webhook_deliveries_total{result="failed"} 0',
        `ic_build_info{version="${packageVersion()}",node="${process.versions.node}"} 1`,
        'ic_workers 1',
        'ic_workers_busy 0',
        'ic_queue_length 0',
        'ic_stored_bytes 0',
        'ic_jobs{status="queued"} 0',
        'ic_jobs{status="cancelled"} 0',
        'ic_memory_bytes{kind="wasm"} 0',
        'ic_model_loaded{model="yunet-n"} 1',
        'ic_model_loaded{model="u2netp"} 0',
        'ic_model_loaded{model="imagecrew-x2"} 0',
      ])
        assert.ok(text.split('\n').includes(line), line);
      assert.match(text, /^ic_bytes_out_total [1-9]/m);
      assert.match(text, /^ic_memory_bytes\{kind="rss"\} [1-9]/m);
      for (const name of [
        'ic_disk_free_bytes',
        'ic_memory_limit_bytes',
        'process_cpu_seconds_total',
        'nodejs_heap_size_used_bytes',
      ])
        assert.match(text, new RegExp(`^${name} [0-9]`, 'm'));
      assert.doesNotMatch(text, /secret|anna|ic_live/);
    });
  });

  it('are only available on this machine, not behind a proxy, if there is no token', async () => {
    await withService(async ({ origin }) => {
      assert.equal((await fetch(`${origin}/metrics`)).status, 200);
      for (const name of ['X-Forwarded-For', 'Forwarded', 'Via'])
        assert.equal((await fetch(`${origin}/metrics`, { headers: { [name]: '192.0.2.1' } })).status, 404);
    });
  });

  it('require the token if there is one', async () => {
    await withService(
      async ({ origin }) => {
        const status = async (authorization?: string) =>
          (await fetch(`${origin}/metrics`, authorization ? { headers: { authorization } } : {})).status;
        assert.deepEqual(
          [
            await status(),
            await status('Bearer wrong'),
            await status('Bearer correct-hors'),
            await status('Bearer correct-horse'),
          ],
          [401, 401, 401, 200],
        );
      },
      { env: { IC_METRICS_TOKEN: 'correct-horse' } },
    );
  });
});

describe('the log', () => {
  it('has one line per request, without its query, its key or its filename', async () => {
    await withService(async ({ call, logged, keys, port }) => {
      await (
        await call(`${COMPRESS}?filename=hunter2.png`, {
          method: 'POST',
          body: 'abc',
          headers: { 'x-request-id': 'mine' },
        })
      ).arrayBuffer();
      await sendRaw(port, 'GET /nothing?token=hunter2 HTTP/1.0\r\n\r\n');
      const [first, second, ...rest] = logged();
      assert.deepEqual(rest, []);
      const { time, duration_ms, account_id, key_id, ...line } = first ?? {};
      assert.match(String(time), /^20.+Z$/);
      assert.match(String(account_id), /^acct_/);
      assert.match(String(key_id), /^key_/);
      assert.equal(typeof duration_ms, 'number');
      assert.deepEqual(line, {
        level: 30,
        request_id: 'mine',
        method: 'POST',
        path: COMPRESS,
        status: 200,
        operation: 'compress',
        bytes_in: 3,
        bytes_out: 3,
        pixels: 48,
        outcome: 'reduced',
        phases_ms: { queue: 1, decode: 1, process: 2, encode: 3 },
        msg: 'request',
      });
      assert.deepEqual([second?.status, second?.error, second?.path], [404, 'not_found', '/nothing']);
      const text = JSON.stringify(logged());
      assert.doesNotMatch(text, /hunter2/);
      assert.ok(!text.includes(keys.free));
    });
  });
});

describe('JSON responses', () => {
  /** A response of a few kilobytes that needs no key. */
  const PRESETS = '/api/v1/id-photo';

  it('are compressed for clients that accept it, if they are large enough', async () => {
    await withService(async ({ port }) => {
      const get = (path: string, encoding: string) =>
        sendRaw(port, `GET ${path} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ${encoding}\r\n\r\n`);
      const packed = await get(PRESETS, 'gzip, br');
      assert.equal(packed.headers.get('content-encoding'), 'gzip');
      assert.match(packed.headers.get('vary') ?? '', /Accept-Encoding/);
      assert.ok(packed.body.startsWith('\x1f\x8b'));
      for (const encoding of ['identity', 'br', 'gzip;q=0', ''])
        assert.equal((await get(PRESETS, encoding)).headers.get('content-encoding'), null);
      assert.equal((await get('/healthz', 'gzip')).headers.get('content-encoding'), null);
    });
  });
});

describe('CORS', () => {
  const preflight = { origin: 'https://example.com', 'access-control-request-method': 'POST' };

  it('is off unless origins are configured', async () => {
    await withService(async ({ call }) => {
      assert.equal(
        (await call('/healthz', { headers: { origin: 'https://example.com' } })).headers.get(
          'access-control-allow-origin',
        ),
        null,
      );
      assert.equal((await call(COMPRESS, { method: 'OPTIONS', headers: preflight })).status, 405);
    });
  });

  it('lets only the configured origins read responses, including errors', async () => {
    await withService(
      async ({ call }) => {
        for (const path of ['/healthz', '/nothing']) {
          const { headers } = await call(path, { headers: { origin: 'https://example.com' } });
          assert.equal(headers.get('access-control-allow-origin'), 'https://example.com');
          assert.match(headers.get('access-control-expose-headers') ?? '', /X-IC-Outcome/);
          assert.match(headers.get('vary') ?? '', /Origin/);
        }
        const asked = await call(COMPRESS, { method: 'OPTIONS', headers: preflight });
        assert.equal(asked.status, 204);
        assert.match(asked.headers.get('access-control-allow-headers') ?? '', /Authorization.*Idempotency-Key/);
        assert.equal(asked.headers.get('access-control-allow-methods'), 'GET, HEAD, POST, PATCH, DELETE');
        const foreign = await call('/healthz', { headers: { origin: 'https://evil.example' } });
        assert.equal(foreign.headers.get('access-control-allow-origin'), null);
        assert.match(foreign.headers.get('vary') ?? '', /Origin/);
      },
      { env: { IC_CORS_ORIGINS: 'https://example.com' } },
    );
  });

  it('can be open to all origins', async () => {
    await withService(
      async ({ call }) =>
        assert.equal(
          (await call('/healthz', { headers: { origin: 'https://evil.example' } })).headers.get(
            'access-control-allow-origin',
          ),
          '*',
        ),
      { env: { IC_CORS_ORIGINS: '*' } },
    );
  });
});
