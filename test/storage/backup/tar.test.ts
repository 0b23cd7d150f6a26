import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { readTar, TAR_END, TarError, tarHeader, tarPadding } from '../../../storage/backup/tar.ts';
import { withFolder, writeFiles } from '../../support/folder.ts';
import { skipWithout } from '../../support/tool.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const FILES: readonly [string, Buffer][] = [
  ['empty', Buffer.alloc(0)],
  ['folder/block', Buffer.alloc(512, 1)],
  ['x'.repeat(100), Buffer.alloc(70_000, 'abc')],
];

const archiveOf = (files: readonly [string, Buffer][]): Buffer =>
  Buffer.concat([
    ...files.flatMap(([name, data]) => [tarHeader(name, data.length, NOW), data, tarPadding(data.length)]),
    TAR_END,
  ]);

/** Reads an archive that arrives in pieces of the given size. */
async function entriesOf(archive: Buffer, pieceBytes = 1000): Promise<[string, Buffer][]> {
  const pieces = Array.from({ length: Math.ceil(archive.length / pieceBytes) }, (_, index) =>
    archive.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  );
  const entries: [string, Buffer][] = [];
  for await (const { name, bytes, data } of readTar(Readable.from(pieces))) {
    const read = await buffer(data);
    assert.equal(read.length, bytes);
    entries.push([name, read]);
  }
  return entries;
}

describe('tar archives', () => {
  it('are read as they were written, in pieces of any size', async () => {
    for (const bytes of [1, 511, 512, 100_000]) assert.deepEqual(await entriesOf(archiveOf(FILES), bytes), FILES);
  });

  it('are read by tar, and those of tar are read', { skip: skipWithout('tar') }, async () => {
    await withFolder(async (folder) => {
      const file = join(folder, 'a.tar');
      await writeFile(file, archiveOf(FILES));
      execFileSync('tar', ['-xf', file, '-C', folder]);
      for (const [name, data] of FILES) assert.deepEqual(await readFile(join(folder, name)), data);
      await writeFiles(folder, { 'in/b': 'second', 'in/a': 'first' });
      execFileSync('tar', ['--format=ustar', '-cf', file, '-C', join(folder, 'in'), 'b', 'a']);
      const read = await entriesOf(await readFile(file));
      assert.deepEqual(
        read.map(([name, data]) => [name, data.toString()]),
        [
          ['b', 'second'],
          ['a', 'first'],
        ],
      );
      execFileSync('tar', ['--format=ustar', '-cf', file, '-C', folder, 'in']);
      await assert.rejects(
        entriesOf(await readFile(file)),
        new TarError('has the entry "in/", which is not a regular file'),
      );
    });
  });

  it('have sizes of 8 GiB and more', { skip: skipWithout('tar') }, async () => {
    for (const bytes of [8 ** 11 - 1, 8 ** 11, 2 ** 43 + 5]) {
      const header = tarHeader('large', bytes, NOW);
      for await (const entry of readTar(Readable.from([header]))) {
        assert.deepEqual([entry.name, entry.bytes], ['large', bytes]);
        break;
      }
      // The archive ends after the header, which tar reports after it has listed the entry.
      const listed = execFileSync('sh', ['-c', 'tar -tv 2>/dev/null; true'], { input: header, encoding: 'utf8' });
      assert.ok(listed.includes(` ${bytes} `), listed);
    }
  });

  it('that end early, or have a changed header, are refused wherever that is', async () => {
    const archive = archiveOf(FILES);
    const end = archive.length - TAR_END.length;
    for (const bytes of [0, 1, 511, 512, 600, 1024, 1100, 1536, 40_000, end])
      await assert.rejects(entriesOf(archive.subarray(0, bytes)), new TarError('ends early'), `${bytes} bytes`);
    // Whatever ends the checksum is accepted, as by other programs.
    for (const at of Array(512).keys()) {
      if (at === 154 || at === 155) continue;
      const changed = Buffer.from(archive);
      changed[at]! ^= 0xff;
      await assert.rejects(entriesOf(changed), TarError, `byte ${at}`);
    }
  });

  it('have no names that do not fit', () => {
    assert.throws(() => tarHeader('é'.repeat(51), 0, NOW), RangeError);
  });
});
