import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../../../base/failure.ts';
import { decodeBmp, probeBmp } from '../../../../codecs/formats/bmp/read.ts';
import { encodeBmp } from '../../../../codecs/formats/bmp/write.ts';
import { corpus, corpusFiles, corpusSkipReason } from '../../../support/corpus.ts';
import { damaged, TRIED_PART } from '../../../support/damage.ts';
import { withMagick } from '../../../support/magick.ts';
import { KINDS, makeSamples, SIZES } from '../../../support/samples.ts';

const MAX_PIXELS = 1_000_000;

function read(file: Uint8Array) {
  const content = decodeBmp(file, MAX_PIXELS);
  assert.ok('bitmap' in content);
  return content.bitmap;
}

interface Recipe {
  width: number;
  height: number;
  bits: number;
  compression?: number;
  headerBytes?: number;
  /** Masks of red, green, blue and alpha. */
  masks?: number[];
  /** RGB entries. */
  palette?: number[][];
  pixels: number[];
}

/** Writes a BMP file by the Windows reference, without our own encoder. */
function bmp(recipe: Recipe): Uint8Array {
  const { width, height, bits, compression = 0, headerBytes = 40, masks = [], palette = [], pixels } = recipe;
  const core = headerBytes === 12;
  const masksAfter = headerBytes === 40 ? masks.length * 4 : 0;
  const colour = core ? 3 : 4;
  const pixelsAt = 14 + headerBytes + masksAfter + palette.length * colour;
  const file = Buffer.alloc(pixelsAt + pixels.length);
  file.write('BM');
  file.writeUInt32LE(pixelsAt, 10);
  file.writeUInt32LE(headerBytes, 14);
  if (core) {
    file.writeUInt16LE(width, 18);
    file.writeUInt16LE(height, 20);
    file.writeUInt16LE(bits, 24);
  } else {
    file.writeInt32LE(width, 18);
    file.writeInt32LE(height, 22);
    file.writeUInt16LE(bits, 28);
    file.writeUInt32LE(compression, 30);
    file.writeUInt32LE(palette.length, 46);
  }
  for (const [index, mask] of masks.entries()) file.writeUInt32LE(mask, 54 + index * 4);
  for (const [index, [red, green, blue]] of palette.entries()) {
    file.set([blue!, green!, red!], 14 + headerBytes + masksAfter + index * colour);
  }
  file.set(pixels, pixelsAt);
  return file;
}

const BLACK = [0, 0, 0];
const RED = [255, 0, 0];
const GREEN = [0, 255, 0];
const BLUE = [0, 0, 255];
const PALETTE = [BLACK, RED, GREEN, BLUE];

test('reads back what our encoder writes, RGB and grey', () => {
  for (const kind of KINDS) {
    for (const [width, height] of SIZES) {
      const rgb = makeSamples(kind, width, height, 3);
      assert.deepEqual(read(encodeBmp(rgb)).data, rgb.data);
      const grey = makeSamples(kind, width, height, 1);
      const expected = Uint8Array.from({ length: grey.data.length * 3 }, (_, at) => grey.data[Math.floor(at / 3)]!);
      assert.deepEqual(read(encodeBmp(grey)).data, expected);
    }
  }
});

test('reads palettes of 1, 2, 4 and 8 bits, the highest bits first', () => {
  const expected = Uint8Array.from([RED, BLACK, RED, RED].flat());
  const indices = { 1: [0b10110000], 2: [0b01000101], 4: [0x10, 0x11], 8: [1, 0, 1, 1] };
  for (const [bits, bytes] of Object.entries(indices)) {
    const pixels = [...bytes, 0, 0, 0].slice(0, 4);
    const file = bmp({ width: 4, height: 1, bits: Number(bits), palette: PALETTE.slice(0, 2), pixels });
    assert.deepEqual(read(file).data, expected, `${bits} bits`);
  }
});

test('reads an index beyond the palette as black', () => {
  const file = bmp({ width: 2, height: 1, bits: 8, palette: [GREEN], pixels: [0, 200, 0, 0] });
  assert.deepEqual(read(file).data, Uint8Array.from([...GREEN, ...BLACK]));
});

test('reads OS/2 palettes with three bytes per colour', () => {
  const file = bmp({ width: 4, height: 1, bits: 8, headerBytes: 12, palette: PALETTE, pixels: [3, 2, 1, 0] });
  assert.deepEqual(read(file).data, Uint8Array.from([BLUE, GREEN, RED, BLACK].flat()));
});

