/** JPEG-LS files: those of CharLS' own encoder, and other variants. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import { reader as jlsReader } from '../../../../codecs/formats/jls/read.ts';
import { makeRandom, TRIED_PART } from '../../../support/damage.ts';
import { nightlyOnly } from '../../../support/nightly.ts';
import { decodeWith, probeWith, readBitmap, readDamaged } from '../../../support/readers.ts';

const WIDTH = 20;
const HEIGHT = 13;

interface Encoder {
  getDecodedBuffer(frame: object): Uint8Array;
  setInterleaveMode(mode: number): void;
  setNearLossless(near: number): void;
  encode(): void;
  getEncodedBuffer(): Uint8Array;
  delete(): void;
}

const require = createRequire(import.meta.url);
const start = require('@cornerstonejs/codec-charls/wasmjs') as (
  options: object,
) => Promise<{ JpegLSEncoder: new () => Encoder }>;
const charls = start({ print() {} });

/** 0: component by component; 1: line by line; 2: pixel by pixel. */
type Interleave = 0 | 1 | 2;

async function encode(
  samples: Uint8Array | Uint16Array,
  bits: number,
  components = 1,
  interleave: Interleave = 0,
  near = 0,
) {
  const encoder = new (await charls).JpegLSEncoder();
  const frame = { width: WIDTH, height: HEIGHT, bitsPerSample: bits, componentCount: components, isSigned: false };
  encoder.getDecodedBuffer(frame).set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
  encoder.setInterleaveMode(interleave);
  encoder.setNearLossless(near);
  encoder.encode();
  const encoded = Uint8Array.from(encoder.getEncodedBuffer());
  encoder.delete();
  return encoded;
}

function samples(bits: number, components = 1): Uint8Array | Uint16Array {
  const random = makeRandom(bits);
  const values = new (bits > 8 ? Uint16Array : Uint8Array)(WIDTH * HEIGHT * components);
  for (let index = 0; index < values.length; index++) values[index] = (random(2 ** bits) & ~3) | (index % 4);
  return values;
}

describe('the JPEG-LS reader', () => {
  it('reads grey of 2 to 16 bits, scaled to 8 or 16', async () => {
    for (const bits of [2, 4, 8, 10, 12, 16]) {
      const values = samples(bits);
      const { data, channels, width, height } = await readBitmap(jlsReader, await encode(values, bits));
      assert.deepEqual([width, height, channels], [WIDTH, HEIGHT, 1]);
      const factor = (bits > 8 ? 65_535 : 255) / (2 ** bits - 1);
      assert.deepEqual(
        data,
        values.map((value) => Math.round(value * factor)),
      );
    }
  });

  it('reads colour with each interleaving', async () => {
    for (const bits of [8, 16]) {
      const values = samples(bits, 3);
      for (const interleave of [1, 2] as const) {
        const { data, channels } = await readBitmap(jlsReader, await encode(values, bits, 3, interleave));
        assert.equal(channels, 3);
        assert.deepEqual(data, values);
      }
      const planes = values.map(
        (_, index) => values[(index % (WIDTH * HEIGHT)) * 3 + Math.floor(index / (WIDTH * HEIGHT))]!,
      );
      assert.deepEqual((await readBitmap(jlsReader, await encode(planes, bits, 3, 0))).data, values);
    }
  });

  it('reads near-lossless files', async () => {
    const values = samples(8);
    const { data } = await readBitmap(jlsReader, await encode(values, 8, 1, 0, 3));
    assert.notDeepEqual(data, values);
    for (const [index, value] of values.entries()) assert.ok(Math.abs(value - data[index]!) <= 3);
  });

  it('keeps the rows of a file that ends early, and reads the next file in full', async () => {
    const values = samples(8);
    const whole = await encode(values, 8);
    const cut = await readBitmap(jlsReader, whole.subarray(0, whole.length >> 1));
    assert.equal(cut.truncated, true);
    assert.deepEqual(cut.data.subarray(0, WIDTH * 2), values.subarray(0, WIDTH * 2));
    assert.deepEqual((await readBitmap(jlsReader, whole)).data, values);
  });

  it('reads a file that lacks only its end marker in full', async () => {
    const values = samples(8);
    const { data, truncated } = await readBitmap(jlsReader, (await encode(values, 8)).subarray(0, -2));
    assert.deepEqual({ data, truncated }, { data: values, truncated: false });
  });

  it('reads the next file after hundreds of failures', { skip: nightlyOnly }, async () => {
    const values = samples(8);
    const whole = await encode(values, 8);
    const cut = whole.subarray(0, whole.length >> 1);
    // An instance of CharLS that is reused after each failure runs out of stack after about 275 failures.
    for (let failure = 0; failure < 300; failure++) await readBitmap(jlsReader, cut);
    assert.deepEqual((await readBitmap(jlsReader, whole)).data, values);
  });

  it('reads one page of an allowed size only', async () => {
    const file = await encode(samples(8), 8);
    await assert.rejects(probeWith(jlsReader, file, { page: 2 }), { code: 'page_out_of_range' });
    await assert.rejects(decodeWith(jlsReader, file, { maxPixels: 259 }), { code: 'image_too_large' });
    const bomb = Buffer.from(file);
    bomb.fill(0xff, bomb.indexOf(Buffer.of(0xff, 0xf7)) + 5, bomb.indexOf(Buffer.of(0xff, 0xf7)) + 9);
    await assert.rejects(decodeWith(jlsReader, bomb), { code: 'image_too_large' });
  });

  it('rejects other JPEG processes and other numbers of components', async () => {
    const file = Buffer.from(await encode(samples(8), 8));
    const frame = file.indexOf(Buffer.of(0xff, 0xf7));
    const baseline = Buffer.from(file);
    baseline[frame + 1] = 0xc0;
    await assert.rejects(probeWith(jlsReader, baseline), {
      code: 'corrupt_image',
      message: 'Expected a readable JPEG-LS file for image but received one that cannot be decoded.',
    });
    const two = Buffer.concat([
      file.subarray(0, frame + 2),
      Buffer.of(0, 14),
      file.subarray(frame + 4, frame + 9),
      Buffer.of(2, 1, 0x11, 0, 2, 0x11, 0),
      file.subarray(frame + 13),
    ]);
    await assert.rejects(probeWith(jlsReader, two), { code: 'unsupported_format' });
    await assert.rejects(probeWith(jlsReader, file.subarray(0, 6)), { code: 'corrupt_image' });
  });

  it('returns an image or a failure for damaged files', async () => {
    const values = samples(8, 3);
    const seeds = [await encode(samples(12), 12), await encode(values, 8, 3, 2), await encode(values, 8, 3, 1)];
    const readable = await readDamaged(jlsReader, seeds, 30);
    assert.ok(readable > 10 * TRIED_PART && readable < 90 * TRIED_PART, `${readable}`);
    assert.deepEqual((await readBitmap(jlsReader, seeds[1]!)).data, values);
  });
});
