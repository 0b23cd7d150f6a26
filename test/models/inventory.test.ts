/** Result of `models verify` for the model files of the package. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { BUILT_IN } from '../../models/installed.ts';
import { builtInState } from '../../models/inventory.ts';
import { withFolder } from '../support/folder.ts';

describe('a model of the package', () => {
  it('is intact as delivered', async () => {
    for (const model of BUILT_IN) assert.equal(await builtInState(model), 'ok', model.id);
  });

  it('of our own upscaler is damaged when one byte differs, and missing when the file is absent', async () => {
    const own = BUILT_IN.find(({ purpose }) => purpose === 'upscale')!;
    const bytes = await readFile(own.path);
    await withFolder(async (folder) => {
      const model = { ...own, path: join(folder, 'upscale-x2.onnx') };
      assert.equal(await builtInState(model), 'missing');
      await writeFile(model.path, bytes);
      assert.equal(await builtInState(model), 'ok');
      bytes[bytes.length >> 1]! ^= 1;
      await writeFile(model.path, bytes);
      assert.equal(await builtInState(model), 'damaged');
    });
  });
});