test('reads 16 bits with five bits per channel, or by masks', () => {
  const pixel = (value: number) => [value & 0xff, value >> 8];
  const plain = bmp({ width: 2, height: 1, bits: 16, pixels: [...pixel(0x7c00), ...pixel((16 << 5) | 3)] });
  assert.deepEqual(read(plain).data, Uint8Array.from([255, 0, 0, 0, 132, 25]));
  const masks = [0xf800, 0x07e0, 0x001f];
  const pixels = [...pixel(0xffff), ...pixel(33 << 5)];
  assert.deepEqual(
    read(bmp({ width: 2, height: 1, bits: 16, compression: 3, masks, pixels })).data,
    Uint8Array.from([255, 255, 255, 0, 134, 0]),
  );
});

test('ignores the fourth byte of 32 bits unless a mask uses it', () => {
  const pixels = [1, 2, 3, 77, 4, 5, 6, 0];
  const plain = read(bmp({ width: 2, height: 1, bits: 32, pixels }));
  assert.deepEqual([plain.channels, plain.data], [3, Uint8Array.of(3, 2, 1, 6, 5, 4)]);
  const masks = [0xff0000, 0xff00, 0xff, 0xff000000];
  const recipe = { width: 2, height: 1, bits: 32, compression: 3, headerBytes: 108, masks };
  const transparent = read(bmp({ ...recipe, pixels }));
  assert.deepEqual([transparent.channels, transparent.data], [4, Uint8Array.of(3, 2, 1, 77, 6, 5, 4, 0)]);
  const unused = read(bmp({ ...recipe, pixels: [1, 2, 3, 0, 4, 5, 6, 0] }));
  assert.deepEqual([unused.channels, unused.data], [3, Uint8Array.of(3, 2, 1, 6, 5, 4)]);
});

test('scales masks of ten bits to eight', () => {
  const masks = [0x3ff00000, 0x000ffc00, 0x000003ff];
  const value = (1023 << 20) | (512 << 10) | 3;
  const pixels = [value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff, value >>> 24];
  const file = bmp({ width: 1, height: 1, bits: 32, compression: 3, masks, pixels });
  assert.deepEqual(read(file).data, Uint8Array.of(255, 128, 1));
});

test('puts the first row on top when the height is negative', () => {
  const pixels = [...RED, 0, ...GREEN, 0];
  const swap = (bottomUp: number) => read(bmp({ width: 1, height: 2 * bottomUp, bits: 24, pixels })).data;
  assert.deepEqual(swap(-1), Uint8Array.from([...BLUE, ...GREEN]));
  assert.deepEqual(swap(1), Uint8Array.from([...GREEN, ...BLUE]));
});

test('reads run-length codes: runs, literals, skips and ends', () => {
  const rows = Uint8Array.from(
    [
      // Top row: skips to its third pixel. Bottom row: a run, then literals.
      [BLACK, BLACK, GREEN, BLACK, BLACK],
      [RED, RED, BLUE, GREEN, RED],
    ].flat(2),
  );
  const recipe = { width: 5, height: 2, palette: PALETTE };
  const rle8 = [2, 1, 0, 3, 3, 2, 1, 0, 0, 0, 0, 2, 2, 0, 1, 2, 0, 1];
  const rle4 = [2, 0x11, 0, 3, 0x32, 0x10, 0, 0, 0, 2, 2, 0, 1, 0x20, 0, 1];
  for (const [bits, compression, pixels] of [
    [8, 1, rle8],
    [4, 2, rle4],
  ] as const) {
    const whole = read(bmp({ ...recipe, bits, compression, pixels }));
    assert.deepEqual(whole.data, rows, `${bits} bits`);
    assert.equal(whole.truncated, false);
    const cut = read(bmp({ ...recipe, bits, compression, pixels: pixels.slice(0, 6) }));
    assert.equal(cut.truncated, true);
    assert.deepEqual(cut.data.subarray(15, 21), rows.subarray(15, 21));
  }
});

test('cuts off a run that leaves its row, and ends the image at one below the last row', () => {
  const pixels = [200, 1, 0, 0, 1, 2, 0, 2, 0, 255, 200, 3, 0, 1];
  const { data } = read(bmp({ width: 2, height: 2, bits: 8, compression: 1, palette: PALETTE, pixels }));
  assert.deepEqual(data, Uint8Array.from([GREEN, BLACK, RED, RED].flat()));
});

test('keeps the rows of a file that ends early', () => {
  const image = makeSamples('noise', 5, 4, 3);
  const file = encodeBmp(image);
  const cut = read(file.subarray(0, 54 + 2 * 16));
  assert.equal(cut.truncated, true);
  assert.deepEqual(cut.data.subarray(0, 30), new Uint8Array(30));
  assert.deepEqual(cut.data.subarray(30), image.data.subarray(30));
  const withoutPadding = read(file.subarray(0, -1));
  assert.equal(withoutPadding.truncated, false);
  assert.deepEqual(withoutPadding.data, image.data);
});

