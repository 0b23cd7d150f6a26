/** Damaged files, decoded with a check before every memory access of the codec. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { needsFullChroma } from '../../../codecs/jpeg/chroma.ts';
import { JpegCodec } from '../../../codecs/jpeg/codec.ts';
import { encodeJpeg } from '../../../codecs/jpeg/encode.ts';
import { compileModule } from '../../../codecs/modules.ts';
import { checkedModule } from '../../support/checked-module.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { Random } from '../../support/random.ts';
import { damagedJpegs, exerciseCodec, smallJpegs } from './damaged.ts';

const FILES = 400;

describe('the JPEG codec', () => {
  let codec: JpegCodec;

  before(async () => {
    const { module, imports } = await checkedModule('codecs/jpeg/assembly');
    codec = new JpegCodec(module, imports);
  });

  it('reads and writes nothing outside its blocks, for any file', { skip: nightlyOnly }, async () => {
    const read = { decoded: 0, recoded: 0 };
    for (const file of damagedJpegs(await smallJpegs(), FILES, 1)) {
      const { isDecoded, isRecoded } = exerciseCodec(codec, file);
      read.decoded += Number(isDecoded);
      read.recoded += Number(isRecoded);
    }
    // Checks that some files took each of the two paths.
    assert.ok(read.decoded > FILES / 4 && read.recoded > 0, JSON.stringify(read));
  });

  it('reads and writes nothing outside its blocks when it encodes images of any size', () => {
    const random = new Random(1);
    for (const [width, height] of [
      [1, 1],
      [9, 33],
      [16, 16],
      [31, 17],
      [50, 7],
    ] as const)
      for (const sampling of ['444', '422', '420'] as const)
        for (const bands of [1, 3] as const) {
          const data = Uint8Array.from({ length: width * height * bands }, () => random.integer(256));
          const settings = { quality: 100, sampling, trellis: true, coding: 'sampled' } as const;
          assert.ok(encodeJpeg(codec, { data, width, height, bands }, settings));
          assert.ok(needsFullChroma(codec, { data, width, height, bands }, 90) !== undefined);
        }
  });

  it('writes nothing if it runs out of memory at any point', { skip: nightlyOnly }, async () => {
    const random = new Random(2);
    const [width, height] = [640, 320];
    const data = Uint8Array.from({ length: width * height * 3 }, () => random.integer(256));
    const settings = { quality: 100, sampling: '444', trellis: true, coding: 'sampled' } as const;
    const written: boolean[] = [];
    // The memory is too small for the initial structures, too small for the coefficients, then large enough.
    for (const pages of [8, 24, 128]) {
      const { module, imports } = await checkedModule('codecs/jpeg/assembly', pages);
      written.push(
        encodeJpeg(new JpegCodec(module, imports), { data, width, height, bands: 3 }, settings) !== undefined,
      );
    }
    assert.deepEqual(written, [false, false, true]);
  });

  it('has the memory that it reports, above 2 GiB too', async () => {
    const own = new JpegCodec(await compileModule('jpeg'));
    const bytes = 2.2e9;
    const at = own.reserve(bytes);
    assert.ok(at === undefined || own.memoryBytes >= at + bytes, `${at}, ${own.memoryBytes}`);
    assert.equal(own.reserve(bytes), undefined);
  });

  it('reports an access outside its blocks', () => {
    const at = codec.reserve(100)!;
    codec.bytes(at, 100).set([0xff, 0xd8, 0xff, 0xd9]);
    // The declared length exceeds the reserved block.
    assert.throws(() => codec.run.open(at, 2 * 65_536), /in no block/);
  });
});
