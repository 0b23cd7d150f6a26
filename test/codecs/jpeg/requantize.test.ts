/** JPEG files rotated, cropped and reduced in quality on their coefficients. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { before, describe, it } from 'node:test';
import sharp, { type JpegOptions } from 'sharp';
import { JpegCodec } from '../../../codecs/jpeg/codec.ts';
import { decodeJpeg } from '../../../codecs/jpeg/decode.ts';
import { recodeJpeg } from '../../../codecs/jpeg/recode.ts';
import { type Area, type Requantized, requantizeJpeg, type Turn, UPRIGHT } from '../../../codecs/jpeg/requantize.ts';
import { compileModule } from '../../../codecs/modules.ts';
import { pattern, sharpOf } from '../../support/test-images.ts';
import { findProgram, skipWithout } from '../../support/tool.ts';

let codec: JpegCodec;

/** The turns, by jpegtran's options. */
const TURNS: Readonly<Record<string, Turn>> = {
  '-flip horizontal': { transposes: false, mirrorsAcross: true, mirrorsDown: false },
  '-flip vertical': { transposes: false, mirrorsAcross: false, mirrorsDown: true },
  '-rotate 180': { transposes: false, mirrorsAcross: true, mirrorsDown: true },
  '-transpose': { transposes: true, mirrorsAcross: false, mirrorsDown: false },
  '-rotate 90': { transposes: true, mirrorsAcross: true, mirrorsDown: false },
  '-rotate 270': { transposes: true, mirrorsAcross: false, mirrorsDown: true },
  '-transverse': { transposes: true, mirrorsAcross: true, mirrorsDown: true },
};

const jpeg = (width: number, height: number, options: JpegOptions = {}) =>
  sharpOf(pattern(width, height))
    .jpeg({ quality: 90, ...options })
    .toBuffer();

function requantized(file: Uint8Array, quality: number, turn = UPRIGHT, area?: Area): Requantized {
  return requantizeJpeg(codec, file, { area, turn, quality, coding: () => 'sampled' });
}

function written(file: Uint8Array, quality: number, turn = UPRIGHT): Uint8Array {
  const made = requantized(file, quality, turn);
  assert.ok(made instanceof Uint8Array);
  return made;
}

/** Returns the root mean square difference of all samples. */
async function errorOf(file: Uint8Array, reference: Uint8Array): Promise<number> {
  const [own, other] = await Promise.all([file, reference].map((each) => sharp(each).raw().toBuffer()));
  const squares = own!.reduce((sum, sample, index) => sum + (sample - other![index]!) ** 2, 0);
  return Math.sqrt(squares / own!.length);
}

