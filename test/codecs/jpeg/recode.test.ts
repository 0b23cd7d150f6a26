/** Lossless recoding of JPEG files. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { before, describe, it } from 'node:test';
import sharp from 'sharp';
import { JpegCodec } from '../../../codecs/jpeg/codec.ts';
import { decodeJpeg } from '../../../codecs/jpeg/decode.ts';
import { recodeJpeg } from '../../../codecs/jpeg/recode.ts';
import { requantizeJpeg, UPRIGHT } from '../../../codecs/jpeg/requantize.ts';
import { readMetadata } from '../../../codecs/metadata/index.ts';
import { compileModule } from '../../../codecs/modules.ts';
import { corpus, corpusFiles, corpusSkipReason } from '../../support/corpus.ts';
import { writeWithMagick } from '../../support/magick-writer.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { pattern, sharpOf } from '../../support/test-images.ts';
import { findProgram, skipWithout } from '../../support/tool.ts';

let codec: JpegCodec;

/** Returns all samples of a file in its own colour space. */
function pixelsOf(file: Uint8Array): Buffer {
  const pixels = decodeJpeg(codec, file);
  assert.ok(pixels && !pixels.truncated);
  return Buffer.from(pixels.data);
}

/** Checks that the recoded file is smaller and decodes to the same pixels, also with sharp. */
async function assertSame(file: Uint8Array, recoded: Uint8Array, name: string): Promise<void> {
  assert.ok(recoded.length < file.length, name);
  assert.ok(pixelsOf(recoded).equals(pixelsOf(file)), name);
  const [one, other] = await Promise.all([file, recoded].map((each) => sharp(each).raw().toBuffer()));
  assert.ok(one!.equals(other!), name);
  const before = readMetadata('jpeg', file);
  const after = readMetadata('jpeg', recoded);
  assert.deepEqual(after, before, name);
}

/** A Huffman table with a single code of one bit. */
const table = (number: number, symbol: number) => [
  ...[0xff, 0xc4, 0, 20, number],
  ...[1, ...Array<number>(15).fill(0), symbol],
];

