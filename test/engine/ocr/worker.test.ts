/** The reader of text in its worker: one for all languages, none of which it fetches, and gone with its worker. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Cancelled } from '../../../engine/errors.ts';
import { createPool } from '../../../engine/pool.ts';
import { TextReader } from '../../../models/text.ts';
import type { TextLanguage } from '../../../models/text-languages.ts';
import { ownBuffer } from '../../support/engine.ts';
import { sharpOf } from '../../support/pictures.ts';
import { drawPage, SAMPLES } from './pages.ts';
import { ocr } from './support.ts';

const page = async (lines: readonly string[]): Promise<Buffer> =>
  sharpOf(await drawPage(lines))
    .png()
    .toBuffer();

describe('the reader', () => {
  it('answers requests in several languages that come at the same time, each in its own', async () => {
    const langs = ['eng', 'slv', 'slv,eng', 'eng', 'slv'] as const;
    const texts = await Promise.all(
      langs.map(async (lang) => (await ocr(await page(SAMPLES[lang === 'eng' ? 'eng' : 'slv']), { lang })).text),
    );
    assert.deepEqual(
      texts,
      langs.map((lang) => SAMPLES[lang === 'eng' ? 'eng' : 'slv'].join('\n')),
    );
  });

  it('reads a picture as it did before, whatever it has read since', async () => {
    const file = await page(['Zgornji Duplek 17b', 'Qwyzzle frobnicate']);
    const first = await ocr(file, { words: true });
    await ocr(await page(SAMPLES.slv), { lang: 'slv' });
    await ocr(await page(SAMPLES.eng));
    assert.deepEqual(await ocr(file, { words: true }), first);
  });

  it('takes languages from their packages alone, and goes on after one that is not there', async () => {
    const { data, info } = await sharpOf(await drawPage(['Exit 12']))
      .greyscale()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const image = { data: new Uint8Array(data), width: info.width, height: info.height };
    const fetched = globalThis.fetch;
    globalThis.fetch = () => assert.fail('something was fetched');
    try {
      const reader = await TextReader.start();
      const options = { inverted: true };
      await assert.rejects(reader.read(image, ['deu' as TextLanguage], options), { code: 'ENOENT' });
      const words = await reader.read(image, ['eng'], options);
      assert.equal(words.map(({ text }) => text).join(' '), 'Exit 12');
    } finally {
      globalThis.fetch = fetched;
    }
  });

  it('ends with its worker when the request is cancelled', async () => {
    const restarts: string[] = [];
    const pool = await createPool({
      workers: 1,
      observer: { workerRestarted: (reason) => restarts.push(reason) },
    });
    try {
      const file = await page(Array.from({ length: 60 }, () => SAMPLES.eng[1]));
      const client = new AbortController();
      const params = { lang: 'eng', words: false, page: 1 };
      const running = pool.run(
        'ocr',
        { image: { data: ownBuffer(file) }, params },
        { signal: client.signal, onStart: () => setTimeout(() => client.abort(), 1000) },
      );
      await assert.rejects(running, Cancelled);
      assert.deepEqual(restarts, ['cancel']);
      const { record } = await pool.run('ocr', { image: { data: ownBuffer(await page(['Exit 12'])) }, params });
      assert.equal(record.text, 'Exit 12');
    } finally {
      await pool.close();
    }
  });
});
