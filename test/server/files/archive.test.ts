import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { unzipSync } from 'fflate';
import { archiveOf } from '../../../server/files/archive.ts';

const MODIFIED = new Date('2026-11-21T05:20:00Z');

const entry = (filename: string, ...chunks: string[]) => ({
  filename,
  open: async () => Readable.from(chunks.map((chunk) => Buffer.from(chunk))),
});

const pack = async (...entries: ReturnType<typeof entry>[]) =>
  new Uint8Array(await buffer(archiveOf(entries, MODIFIED)));

describe('the ZIP of a job', () => {
  it('contains every file unchanged, however it is split into chunks', async () => {
    const files = unzipSync(await pack(entry('one.webp', 'first ', 'second'), entry('empty.png')));
    assert.deepEqual(
      Object.entries(files).map(([name, data]) => [name, Buffer.from(data).toString()]),
      [
        ['one.webp', 'first second'],
        ['empty.png', ''],
      ],
    );
  });

  it('numbers duplicate names, ignoring case', async () => {
    const files = unzipSync(
      await pack(
        entry('a.jpg', '1'),
        entry('A.jpg', '2'),
        entry('a.jpg', '3'),
        entry('a (2).jpg', '4'),
        entry('b', '5'),
        entry('b', '6'),
      ),
    );
    assert.deepEqual(Object.keys(files), ['a.jpg', 'A (2).jpg', 'a (3).jpg', 'a (2) (2).jpg', 'b', 'b (2)']);
  });

  it('is the same for the same results', async () => {
    const entries = [entry('one.webp', 'first'), entry('two.webp', 'second')];
    assert.deepEqual(await pack(...entries), await pack(...entries));
  });

  it('fails if a file cannot be read to its end', async () => {
    const broken = {
      filename: 'broken.png',
      open: async () =>
        Readable.from(
          (async function* () {
            yield Buffer.from('half');
            throw new Error('the disk is gone');
          })(),
        ),
    };
    await assert.rejects(buffer(archiveOf([broken], MODIFIED)), /the disk is gone/);
  });

  it('opens each file only when it is written', async () => {
    const opened: string[] = [];
    const watched = (name: string) => ({
      filename: name,
      open: async () => {
        opened.push(name);
        return Readable.from([Buffer.from(name)]);
      },
    });
    const reading = archiveOf([watched('one'), watched('two')], MODIFIED);
    await reading.next();
    assert.deepEqual(opened, ['one']);
    for await (const _chunk of reading);
    assert.deepEqual(opened, ['one', 'two']);
  });
});
