/**
 * The text reader of a worker: one instance for all languages. It never downloads a language, and ends with its worker.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Cancelled } from '../../../engine/errors.ts';
import { createPool } from '../../../engine/pool.ts';
import { TextReader } from '../../../models/text.ts';
import type { TextLanguage } from '../../../models/text-languages.ts';
import { ownBuffer, testModelEngine, testRestarts } from '../../support/engine.ts';
import { failureOf } from '../../support/failure.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { sharpOf } from '../../support/test-images.ts';
import { drawPage, SAMPLES } from './pages.ts';
import { ocr } from './support.ts';

const page = async (lines: readonly string[]): Promise<Buffer> =>
  sharpOf(await drawPage(lines))
    .png()
    .toBuffer();

describe('the OCR reader', () => {
  it('handles concurrent requests in several languages, each in its own', { skip: nightlyOnly }, async () => {
    const langs = ['eng', 'slv', 'slv,eng', 'eng', 'slv'] as const;
    const texts = await Promise.all(
      langs.map(async (lang) => (await ocr(await page(SAMPLES[lang === 'eng' ? 'eng' : 'slv']), { lang })).text),
    );
    assert.deepEqual(
      texts,
      langs.map((lang) => SAMPLES[lang === 'eng' ? 'eng' : 'slv'].join('\n')),
    );
  });

  it('reads an image the same way, whatever it has read before', async () => {
    const file = await page(['Zgornji Duplek 17b', 'Qwyzzle frobnicate']);
    const first = await ocr(file, { words: true });
    await ocr(await page(SAMPLES.slv.slice(0, 1)), { lang: 'slv' });
    await ocr(await page(SAMPLES.eng.slice(0, 1)));
    assert.deepEqual(await ocr(file, { words: true }), first);
  });

  it('loads languages from their packages only, and continues after a missing one', async () => {
    const { data, info } = await sharpOf(await drawPage(['Exit 12']))
      .greyscale()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const image = { data: new Uint8Array(data), width: info.width, height: info.height };
    const fetched = globalThis.fetch;
    globalThis.fetch = () => assert.fail('something was fetched');
    try {
      const reader = await TextReader.start();
      const options = { inverted: true, columns: false };
      await assert.rejects(reader.read(image, ['deu' as TextLanguage], options), { code: 'ENOENT' });
      const words = await reader.read(image, ['eng'], options);
      assert.equal(words.map(({ text }) => text).join(' '), 'Exit 12');
    } finally {
      globalThis.fetch = fetched;
    }
  });

  it('continues after an image that Tesseract rejects', async () => {
    const reader = await TextReader.start();
    const options = { inverted: false, columns: false };
    // Tesseract's coordinates have 16 bits.
    const wide = { data: new Uint8Array(40_000 * 20).fill(255), width: 40_000, height: 20 };
    await assert.rejects(reader.read(wide, ['eng'], options), /Expected Tesseract to (take|read) the image/);
    const { data, width, height } = await drawPage(['Exit 12']);
    const image = { data: data.filter((_, at) => at % 4 === 0), width, height };
    const words = await reader.read(image, ['eng'], options);
    assert.equal(words.map(({ text }) => text).join(' '), 'Exit 12');
  });

  it('returns an error of our own when it fails, and the same worker creates a new reader', async () => {
    const pool = await testModelEngine();
    const restarts = testRestarts();
    const file = await page(['Exit 12']);
    const read = (lang: string) =>
      pool.run('ocr', { image: { data: ownBuffer(file) }, params: { lang, words: false, page: 1 } });
    assert.equal((await read('eng')).record.text, 'Exit 12');
    await failureOf('internal_error', () => read('deu'));
    const { eng, deu } = pool.stats().models;
    assert.deepEqual([eng, deu], ['loaded', 'failed']);
    assert.equal((await read('eng')).record.text, 'Exit 12');
    assert.deepEqual(testRestarts(), restarts);
  });

  it('counts towards the memory of its worker, which is replaced when that has grown too much', {
    skip: nightlyOnly,
  }, async () => {
    const file = await page(['Exit 12']);
    const params = { lang: 'eng', words: false, page: 1 };
    const restarts: string[] = [];
    let [before, after] = [0, 0];
    const observer = { workerRestarted: (reason: string) => restarts.push(reason) };
    const read = async (workerMemoryBytes: number) => {
      const pool = await createPool({ workers: 1, workerBaseBytes: 0, workerMemoryBytes, observer });
      try {
        await pool.run('inspect', { image: { data: ownBuffer(file) }, params: { page: 1 } });
        before = pool.stats().wasmBytes;
        for (let request = 0; request < 2; request++) {
          const { record } = await pool.run('ocr', { image: { data: ownBuffer(file) }, params });
          assert.equal(record.text, 'Exit 12');
        }
        after = pool.stats().wasmBytes;
      } finally {
        await pool.close();
      }
    };
    await read(2 ** 30);
    assert.deepEqual(restarts, []);
    assert.ok(after > before + 2 ** 24, `${before}, ${after}`);
    await read((before + after) / 2);
    assert.ok(restarts.length >= 1 && restarts.every((reason) => reason === 'memory'), `${restarts}`);
  });

  it('ends with its worker when the request is cancelled', async () => {
    const pool = await testModelEngine();
    const restarts = testRestarts();
    const file = await page(Array.from({ length: 60 }, () => SAMPLES.eng[1]));
    const client = new AbortController();
    const params = { lang: 'eng', words: false, page: 1 };
    const running = pool.run(
      'ocr',
      { image: { data: ownBuffer(file) }, params },
      { signal: client.signal, onStart: () => setTimeout(() => client.abort(), 300) },
    );
    await assert.rejects(running, Cancelled);
    assert.deepEqual(testRestarts(), [...restarts, 'cancel']);
    const { record } = await pool.run('ocr', { image: { data: ownBuffer(await page(['Exit 12'])) }, params });
    assert.equal(record.text, 'Exit 12');
  });
});
