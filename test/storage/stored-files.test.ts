import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StorageQuota } from '../../storage/quota.ts';
import { type FoundFile, StoredFiles } from '../../storage/stored-files.ts';

const write = (files: StoredFiles, name: string, bytes: number) =>
  files.write(name, undefined, async (take) => take(bytes));

describe('the count of stored files', () => {
  it('follows a list of the store, but for what changes while the list arrives', async () => {
    const quota = new StorageQuota(1000);
    const files = new StoredFiles(quota);
    for (const [name, bytes] of Object.entries({ same: 1, grown: 1, gone: 1, removed: 1, rewritten: 1 }))
      await write(files, name, bytes);
    const list = async function* (): AsyncGenerator<FoundFile> {
      for (const name of ['same', 'removed', 'rewritten']) yield { name, bytes: 1 };
      // This process, after the store has listed what follows.
      files.forget('removed');
      files.forget('late');
      await write(files, 'rewritten', 5);
      await write(files, 'new', 7);
      yield { name: 'late', bytes: 100 };
      yield { name: 'grown', bytes: 3 };
    };
    await files.count(list());
    assert.deepEqual(files.names().sort(), ['grown', 'new', 'rewritten', 'same']);
    assert.equal(files.usedBytes, 1 + 3 + 5 + 7);
    await write(files, 'rest', 1000 - files.usedBytes);
    await assert.rejects(write(files, 'more', 1));
  });

  it('forgets nothing when the list breaks', async () => {
    const files = new StoredFiles(new StorageQuota(1000));
    await write(files, 'one', 1);
    await assert.rejects(
      files.count(
        (async function* () {
          yield { name: 'two', bytes: 2 };
          throw new RangeError('away');
        })(),
      ),
      RangeError,
    );
    assert.deepEqual(files.names(), ['one', 'two']);
  });
});