describe('recodeJpeg', () => {
  before(async () => {
    codec = new JpegCodec(await compileModule('jpeg'));
  });

  it('makes real files smaller and keeps every pixel and all metadata', {
    skip: corpusSkipReason || nightlyOnly,
  }, async () => {
    let smaller = 0;
    for (const path of corpusFiles('jpeg')) {
      const file = corpus(path)!;
      const recoded = recodeJpeg(codec, file);
      if (!recoded) continue;
      smaller += 1;
      await assertSame(file, recoded, path);
      // Recoding a recoded file changes nothing.
      assert.equal(recodeJpeg(codec, recoded), undefined, path);
    }
    assert.ok(smaller >= 35, `${smaller}`);
  });

  it('writes no unreadable file when the differences of large values have no code', () => {
    // Two grey blocks, each with a difference of 32767 to the previous one: the second wraps around to -2.
    const file = Uint8Array.from([
      ...[0xff, 0xd8, 0xff, 0xdb, 0, 67, 0, ...Array<number>(64).fill(1)],
      ...[0xff, 0xc0, 0, 11, 8, 0, 8, 0, 16, 1, 1, 0x11, 0],
      ...[...table(0, 15), ...table(0x10, 0)],
      ...[0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x7f, 0xff, 0, 0x3f, 0xff, 0, 0xbf, 0xff, 0xd9],
    ]);
    assert.equal(pixelsOf(file).length, 16 * 8);
    const settings = { turn: UPRIGHT, quality: 100, writesSame: true };
    assert.equal(requantizeJpeg(codec, file, { ...settings, coding: () => 'sequential' }), undefined);
    const progressive = requantizeJpeg(codec, file, { ...settings, coding: () => 'exact' });
    // Coding in several scans leaves some of the bits to later scans.
    assert.ok(pixelsOf(progressive as Uint8Array).equals(pixelsOf(file)));
  });

  it('writes no file when a coefficient has no symbol', () => {
    const scan = (first: number, last: number, low: number) => [0xff, 0xda, 0, 8, 1, 1, 0, first, last, low];
    // Grey, progressive, 64 blocks. The bits 0011 are a code and the value -4, shifted left by 13 bits: -32768, 63
    // times per block.
    const file = Uint8Array.from([
      ...[0xff, 0xd8, 0xff, 0xdb, 0, 67, 0, ...Array<number>(64).fill(1)],
      ...[0xff, 0xc2, 0, 11, 8, 0, 64, 0, 64, 1, 1, 0x11, 0],
      ...[...table(0, 0), ...table(0x10, 3), ...scan(0, 0, 0), ...Array<number>(8).fill(0)],
      ...[...scan(1, 63, 13), ...Array<number>(63 * 32).fill(0x33), 0xff, 0xd9],
    ]);
    assert.equal(decodeJpeg(codec, file)?.truncated, false);
    const mirrored = { transposes: false, mirrorsAcross: true, mirrorsDown: false };
    for (const turn of [UPRIGHT, mirrored])
      assert.equal(
        requantizeJpeg(codec, file, { turn, quality: 100, writesSame: true, coding: () => 'sequential' }),
        undefined,
      );
  });

  it('writes every sampling, grey and CMYK', async () => {
    const cases = ['1x1', '2x1', '1x2', '2x2', '4x1', '4x2'].flatMap((sampling) =>
      [
        [17, 9],
        [130, 65],
      ].map(([width, height]) => ({ sampling, width: width!, height: height! })),
    );
    const files = await writeWithMagick(
      cases.map(({ sampling, width, height }) => ({
        format: 'JPEG',
        frames: [{ ...pattern(width, height), channels: 3 }],
        defines: { 'sampling-factor': sampling, 'optimize-coding': 'false' },
      })),
    );
    const grey = await sharpOf(pattern(61, 47)).toColourspace('b-w').jpeg({ optimizeCoding: false }).toBuffer();
    const cmyk = await sharpOf(pattern(61, 47)).toColourspace('cmyk').jpeg({ optimizeCoding: false }).toBuffer();
    for (const [index, file] of [...files, grey, cmyk].entries())
      await assertSame(file, recodeJpeg(codec, file)!, JSON.stringify(cases[index] ?? index));
  });

  it('writes files no larger than jpegtran', {
    skip: corpusSkipReason || skipWithout('jpegtran') || nightlyOnly,
  }, () => {
    for (const path of corpusFiles('jpeg')) {
      const file = corpus(path)!;
      const recoded = recodeJpeg(codec, file);
      if (!recoded) continue;
      const options = ['-optimize', '-progressive', '-copy', 'all'];
      const theirs = execFileSync(findProgram('jpegtran')!, options, { input: file, maxBuffer: 1e9 });
      assert.ok(recoded.length <= theirs.length, `${path}: ${recoded.length} instead of ${theirs.length}`);
    }
  });

  it('does not change files that it could damage', async () => {
    const file = await sharpOf(pattern(200, 130)).jpeg({ optimizeCoding: false }).toBuffer();
    assert.ok(recodeJpeg(codec, file));
    assert.ok(recodeJpeg(codec, Buffer.concat([file, Buffer.alloc(100)])), 'filled up with zeros');
    const directory = Buffer.from('\xff\xe2\x00\x08MPF\0ab', 'latin1');
    for (const [name, bytes] of Object.entries({
      'something behind it': Buffer.concat([file, file]),
      'offsets to other images': Buffer.concat([file.subarray(0, 2), directory, file.subarray(2)]),
      'ends early': file.subarray(0, file.length >> 1),
      'no JPEG': Buffer.from('GIF89a'),
      nothing: Buffer.alloc(0),
    }))
      assert.equal(recodeJpeg(codec, bytes), undefined, name);
  });
});
