import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ResultCache } from '../../../cli/in-place/cache.ts';
import { ImageOptimizer } from '../../../cli/in-place/optimizer.ts';
import { inPlaceSettingsSchema } from '../../../cli/in-place/settings.ts';
import { ownBuffer, testEngine } from '../../support/engine.ts';
import { withFolder } from '../../support/folder.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { jpeg, pattern } from '../../support/test-images.ts';

async function optimizerOf(folder: string, prepare: (cache: ResultCache) => void = () => {}) {
  const cache = await ResultCache.open(folder);
  prepare(cache);
  return new ImageOptimizer({
    openEngine: testEngine,
    cache,
    settings: inPlaceSettingsSchema.parse({}),
    signal: new AbortController().signal,
  });
}

describe('images that are optimized in place', () => {
  it('are not compressed twice if a run ended between its cache entries', { skip: nightlyOnly }, async () => {
    const photo = await jpeg(pattern(400, 300), 98);
    for (const written of [0, 1])
      await withFolder(async (folder) => {
        const ended = await optimizerOf(folder, (cache) => {
          const put = cache.put.bind(cache);
          let left = written;
          cache.put = async (key, entry) => {
            if (left === 0) throw new Error('The run has ended.');
            left -= 1;
            await put(key, entry);
          };
        });
        await assert.rejects(ended.optimize(ownBuffer(photo), 'a.jpg'), /The run has ended/);
        const made = await (await optimizerOf(folder)).optimize(ownBuffer(photo), 'a.jpg');
        assert.ok('data' in made && made.data.byteLength < photo.length);
        const again = await (await optimizerOf(folder)).optimize(made.data.slice(0), 'a.jpg');
        assert.deepEqual(again, { reason: 'is optimized already', by: 'cached' });
      });
  });
});
