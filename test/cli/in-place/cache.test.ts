import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { ResultCache } from '../../../cli/in-place/cache.ts';
import { withFolder } from '../../support/folder.ts';

const keyOf = (text: string) => createHash('sha256').update(text).digest('hex');
const [KEY, OTHER] = [keyOf('one'), keyOf('other')] as const;
const DATA = new Uint8Array([10, 0, 255, 10]).buffer;

const DAY_MS = 24 * 60 * 60 * 1000;

async function age(path: string, days: number): Promise<void> {
  const then = new Date(Date.now() - days * DAY_MS);
  await utimes(path, then, then);
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

describe('the cache of optimize --in-place', () => {
  it('stores smaller files, and the reasons for having none', async () => {
    await withFolder(async (folder) => {
      const cache = await ResultCache.open(join(folder, 'new/cache'));
      assert.equal(await cache.get(KEY), undefined);
      await cache.put(KEY, { data: DATA });
      await cache.put(OTHER, { reason: 'saves too little' });
      assert.deepEqual(await cache.get(KEY), { data: DATA });
      assert.deepEqual(await cache.get(OTHER), { reason: 'saves too little' });
      await cache.put(KEY, { reason: 'another one' });
      assert.deepEqual(await (await ResultCache.open(join(folder, 'new/cache'))).get(KEY), { reason: 'another one' });
    });
  });

  it('ignores damaged entries, and entries of another key', async () => {
    await withFolder(async (folder) => {
      const cache = await ResultCache.open(folder);
      const path = (key: string) => join(folder, key.slice(0, 2), key);
      for (const entry of [{ data: DATA }, { reason: 'saves too little' }]) {
        await cache.put(KEY, entry);
        const whole = await readFile(path(KEY));
        for (let length = 0; length < whole.length; length += 1) {
          await writeFile(path(KEY), whole.subarray(0, length));
          assert.equal(await cache.get(KEY), undefined, `${length} bytes`);
          const turned = Buffer.from(whole);
          turned[length]! ^= 1;
          await writeFile(path(KEY), turned);
          assert.equal(await cache.get(KEY), undefined, `byte ${length}`);
        }
        await cache.put(OTHER, entry);
        await writeFile(path(OTHER), whole);
        assert.equal(await cache.get(OTHER), undefined);
        await cache.put(KEY, entry);
        assert.deepEqual(await cache.get(KEY), entry);
      }
    });
  });

  it('removes entries unused for 30 days, and no other files', async () => {
    await withFolder(async (folder) => {
      const cache = await ResultCache.open(folder);
      await cache.put(KEY, { data: DATA });
      await cache.put(OTHER, { data: DATA });
      const others = ['ab/.imagecrew-0123456789ab.part', 'ab/mine.txt', `mine/${KEY}`];
      for (const path of others) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), 'mine');
      }
      const paths = [KEY, OTHER].map((key) => `${key.slice(0, 2)}/${key}`);
      for (const path of [...paths, ...others]) await age(join(folder, path), 31);
      // Reading the entry marks it as used.
      await cache.get(KEY);
      await cache.removeUnused();
      const left = await Promise.all([...paths, ...others].map((path) => exists(join(folder, path))));
      assert.deepEqual(left, [true, false, false, true, true]);
    });
  });

  it('excludes a new folder from git, and leaves an existing one as it is', async () => {
    await withFolder(async (folder) => {
      await ResultCache.open(folder);
      assert.deepEqual(await readdir(folder), []);
      await ResultCache.open(join(folder, 'cache'));
      assert.equal(await readFile(join(folder, 'cache/.gitignore'), 'utf8'), '*\n');
    });
  });
});