test('reads the resolution and the embedded profile', () => {
  const dense = read(encodeBmp({ ...makeSamples('flat', 2, 2, 3), density: { x: 300, y: 72 } }));
  assert.deepEqual(dense.density, { x: 300, y: 72 });
  const profile = [1, 2, 3, 4, 5];
  const file = Buffer.from(bmp({ width: 1, height: 1, bits: 24, headerBytes: 124, pixels: [0, 0, 0, 0, ...profile] }));
  assert.equal(read(file).icc, undefined);
  file.writeUInt32LE(0x4d424544, 14 + 56);
  file.writeUInt32LE(128, 14 + 112);
  file.writeUInt32LE(5, 14 + 116);
  assert.deepEqual([...read(file).icc!], profile);
  file.writeUInt32LE(6, 14 + 116);
  assert.equal(read(file).icc, undefined, 'a profile that ends beyond the file');
});

test('returns an embedded PNG or JPEG', () => {
  for (const [compression, format] of [
    [4, 'jpeg'],
    [5, 'png'],
  ] as const) {
    const file = bmp({ width: 9, height: 9, bits: 0, compression, pixels: [1, 2, 3] });
    assert.deepEqual(decodeBmp(file, MAX_PIXELS), { embedded: { format, bytes: Buffer.from([1, 2, 3]) } });
  }
});

test('rejects too many pixels before it allocates memory', () => {
  const file = bmp({ width: 1_000_000, height: 1_000_000, bits: 8, compression: 1, pixels: [0, 1] });
  assert.deepEqual([probeBmp(file).width, probeBmp(file).height], [1_000_000, 1_000_000]);
  assert.throws(() => decodeBmp(file, MAX_PIXELS), {
    code: 'image_too_large',
    message: 'Expected at most 1000000 pixels for image but received 1000000 x 1000000 pixels.',
  });
  const exact = encodeBmp(makeSamples('flat', 10, 10, 3));
  assert.ok('bitmap' in decodeBmp(exact, 100));
  assert.throws(() => decodeBmp(exact, 99), { code: 'image_too_large' });
});

test('rejects other files as corrupt', () => {
  const good = { width: 2, height: 2, bits: 24, pixels: Array<number>(16).fill(0) };
  for (const [name, recipe] of Object.entries({
    'no width': { ...good, width: 0 },
    'negative width': { ...good, width: -2 },
    'no height': { ...good, height: 0 },
    'three bits': { ...good, bits: 3 },
    'an unknown compression': { ...good, compression: 9 },
    'runs of 24 bits': { ...good, compression: 1 },
    'no whole row': { ...good, pixels: [0, 0, 0, 0, 0] },
  })) {
    assert.throws(() => decodeBmp(bmp(recipe), MAX_PIXELS), { code: 'corrupt_image' }, name);
  }
  assert.throws(() => decodeBmp(bmp(good).subarray(0, 40), MAX_PIXELS), { code: 'corrupt_image' }, 'half a header');
});

test('returns an image or a failure for damaged files', () => {
  const seeds = [
    encodeBmp(makeSamples('noise', 20, 10, 3)),
    bmp({
      width: 5,
      height: 2,
      bits: 8,
      compression: 1,
      palette: PALETTE,
      pixels: [2, 1, 0, 3, 3, 2, 1, 0, 0, 0, 0, 1],
    }),
    bmp({ width: 4, height: 2, bits: 16, compression: 3, masks: [0xf800, 0x7e0, 0x1f], pixels: Array(16).fill(99) }),
  ];
  let readable = 0;
  for (const [index, seed] of seeds.entries()) {
    for (const broken of damaged(seed, 2_000, index)) {
      try {
        const content = decodeBmp(broken, MAX_PIXELS);
        if (!('bitmap' in content)) continue;
        const { data, width, height, channels } = content.bitmap;
        assert.equal(data.length, width * height * channels);
        readable++;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
      }
    }
  }
  assert.ok(readable > 1_000 * TRIED_PART, `${readable} were readable`);
});

test('reads the same pixels as ImageMagick from the corpus', { skip: corpusSkipReason }, async () => {
  let compared = 0;
  for (const path of corpusFiles('bmp')) {
    const bytes = corpus(path)!;
    const content = decodeBmp(bytes, MAX_PIXELS);
    // ImageMagick reads no 2-bit bitmaps. Bitmaps with an embedded file have no pixels to compare.
    if (path.includes('pal2') || !('bitmap' in content)) continue;
    const { data, channels } = content.bitmap;
    // ImageMagick widens 5 bits to 8 by repeating bits; our reader rounds.
    const tolerance = path.includes('rgb16') ? 1 : 0;
    await withMagick(bytes, 'Bmp', ([frame]) => {
      const expected = frame!.samples(channels);
      assert.equal(data.length, expected.length, path);
      assert.ok(
        data.every((sample, at) => Math.abs(sample - expected[at]!) <= tolerance),
        path,
      );
    });
    compared++;
  }
  assert.equal(compared, 26);
});
