import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadConfig } from '../../../server/config.ts';
import { createLog } from '../../../server/log.ts';
import { startFirstFetch } from '../../../server/models/first-fetch.ts';
import { withFolder } from '../../support/folder.ts';
import { type Mirror, withMirror } from '../../support/mirror.ts';
import { MODELS_FOLDER, modelsSkipReason } from '../../support/models.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { withServed } from '../../support/serve-process.ts';
import { waitUntil } from '../../support/wait-until.ts';

const DAY_MS = 24 * 3_600_000;

interface Line {
  level: number;
  msg: string;
  models?: string[];
  reason?: string;
}

interface Fixture {
  dataDir: string;
  mirror: Mirror;
  env: Record<string, string>;
  /** Starts with these settings; resolves to the log line about the models. */
  start(settings?: Record<string, string>): Promise<Line>;
  names(): Promise<string[]>;
}

async function withFixture(
  files: Readonly<Record<string, Uint8Array>>,
  work: (fixture: Fixture) => Promise<void>,
): Promise<void> {
  await withFolder(async (dataDir) => {
    await withMirror(files, async (mirror) => {
      const env = { IC_DATA_DIR: dataDir, IC_MODELS_URL: mirror.url, IC_MODELS_FETCH: 'true' };
      const start: Fixture['start'] = async (settings) => {
        const given = { ...env, ...settings };
        return await new Promise((said) => {
          const log = createLog('debug', { write: (line) => said(JSON.parse(line) as Line) });
          startFirstFetch(loadConfig(given), { ...process.env, ...given }, log);
        });
      };
      const names = async () => (await readdir(join(dataDir, 'models')).catch(() => [])).sort();
      await work({ dataDir, mirror, env, start, names });
    });
  });
}

const INFO = 30;
const DEBUG = 20;

describe('the default models at the start', { timeout: 240_000 }, () => {
  it('are downloaded once', { skip: modelsSkipReason }, async () => {
    const files = {
      'yunet_n_dynamic.onnx': await readFile(join(MODELS_FOLDER, 'faces-yunet-n.onnx')),
      'u2netp.onnx': await readFile(join(MODELS_FOLDER, 'background-u2netp-fp16.onnx')),
    };
    await withFixture(files, async ({ start, names, mirror, dataDir }) => {
      const { level, msg, models } = await start();
      assert.deepEqual([level, msg, models], [INFO, 'default models installed', ['u2netp', 'yunet-n']]);
      assert.deepEqual(await names(), ['u2netp.onnx', 'yunet-n.onnx']);
      mirror.asked.length = 0;
      await writeFile(join(dataDir, 'models-fetch'), new Date(Date.now() - 2 * DAY_MS).toISOString());
      assert.equal((await start()).reason, 'they are there');
      assert.deepEqual(mirror.asked, []);
    });
  });

  it('are not needed if another model does the same work', { skip: modelsSkipReason }, async () => {
    await withFixture({}, async ({ start, mirror, dataDir }) => {
      await mkdir(join(dataDir, 'models'));
      await writeFile(
        join(dataDir, 'models', 'subject.onnx'),
        await readFile(join(MODELS_FOLDER, 'background-u2netp-fp16.onnx')),
      );
      assert.deepEqual((await start()).models, ['yunet-n']);
      assert.deepEqual(
        mirror.asked.map(({ name }) => name),
        ['yunet_n_dynamic.onnx'],
      );
    });
  });

  it('are reported in one log line if they cannot be downloaded, and not tried again that day', async () => {
    await withFixture({}, async ({ start, mirror, dataDir, names }) => {
      const unused = await withMirror({}, async ({ url }) => url);
      const { level, models, reason } = await start({ IC_MODELS_URL: unused });
      assert.deepEqual([level, models], [INFO, ['u2netp', 'yunet-n']]);
      assert.match(String(reason), /^Expected the model u2netp from .+ \(ECONNREFUSED\)[.]$/);

      const { level: second, reason: why } = await start();
      assert.deepEqual([second, why], [DEBUG, 'tried within the last day']);
      assert.deepEqual(mirror.asked, []);

      const mark = join(dataDir, 'models-fetch');
      await writeFile(mark, new Date(Date.now() - DAY_MS - 1000).toISOString());
      assert.match(String((await start()).reason), /status 404[.]$/);
      assert.ok(Date.now() - Date.parse(await readFile(mark, 'utf8')) < DAY_MS);
      assert.deepEqual(await names(), []);
    });
  });

  it('are not downloaded if that is switched off', async () => {
    await withFixture({}, async ({ start, mirror, dataDir }) => {
      const { level, reason } = await start({ IC_MODELS_FETCH: 'false' });
      assert.deepEqual([level, reason], [DEBUG, 'switched off by IC_MODELS_FETCH']);
      assert.deepEqual(mirror.asked, []);
      assert.deepEqual(await readdir(dataDir), []);
    });
  });

  it('block neither requests nor shutdown; the next start tries again', { skip: nightlyOnly }, async () => {
    await withFixture({ 'u2netp.onnx': Buffer.alloc(1) }, async ({ start, mirror, dataDir, env }) => {
      mirror.behave = () => {};
      const serve = async ({ child, address }: Parameters<Parameters<typeof withServed>[1]>[0]) => {
        await waitUntil(() => mirror.asked.length > 0);
        assert.equal((await fetch(`${address}/readyz`)).status, 200);
        child.kill('SIGTERM');
        assert.deepEqual(await once(child, 'exit'), [0, null]);
      };
      await withServed(dataDir, serve, env);
      mirror.behave = undefined;
      assert.match(String((await start()).reason), /received a file of 1 bytes[.]$/);
    });
  });
});
