/** A service without models and without a network, and with models that the operator installs later. */
import assert from 'node:assert/strict';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { createFirstAccount } from '../../../server/account/first-start.ts';
import { loadConfig } from '../../../server/config.ts';
import { createLog } from '../../../server/log.ts';
import { startService } from '../../../server/service.ts';
import { openDatabase } from '../../../storage/sqlite/database.ts';
import { withFolder } from '../../support/folder.ts';
import { MODELS_FOLDER, modelsSkipReason } from '../../support/models.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { verifies } from '../../support/verifies.ts';

const NEEDS = {
  'remove-background': ['finding the subject of an image', 'u2netp'],
  faces: ['finding faces', 'yunet-n'],
  'blur-faces': ['finding faces', 'yunet-n'],
} as const;

interface Fixture {
  folder: string;
  post(operation: string): Promise<Response>;
  models(): Promise<Record<string, string>>;
  metrics(): Promise<string[]>;
}

async function withBareService(work: (fixture: Fixture) => Promise<void>): Promise<void> {
  const image = await sharp(
    Buffer.from(
      '<svg width="48" height="48"><rect width="48" height="48" fill="#eee"/><circle cx="24" cy="24" r="15" fill="#a22"/></svg>',
    ),
  )
    .png()
    .toBuffer();
  await withFolder(async (dataDir) => {
    const database = await openDatabase(dataDir);
    const first = await createFirstAccount(database).finally(() => database.close());
    const config = loadConfig({ IC_DATA_DIR: dataDir, IC_PORT: '0', IC_WORKERS: '1' });
    const service = await startService(config, createLog('silent'));
    try {
      await work({
        folder: config.modelsDir,
        post: (operation) =>
          fetch(`${service.address}/api/v1/${operation}`, {
            method: 'POST',
            headers: { authorization: `Bearer ${first?.key}` },
            body: new Uint8Array(image),
          }),
        models: async () =>
          ((await (await fetch(`${service.address}/readyz`)).json()) as { models: Record<string, string> }).models,
        metrics: async () => (await (await fetch(`${service.address}/metrics`)).text()).split('\n'),
      });
    } finally {
      await service.close();
    }
  });
}

describe('a service without downloaded models', { timeout: 240_000 }, () => {
  it('upscales and reads text, and explains at once what the other operations need', async () => {
    verifies('error.retry-after.503');
    await withBareService(async ({ post, models, metrics }) => {
      assert.deepEqual(await models(), { background: 'missing', upscale: 'ready', faces: 'missing', ocr: 'ready' });
      for (const [operation, [purpose, id]] of Object.entries(NEEDS)) {
        const answer = await post(operation);
        const { error } = (await answer.json()) as { error: { code: string; message: string; hint: string } };
        assert.deepEqual([answer.status, error.code], [503, 'model_unavailable'], operation);
        assert.equal(
          error.message,
          `Expected an installed model for ${purpose} but received a request before there is one.`,
        );
        assert.equal(error.hint, `The operator of this service installs it with: imagecrew models pull ${id}`);
        assert.equal(answer.headers.get('retry-after'), '600');
        assert.equal(answer.headers.get('x-quota-meter'), 'none');
      }
      assert.ok((await metrics()).includes('ic_model_loaded{model="imagecrew-x2"} 0'));
      const doubled = await sharp(Buffer.from(await (await post('upscale')).arrayBuffer())).metadata();
      assert.deepEqual([doubled.width, doubled.height], [96, 96]);
      assert.ok((await metrics()).includes('ic_model_loaded{model="imagecrew-x2"} 1'));
      assert.equal((await post('ocr')).status, 200);
    });
  });

  it('uses a model as soon as it exists, without a restart', { skip: modelsSkipReason || nightlyOnly }, async () => {
    await withBareService(async ({ folder, post, models, metrics }) => {
      assert.equal((await post('faces')).status, 503);
      await mkdir(folder);
      for (const name of ['faces-yunet-n.onnx', 'background-u2netp-fp16.onnx'])
        await copyFile(join(MODELS_FOLDER, name), join(folder, name));
      for (const operation of Object.keys(NEEDS)) assert.equal((await post(operation)).status, 200, operation);
      assert.deepEqual(await models(), { background: 'ready', upscale: 'ready', faces: 'ready', ocr: 'ready' });
      const lines = await metrics();
      for (const id of ['yunet-n', 'u2netp']) assert.ok(lines.includes(`ic_model_loaded{model="${id}"} 1`), id);
    });
  });
});
