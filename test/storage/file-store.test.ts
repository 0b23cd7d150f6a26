/** What every store of files does, whatever it keeps them in. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { LocalFiles } from '../../storage/local-files/local-files.ts';
import type { FileStore } from '../../storage/ports/file-store.ts';
import { StorageQuota } from '../../storage/quota.ts';
import { listUploads } from '../../storage/s3/listing.ts';
import { PART_BYTES } from '../../storage/s3/parts.ts';
import { S3Files } from '../../storage/s3/s3-files.ts';
import { failureOf } from '../support/failure.ts';
import { withFolder } from '../support/folder.ts';
import { makeBucket, WITHOUT_S3 } from '../support/s3/s3-server.ts';

interface OpenedStores {
  /** Opens the same files, as after a restart. */
  open(quota?: StorageQuota): Promise<FileStore>;
  /** What is really there: files, and what is left of those that were not completed. */
  contents(): Promise<{ files: string[]; leftovers: number }>;
}

const ENOUGH_BYTES = 1e9;

/** Each calls `work` with a new, empty place for files. */
const PLACES: Record<string, (work: (stores: OpenedStores) => Promise<void>) => Promise<void>> = {
  'a local folder': async (work) => {
    await withFolder(async (dataDir) => {
      const folder = join(dataDir, 'files');
      await work({
        open: (quota = new StorageQuota(ENOUGH_BYTES)) => LocalFiles.open(folder, quota),
        contents: async () => ({
          files: (await readdir(folder)).filter((name) => name !== 'parts'),
          leftovers: (await readdir(join(folder, 'parts'))).length,
        }),
      });
    });
  },
  S3: async (work) => {
    const { client, keys } = await makeBucket();
    await work({
      open: (quota = new StorageQuota(ENOUGH_BYTES)) =>
        S3Files.open({ client, name: 'files', quota, now: Date.now, redirects: false }),
      contents: async () => {
        const uploads = [];
        for await (const { id } of listUploads(client, '')) uploads.push(id);
        return { files: (await keys()).map((key) => key.replace(/^files\//, '')), leftovers: uploads.length };
      },
    });
  },
};

async function* arriving(chunks: readonly (string | Uint8Array | Error)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    if (chunk instanceof Error) throw chunk;
    yield Buffer.from(chunk);
  }
}

async function namesIn(files: FileStore, prefix?: string): Promise<string[]> {
  const names: string[] = [];
  for await (const name of files.ids(prefix)) names.push(name);
  return names.sort();
}

const contentOf = async (files: FileStore, id: string) => await buffer((await files.open(id))!);

for (const [place, withPlace] of Object.entries(PLACES))
  describe(`files in ${place}`, { skip: place === 'S3' && WITHOUT_S3, timeout: 120_000 }, () => {
    it('are returned whole and in part', async () => {
      await withPlace(async ({ open, contents }) => {
        const files = await open();
        await files.put('file_1', Buffer.from('0123456789'));
        await files.put('file_2', new Uint8Array(0));
        assert.equal((await contentOf(files, 'file_1')).toString(), '0123456789');
        const part = async (start: number, end: number) =>
          (await buffer((await files.open('file_1', { start, end }))!)).toString();
        assert.deepEqual([await part(2, 4), await part(0, 0), await part(9, 9)], ['234', '0', '9']);
        assert.equal((await contentOf(files, 'file_2')).length, 0);
        assert.equal(await files.open('file_3'), undefined);
        assert.deepEqual(await contents(), { files: ['file_1', 'file_2'], leftovers: 0 });
      });
    });

    it('are the same bytes at every size, from a buffer and from a stream', async () => {
      await withPlace(async ({ open }) => {
        const files = await open();
        const bytes = randomBytes(2 * PART_BYTES + 7);
        for (const size of [1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES, bytes.length]) {
          const data = bytes.subarray(0, size);
          await files.put('file_buffer', data);
          assert.ok((await contentOf(files, 'file_buffer')).equals(data), `${size}`);
          const chunks = [data.subarray(0, size >> 2), new Uint8Array(0), data.subarray(size >> 2)];
          assert.equal(await files.putStream('file_stream', arriving(chunks)), size);
          assert.ok((await contentOf(files, 'file_stream')).equals(data), `${size}`);
          assert.equal(files.usedBytes, 2 * size);
        }
        assert.equal(await files.putStream('file_stream', arriving([])), 0);
        assert.equal((await contentOf(files, 'file_stream')).length, 0);
      });
    });

    it('can be read by several at a time, and left in the middle', async () => {
      await withPlace(async ({ open }) => {
        const files = await open();
        const data = randomBytes(3_000_000);
        await files.put('file_1', data);
        const left = (await files.open('file_1'))!;
        for await (const chunk of left) {
          assert.ok(data.subarray(0, chunk.length).equals(chunk));
          break;
        }
        assert.equal(left.destroyed, true);
        (await files.open('file_1'))!.destroy();
        const read = await Promise.all(Array.from({ length: 5 }, () => contentOf(files, 'file_1')));
        assert.ok(read.every((each) => each.equals(data)));
      });
    });

    it('leave nothing behind when their stream breaks', async () => {
      await withPlace(async ({ open, contents }) => {
        const files = await open();
        const gone = new RangeError('gone');
        await assert.rejects(files.putStream('file_1', arriving(['abc', gone])), gone);
        await assert.rejects(files.putStream('file_1', arriving([randomBytes(2 * PART_BYTES + 1), gone])), gone);
        assert.deepEqual(await contents(), { files: [], leftovers: 0 });
        assert.equal(files.usedBytes, 0);
        assert.equal(await files.open('file_1'), undefined);
      });
    });

    it('keep their content until another one is complete, and count once', async () => {
      await withPlace(async ({ open }) => {
        const files = await open();
        await files.put('file_1', new Uint8Array(5));
        await files.put('file_1', new Uint8Array(3));
        assert.equal(files.usedBytes, 3);
        await assert.rejects(files.putStream('file_1', arriving(['ab', new RangeError('gone')])), RangeError);
        assert.equal(files.usedBytes, 3);
        assert.equal((await contentOf(files, 'file_1')).length, 3);
      });
    });

    it('are listed, all or those that begin alike, and removed', async () => {
      await withPlace(async ({ open, contents }) => {
        const files = await open();
        for (const name of ['job_A_0', 'job_A_1', 'job_B_0']) await files.put(name, Buffer.from(name));
        assert.deepEqual(await namesIn(files), ['job_A_0', 'job_A_1', 'job_B_0']);
        assert.deepEqual(await namesIn(files, 'job_A_'), ['job_A_0', 'job_A_1']);
        for await (const name of files.ids('job_A_')) await files.remove(name);
        await files.remove('job_A_1');
        await files.remove('job_none');
        assert.deepEqual((await contents()).files, ['job_B_0']);
        assert.equal(files.usedBytes, 7);
      });
    });

    it('have names that lead nowhere else', async () => {
      await withPlace(async ({ open, contents }) => {
        const files = await open();
        for (const id of ['../stolen', 'a/b', '', '.', 'parts/x', 'a?b', 'a%2Fb', 'x'.repeat(65)]) {
          await assert.rejects(files.put(id, new Uint8Array(1)), TypeError);
          await assert.rejects(files.putStream(id, arriving(['a'])), TypeError);
          await assert.rejects(files.open(id), TypeError);
          await assert.rejects(files.remove(id), TypeError);
        }
        assert.deepEqual(await contents(), { files: [], leftovers: 0 });
      });
    });

    it('are limited while they arrive, together', async () => {
      await withPlace(async ({ open, contents }) => {
        const files = await open(new StorageQuota(10));
        await files.putStream('file_1', arriving(['1234', '5678']));
        const both = await Promise.allSettled(
          ['a', 'b'].map((text) => files.putStream(`file_${text}`, arriving([text, text]))),
        );
        const failed = both.filter(({ status }) => status === 'rejected').length;
        assert.ok(failed >= 1);
        assert.equal(files.usedBytes, 12 - 2 * failed);
        await failureOf('storage_full', () => files.putStream('file_2', arriving(['123', '4'])));
        await failureOf('storage_full', () => files.put('file_2', new Uint8Array(4)));
        assert.deepEqual(
          { ...(await contents()), files: (await contents()).files.length },
          { files: 3 - failed, leftovers: 0 },
        );
      });
    });

    it('count from the start on, in the name of their owners', async () => {
      await withPlace(async ({ open }) => {
        await (await open()).put('file_1', new Uint8Array(8));
        const after = await open(new StorageQuota(20, async (name) => (name === 'file_1' ? 'anna' : undefined)));
        assert.equal(after.usedBytes, 8);
        const ofAnna = { accountId: 'anna' };
        await failureOf('storage_full', () => after.put('file_2', new Uint8Array(5), ofAnna));
        await failureOf('storage_full', () => after.put('file_3', new Uint8Array(13)));
        await after.put('file_2', new Uint8Array(4), ofAnna);
        await after.put('file_3', new Uint8Array(8));
      });
    });
  });
