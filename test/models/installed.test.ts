import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { checksumOf } from '../../models/installed.ts';
import { withFolder } from '../support/folder.ts';

const BYTES = 20_000_000;

describe('checksumOf', () => {
  it('is the SHA-256 of the file, and leaves none of its bytes in memory', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'model');
      const bytes = randomBytes(BYTES);
      await writeFile(path, bytes);
      const before = process.memoryUsage().arrayBuffers;
      assert.equal(await checksumOf(path), createHash('sha256').update(bytes).digest('hex'));
      assert.ok(process.memoryUsage().arrayBuffers < before + BYTES / 10);
    });
  });
});
