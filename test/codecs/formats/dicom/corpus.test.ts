/** Real files of every transfer syntax, compared with dcmtk and with each other. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readDicomFacts } from '../../../../codecs/formats/dicom/facts.ts';
import { corpus, corpusFiles, corpusPath, corpusSkipReason } from '../../../support/corpus.ts';
import { listCorpusImages } from '../../../support/manifest.ts';
import { findProgram, skipWithout } from '../../../support/tool.ts';
import { bitmapOf, largestDifference, probe, realContext } from './support.ts';

const FILES = corpusFiles('dicom');

async function read(path: string, page = 1) {
  const bitmap = await bitmapOf(corpus(path)!, page, await realContext());
  assert.equal(bitmap.truncated, false, path);
  return bitmap;
}

const pydicom = (name: string) => `dicom/pydicom--${name}.dcm`;

describe('the DICOM files of the corpus', { skip: corpusSkipReason }, () => {
  it('have the sizes and frames of the list', async () => {
    const listed = listCorpusImages().filter(({ path }) => path.startsWith('dicom/'));
    assert.equal(listed.length, FILES.length);
    for (const { path, size, pages } of listed) {
      const found = await probe(corpus(path)!);
      assert.deepEqual({ width: found.width, height: found.height }, size, path);
      assert.equal(found.pages, pages ?? 1, path);
    }
  });

  it('can be read to the last frame', async () => {
    for (const path of FILES) {
      const { pages } = await probe(corpus(path)!);
      for (let page = 1; page <= pages; page++) await read(path, page);
    }
  });

  it('show the same image in every coding', async () => {
    const same = async (first: string, ...others: string[]) => {
      const { data } = await read(pydicom(first));
      for (const other of others) assert.equal(largestDifference((await read(pydicom(other))).data, data), 0, other);
    };
    await same(
      'MR_small',
      ...['bigendian', 'expb', 'implicit', 'RLE', 'padded', 'jp2klossless', 'jpeg_ls_lossless'].map(
        (n) => `MR_small_${n}`,
      ),
    );
    await same(
      'SC_rgb_rle',
      ...['rle_2frame', 'rle_16bit', 'rle_16bit_2frame', 'rle_32bit', 'rle_32bit_2frame', 'jpeg_gdcm', 'gdcm_KY'].map(
        (name) => `SC_rgb_${name}`,
      ),
    );
    await same('SC_rgb_small_odd', 'SC_rgb_small_odd_big_endian');
    await same('SC_rgb_jpeg_dcmd', 'SC_rgb_jpeg');
  });

  it('have a second frame that is the negative of the first', async () => {
    for (const name of ['SC_rgb_rle_2frame', 'SC_rgb_rle_16bit_2frame', 'SC_rgb_rle_32bit_2frame']) {
      const { data } = await read(pydicom(name));
      const negative = data.map((value) => 255 - value);
      assert.deepEqual((await read(pydicom(name), 2)).data, negative, name);
    }
  });

  it('keep their colours in lossy codings, whatever the data set declares', async () => {
    const { data } = await read(pydicom('SC_rgb_rle'));
    const lossy = FILES.filter((path) => /SC_rgb_(dcmtk|jls|jpeg_(dcmtk|lossy))/.test(path));
    assert.equal(lossy.length, 10);
    for (const path of lossy) {
      const other = (await read(path)).data;
      // Halved chroma changes the edges, but must not change the stripes between them.
      const far = data.filter((value, index) => Math.abs(value - other[index]!) > 12).length;
      assert.ok(far < data.length * 0.12, `${path}: ${far} of ${data.length}`);
    }
  });
});

/** Returns the dcmtk program that draws frames of the file's transfer syntax. */
function dcmtkFor(path: string): string | undefined {
  const { transferSyntax } = readDicomFacts(corpus(path)!);
  if (transferSyntax.includes('2000')) return undefined;
  return transferSyntax.startsWith('JPEG-LS') ? 'dcml2pnm' : 'dcmj2pnm';
}

/** Draws a page with the first window. Without a window, it stretches the smallest to the largest value. */
function drawWithDcmtk(program: string, path: string, page: number, folder: string): Uint8Array | undefined {
  const text = Buffer.from(corpus(path)!).toString('latin1');
  const windows = text.includes('\x28\0\x50\x10') || text.includes('\0\x28\x10\x50');
  const { photometricInterpretation = '', bitsStored } = readDicomFacts(corpus(path)!);
  const range = bitsStored === 8 ? ['-W'] : windows ? ['+Wi', '1'] : ['+Wm'];
  const options = photometricInterpretation.startsWith('MONOCHROME') ? range : [];
  const file = join(folder, 'drawn.pnm');
  const { status } = spawnSync(findProgram(program)!, ['+F', String(page), ...options, corpusPath(path), file]);
  if (status !== 0) return undefined;
  const pnm = readFileSync(file);
  rmSync(file);
  // The header is the magic, an optional comment, width, height and maximum value. The samples follow.
  const header = /^P[56]\s(?:#[^\n]*\n)?\d+ \d+\s\d+\s/.exec(pnm.toString('latin1', 0, 200))!;
  return pnm.subarray(header[0].length);
}

describe('compared with dcmtk', { skip: corpusSkipReason || skipWithout('dcmj2pnm', 'dcml2pnm') }, () => {
  it('colours are equal and greys are within the rounding', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dicom-'));
    let compared = 0;
    try {
      for (const path of FILES) {
        const program = dcmtkFor(path);
        const { pages } = await probe(corpus(path)!);
        for (let page = 1; program && page <= pages; page++) {
          const drawn = drawWithDcmtk(program, path, page, folder);
          if (!drawn) continue;
          const { data, channels } = await read(path, page);
          // dcmtk truncates fractions; our reader rounds to the nearest level. Its 12-bit JPEG may differ by one more
          // of 265 levels.
          const tolerance = /JPEG-lossy|JPGExtended/.test(path) ? 2 : channels === 1 || path.includes('ybr') ? 1 : 0;
          assert.ok(largestDifference(data, drawn) <= tolerance, `${path}: ${largestDifference(data, drawn)}`);
          compared++;
        }
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
    assert.ok(compared >= 38, `${compared} frames were compared`);
  });
});
