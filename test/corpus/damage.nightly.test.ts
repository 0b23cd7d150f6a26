/** Damaged versions of every real file give an error or the readable part in time, and the process survives. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Failure } from '../../base/failure.ts';
import type { Engine } from '../../engine/engine.ts';
import { compressParams } from '../../engine/operations/compress/params.ts';
import { sourceParams } from '../../engine/operations/parameters.ts';
import { createPool } from '../../engine/pool.ts';
import { corpus, corpusFiles, corpusSkipReason } from '../support/corpus.ts';
import { makeRandom } from '../support/damage.ts';
import { ownBuffer } from '../support/engine.ts';
import { isSelected, isThorough } from '../support/thorough.ts';

const FOLDERS = [
  'avif',
  'bmp',
  'dicom',
  'djvu',
  'gif',
  'heic',
  'hostile-samples',
  'ico',
  'jpeg',
  'jxl',
  'legacy',
  'nifti',
  'pdf',
  'png',
  'psd',
  'raw',
  'svg',
  'tga',
  'tiff',
  'webp',
];

/** Allowed outcomes for damaged files. `image_too_large` occurs when the damage changes the size in a header. */
const ALLOWED_OUTCOMES = [
  'an image',
  'truncated_source',
  'corrupt_image',
  'unsupported_format',
  'image_too_large',
  'password_protected',
  'page_out_of_range',
];

type Damage = (bytes: Uint8Array, random: (below: number) => number) => Uint8Array;

const cut: Damage = (bytes, random) => bytes.subarray(0, random(bytes.length));

/** Replaces about one byte in a thousand, and at least three. */
const flip: Damage = (bytes, random) => {
  const broken = new Uint8Array(bytes);
  for (let change = 0; change < 3 + bytes.length / 1000; change++) broken[random(bytes.length)] = random(256);
  return broken;
};

/** Zeroes a random range after the first 64 bytes, which are kept as the header. */
const wipe: Damage = (bytes, random) => {
  const broken = new Uint8Array(bytes);
  const from = 64 + random(bytes.length);
  return broken.fill(0, from, from + random(bytes.length));
};

const DAMAGES: Record<string, Damage> = { cut, flip, wipe };

const WORKERS = 2;
/** Far longer than any file takes, even on a busy machine. Speed is not tested here. */
const TIMEOUT_MS = 120_000;

describe('damaged real files', { skip: corpusSkipReason }, () => {
  let engine: Engine;
  before(async () => {
    engine = await createPool({ workers: WORKERS, timeoutMs: TIMEOUT_MS });
    await engine.ready();
  });
  after(() => engine.close());

  const answer = async (bytes: Uint8Array, filename: string): Promise<string> => {
    const params = compressParams.extend(sourceParams.shape).parse({ width: 64, format: 'png' });
    try {
      const { warnings } = await engine.run('compress', { image: { data: ownBuffer(bytes), filename }, params });
      return warnings.includes('truncated_source') ? 'truncated_source' : 'an image';
    } catch (error) {
      if (error instanceof Failure) return error.code;
      throw error;
    }
  };

  for (const [way, [kind, damage]] of Object.entries(DAMAGES).entries()) {
    test(`${kind}: every file gets a response`, async () => {
      const answers = new Map<string, string>();
      const waiting = FOLDERS.flatMap(corpusFiles)
        .filter((path) => !/[.](conf|txt)$/.test(path))
        .filter((_, file) => isSelected(file, way, Object.keys(DAMAGES).length));
      const work = async () => {
        for (let path = waiting.pop(); path; path = waiting.pop()) {
          const broken = damage(corpus(path)!, makeRandom(waiting.length));
          answers.set(path, await answer(broken, path));
        }
      };
      await Promise.all(Array.from({ length: WORKERS }, work));
      const others = [...answers].filter(([, code]) => !ALLOWED_OUTCOMES.includes(code));
      assert.deepEqual(others, []);
      assert.ok([...answers].filter(([, code]) => code === 'corrupt_image').length > 10);
    });
  }

  test('are recognised in spite of a wrong name', async () => {
    for (const folder of FOLDERS) {
      for (const path of corpusFiles(folder).slice(0, isThorough ? 2 : 1)) {
        const bytes = corpus(path)!;
        const [right, wrong] = [await answer(bytes, path), await answer(bytes, 'photo.jpg')];
        if (!['tga', 'legacy'].includes(folder)) assert.equal(wrong, right, path);
      }
    }
  });
});
