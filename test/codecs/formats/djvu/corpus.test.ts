import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { reader as djvuReader } from '../../../../codecs/formats/djvu/read.ts';
import { corpus, corpusFiles, corpusSkipReason } from '../../../support/corpus.ts';
import { failureOf } from '../../../support/failure.ts';
import { decodeWith, pixelsHash, probeWith, readBitmap, toRgba } from '../../../support/readers.ts';
import { findProgram, skipWithout } from '../../../support/tool.ts';
import { bundle, chunk, form, info } from './djvu-writer.ts';
import { A, B, BOX, EDGED, TICK, WIDE_A } from './glyphs.ts';
import { Jb2Writer } from './jb2-writer.ts';

/** Files with their page count, and one page's number, size and pixel hash as drawn by ddjvu of DjVuLibre 3.5.28. */
const PAGES = [
  ['DjVu3Spec_5-10', 6, 1, 2539, 3295, 'c77071b78c3301df'],
  ['DjVu3Spec_5-10', 6, 6, 2539, 3295, '2b34a8b9af173326'],
  ['boy', 1, 1, 192, 256, '3bacd65de9bdbe4d'],
  ['boy_and_chicken', 2, 1, 192, 256, '5da36ef2dfff65ad'],
  ['boy_and_chicken', 2, 2, 181, 240, '233e1f98fd909470'],
  ['boy_jb2', 1, 1, 192, 256, '6e8ab1298fde958d'],
  ['boy_jb2_rotate180', 1, 1, 192, 256, 'c39e28ebb5c34077'],
  ['boy_jb2_rotate270', 1, 1, 256, 192, '4c6b30040e2a1b2f'],
  ['boy_jb2_rotate90', 1, 1, 256, 192, 'b6cae366ad382417'],
  ['carte', 1, 1, 4200, 2556, '2e565432afa234b3'],
  ['ccitt_2', 1, 1, 1728, 2376, 'a5d601b94f09e5b1'],
  ['chicken', 1, 1, 181, 240, 'fdb878aa7ad33b97'],
  ['czech_1-3', 3, 1, 1000, 1000, 'b2fd833895b9ef14'],
  ['czech_1-3', 3, 2, 1095, 1750, '4daf1a24efe8756d'],
  ['czech_1-3', 3, 3, 1052, 1720, '7ae9bb9476e6474d'],
  ['irish', 1, 1, 2479, 3504, '481f43936fd676eb'],
  ['navm_fgbz', 6, 4, 2550, 3300, '7799ac7fa3fb1895'],
] as const;

const MAX_PIXELS = 20_000_000;
const file = (name: string) => corpus(`djvu/djvujs--${name}.djvu`)!;

describe('the DjVu files of the corpus', { skip: corpusSkipReason }, () => {
  for (const [name, pages, page, width, height, hash] of PAGES) {
    it(`${name}, page ${page}, has the same pixels as with ddjvu`, async () => {
      const bytes = file(name);
      assert.equal((await probeWith(djvuReader, bytes)).pages, pages);
      const bitmap = await readBitmap(djvuReader, bytes, { page, maxPixels: MAX_PIXELS });
      assert.deepEqual([bitmap.width, bitmap.height, bitmap.truncated], [width, height, false]);
      assert.equal(pixelsHash(bitmap), hash);
    });
  }

  it('are all listed here', () => {
    // The tests below cover these two files.
    const names = new Set([...PAGES.map(([name]) => name), 'happy_birthday', 'big-scanned-page']);
    assert.deepEqual(
      corpusFiles('djvu'),
      [...names]
        .sort()
        .map((name) => `djvu/djvujs--${name}.djvu`)
        .sort(),
    );
  });

  it('include one of 62 million pixels, which is rejected', async () => {
    const bytes = file('big-scanned-page');
    const { width, height, pages } = await probeWith(djvuReader, bytes);
    assert.deepEqual([width, height, pages], [6780, 9148, 1]);
    await failureOf('image_too_large', () => decodeWith(djvuReader, bytes, { maxPixels: MAX_PIXELS }));
  });
});