describe('requantizeJpeg', () => {
  before(async () => {
    codec = new JpegCodec(await compileModule('jpeg'));
  });

  it('accepts any number of tables', async () => {
    const source = await sharpOf(pattern(160, 120)).jpeg({ quality: 60 }).toBuffer();
    const frame = source.indexOf(Buffer.from([0xff, 0xc0, 0, 17, 8]));
    for (const numbers of [
      [0, 0, 1],
      [0, 1, 0],
      [1, 1, 0],
    ]) {
      const file = Buffer.from(source);
      for (const [index, number] of numbers.entries()) file[frame + 12 + index * 3] = number;
      const smaller = requantizeJpeg(codec, file, { turn: UPRIGHT, quality: 40, coding: () => 'sampled' });
      assert.ok(smaller instanceof Uint8Array, numbers.join());
      assert.ok((await errorOf(smaller, file)) < 6, numbers.join());
    }
  });

  it('rotates every sampling as jpegtran does, with every pixel', { skip: skipWithout('jpegtran') }, async () => {
    const files = [
      await jpeg(64, 96),
      await jpeg(64, 32, { progressive: true }),
      await jpeg(40, 24, { chromaSubsampling: '4:4:4' }),
      await sharpOf(pattern(24, 56)).toColourspace('b-w').jpeg().toBuffer(),
    ];
    for (const file of files)
      for (const [name, turn] of Object.entries(TURNS)) {
        const expected = execFileSync(findProgram('jpegtran')!, ['-perfect', ...name.split(' ')], { input: file });
        const turned = decodeJpeg(codec, written(file, 100, turn));
        assert.deepEqual(turned, decodeJpeg(codec, expected), name);
      }
  });

  it('rotates partial blocks if they are not mirrored', async () => {
    const file = await jpeg(61, 48);
    const turned = written(file, 100, TURNS['-rotate 90']);
    const expected = await sharp(file).rotate(90).png().toBuffer();
    const { width, height } = await sharp(turned).metadata();
    assert.deepEqual([width, height], [48, 61]);
    // sharp enlarges chroma along rows and columns with other rounding.
    assert.ok((await errorOf(turned, expected)) < 1);
    assert.equal(requantized(file, 100, TURNS['-rotate 270']), undefined);
    assert.equal(requantized(file, 100, TURNS['-flip horizontal']), undefined);
  });

  it('crops an area that begins at a block, as jpegtran does', { skip: skipWithout('jpegtran') }, async () => {
    const areas = [
      { x: 16, y: 32, width: 33, height: 20 },
      { x: 0, y: 16, width: 64, height: 80 },
      { x: 48, y: 0, width: 1, height: 1 },
    ];
    for (const file of [await jpeg(64, 96), await jpeg(64, 96, { chromaSubsampling: '4:4:4', progressive: true })])
      for (const area of areas) {
        const crop = `${area.width}x${area.height}+${area.x}+${area.y}`;
        const expected = execFileSync(findProgram('jpegtran')!, ['-perfect', '-crop', crop], { input: file });
        const cut = requantized(file, 100, UPRIGHT, area);
        assert.deepEqual(decodeJpeg(codec, cut as Uint8Array), decodeJpeg(codec, expected), crop);
      }
    const file = await jpeg(64, 96);
    assert.equal(requantized(file, 100, UPRIGHT, { x: 8, y: 0, width: 8, height: 8 }), undefined);
    assert.equal(requantized(file, 100, UPRIGHT, { x: 0, y: 0, width: 65, height: 8 }), undefined);
  });

  it('makes quantization coarser, never finer', async () => {
    const file = await jpeg(160, 120);
    const errors: number[] = [];
    const sizes: number[] = [file.length];
    for (const quality of [80, 50, 20]) {
      const smaller = written(file, quality);
      assert.equal((await sharp(smaller).metadata()).chromaSubsampling, '4:2:0');
      errors.push(await errorOf(smaller, file));
      sizes.push(smaller.length);
    }
    assert.deepEqual(
      sizes,
      sizes.toSorted((a, b) => b - a),
    );
    assert.deepEqual(
      errors,
      errors.toSorted((a, b) => a - b),
    );
    assert.ok(errors[0]! > 0 && errors[0]! < 8, `${errors}`);
    assert.equal(requantized(file, 100), 'same');
    // A file that was made with the same tables needs no change.
    assert.equal(requantized(written(file, 50), 50), 'same');
  });

  it('splits the tables of luma and chroma if a file has one for both', async () => {
    const file = Buffer.from(await jpeg(160, 120));
    const frame = file.indexOf(Buffer.from([0xff, 0xc0, 0, 17, 8]));
    for (const component of [0, 1, 2]) file[frame + 12 + component * 3] = 0;
    const smaller = written(file, 50);
    assert.equal(requantized(smaller, 50), 'same');
    const error = await errorOf(smaller, file);
    assert.ok(error > 0 && error < 12, `${error}`);
  });

  it('writes a smaller file than decoding and encoding with the same tables, with about the same error', async () => {
    const file = await sharpOf(pattern(160, 120)).blur(2).jpeg({ quality: 95 }).toBuffer();
    const own = written(file, 75);
    const encoded = await sharp(file).jpeg({ quality: 75, quantisationTable: 3 }).toBuffer();
    assert.ok(own.length < encoded.length, `${own.length}, ${encoded.length}`);
    assert.ok((await errorOf(own, file)) < 1.3 * (await errorOf(encoded, file)));
  });

  it('leaves alone a file without the scan of a component, whose quantization is unknown', async () => {
    // A frame of three components, but a scan of only the first.
    const grey = await sharpOf(pattern(48, 48)).toColourspace('b-w').jpeg().toBuffer();
    const frame = grey.indexOf(Buffer.from([0xff, 0xc0, 0, 11, 8]));
    const size = grey.subarray(frame + 5, frame + 9);
    const three = Buffer.from([0xff, 0xc0, 0, 17, 8, ...size, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]);
    const lacking = Buffer.concat([grey.subarray(0, frame), three, grey.subarray(frame + 13)]);
    assert.ok(codec.open(lacking));
    assert.equal(requantized(lacking, 5, TURNS['-rotate 90']), undefined);
    assert.equal(recodeJpeg(codec, lacking), undefined);
  });

  it('leaves to other encoders what needs pixels', async () => {
    const file = await jpeg(48, 48);
    const full = await jpeg(48, 48, { chromaSubsampling: '4:4:4' });
    assert.equal(requantized(full, 60), undefined);
    assert.equal(requantized(full, 100), 'same');
    const cmyk = await sharpOf(pattern(48, 48)).toColourspace('cmyk').jpeg().toBuffer();
    assert.equal(requantized(cmyk, 60), undefined);
    assert.equal(requantized(file.subarray(0, file.length - 200), 60), undefined);
    assert.equal(requantized(file.subarray(0, 20), 60), undefined);
  });
});