/** Draws a page with ddjvu, as RGBA. */
function ddjvu(bytes: Uint8Array, page: number): { width: number; height: number; rgba: Uint8Array } {
  const folder = mkdtempSync(join(tmpdir(), 'imagecrew-djvu-'));
  try {
    const [from, to] = [join(folder, 'from.djvu'), join(folder, 'to.ppm')];
    writeFileSync(from, bytes);
    execFileSync(findProgram('ddjvu')!, ['-format=ppm', `-page=${page}`, from, to], { stdio: 'pipe' });
    const ppm = readFileSync(to);
    const [header, width, height] = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(ppm.toString('latin1', 0, 40))!;
    const data = new Uint8Array(ppm.subarray(header.length));
    const size = { width: Number(width), height: Number(height) };
    return { ...size, rgba: toRgba({ data, ...size, channels: 3 }) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('compared with ddjvu', { skip: skipWithout('ddjvu') }, () => {
  it('a document with every type of record has the same pixels', async () => {
    const [width, height] = [60, 40];
    const shapes = new Jb2Writer().start(0, 0).direct(2, A).direct(2, B).refined(5, EDGED, 1, 2, B).end();
    const letters = new Jb2Writer()
      .needsDictionary(3)
      .start(width, height)
      .comment('every type of record')
      .copy(0, 3)
      .newLine(3, -2)
      .direct(1, EDGED)
      .sameLine(2, -1)
      .copy(3, 4)
      .sameLine(2, 0)
      .refined(4, WIDE_A, 0, 4, A)
      .sameLine(1, 0)
      .reset()
      .direct(3, TICK)
      .newLine(0, -4)
      .refined(6, TICK, 3, 5, BOX)
      .sameLine(3, 0)
      .direct(2, TICK)
      .copy(5, 6)
      .sameLine(4, 2)
      .copy(2, 6)
      .sameLine(-2, -3)
      .nonSymbol(BOX, 50, 10, width, height)
      .copy(4, 6)
      .newLine(10, -3)
      .copy(4, 6)
      .newLine(47, -2)
      .end();
    const page = (flags: number, ...more: ReturnType<typeof chunk>[]) =>
      form('DJVU', info(width, height, { flags }), chunk('INCL', 'shapes'), chunk('Sjbz', letters), ...more);
    const document = bundle(
      { id: 'shapes', kind: 0, form: form('DJVI', chunk('Djbz', shapes)) },
      { id: 'one', kind: 1, form: page(1), title: 'One' },
      { id: 'two', kind: 1, form: page(6) },
      { id: 'three', kind: 1, form: page(5) },
      { id: 'four', kind: 1, form: page(2) },
    );
    for (const number of [1, 2, 3, 4]) {
      const bitmap = await readBitmap(djvuReader, document, { page: number });
      const reference = ddjvu(document, number);
      assert.deepEqual([bitmap.width, bitmap.height, bitmap.truncated], [reference.width, reference.height, false]);
      assert.deepEqual(toRgba(bitmap), reference.rgba, `page ${number}`);
    }
  });

  it('the pixels of a page with narrow layers differ by a few levels', { skip: corpusSkipReason }, async () => {
    const bytes = file('happy_birthday');
    const rgba = toRgba(await readBitmap(djvuReader, bytes));
    const reference = ddjvu(bytes, 1).rgba;
    let [sum, most] = [0, 0];
    for (let at = 0; at < rgba.length; at++) {
      const difference = Math.abs(rgba[at]! - reference[at]!);
      sum += difference;
      most = Math.max(most, difference);
    }
    assert.ok(sum / rgba.length < 0.01 && most <= 1, `${sum / rgba.length} ${most}`);
  });
});
