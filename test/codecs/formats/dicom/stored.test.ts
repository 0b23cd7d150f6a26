/** Native pixel data: sample sizes, byte orders and colours (DICOM PS3.5, section 8; PS3.3, C.7.6.3). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bitmapOf, largestDifference, noise, probe, samplesOf } from './support.ts';
import { BIG_ENDIAN, DEFLATED, dicomImage, EXPLICIT, IMPLICIT, type TestElement, words } from './write-dicom.ts';

const SIZE = { width: 7, height: 5 };
const PIXELS = SIZE.width * SIZE.height;

/** Stretches the smallest to the largest value over 0 to 255, as the reader does without a window. */
function stretched(values: readonly number[]): number[] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return values.map((value) => Math.round(((value - least) / (most - least)) * 255));
}

describe('encodings', () => {
  const values = noise(PIXELS, 65_536);
  for (const [name, encoding] of Object.entries({ IMPLICIT, EXPLICIT, BIG_ENDIAN, DEFLATED })) {
    it(`reads 16 bits in ${name}`, async () => {
      const pixels = words(values, encoding.littleEndian);
      assert.deepEqual(await samplesOf(dicomImage(encoding, { ...SIZE, allocated: 16, pixels })), stretched(values));
    });

    if (encoding === DEFLATED) continue;
    for (const parts of [{ preamble: false }, { preamble: false, meta: false }]) {
      it(`reads ${name} without ${Object.keys(parts).join(' and ')}`, async () => {
        const pixels = words(values, encoding.littleEndian);
        const file = dicomImage(encoding, { ...SIZE, allocated: 16, pixels }, parts);
        assert.deepEqual(await samplesOf(file), stretched(values));
      });
    }
  }

  it('reads a data set whose VR is not the announced one', async () => {
    const implicit = dicomImage({ ...IMPLICIT, uid: EXPLICIT.uid }, { ...SIZE, allocated: 16, pixels: words(values) });
    assert.deepEqual(await samplesOf(implicit), stretched(values));
    const explicit = dicomImage({ ...EXPLICIT, uid: IMPLICIT.uid }, { ...SIZE, allocated: 16, pixels: words(values) });
    assert.deepEqual(await samplesOf(explicit), stretched(values));
  });

  it('reads an unknown sequence in the middle, which is always in implicit VR', async () => {
    // The content's length reads like a VR ("BB").
    const content = Buffer.alloc(0x4242);
    const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
    const unknown = Buffer.concat([
      hex('0900 1010 554e 0000 ffffffff'),
      hex('feff 00e0 ffffffff 0900 1110 42420000'),
      content,
      hex('feff 0de0 00000000 feff dde0 00000000'),
    ]);
    const file = Buffer.from(dicomImage(EXPLICIT, { ...SIZE, allocated: 16, pixels: words(values) }));
    const rows = file.indexOf(Buffer.of(0x28, 0, 0x02, 0));
    const mixed = Buffer.concat([file.subarray(0, rows), unknown, file.subarray(rows)]);
    assert.deepEqual(await samplesOf(mixed), stretched(values));
  });

  it('reads a deflated data set that begins like meta information', async () => {
    const wide = { width: 256, height: 160 };
    const many = noise(wide.width * wide.height, 65_536);
    const file = Buffer.from(dicomImage(DEFLATED, { ...wide, allocated: 16, pixels: words(many) }));
    const meta = 128 + 4 + 12 + file.readUInt32LE(128 + 4 + 8);
    // One empty block with fixed codes and two empty stored blocks (RFC 1951, 3.2): group 2, element 0, 65,535 bytes.
    const empty = Buffer.of(0x02, 0x00, 0x00, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0xff, 0xff);
    const prefixed = Buffer.concat([file.subarray(0, meta), empty, file.subarray(meta)]);
    assert.ok(prefixed.length > meta + 66_000);
    assert.deepEqual(await samplesOf(prefixed), await samplesOf(file));
  });

  it('reads 8 bits in words, whose bytes a big-endian file swaps', async () => {
    const bytes = noise(PIXELS * 2, 256);
    const swapped = Uint8Array.from({ length: PIXELS * 2 }, (_, index) => bytes[index ^ 1]!);
    const image = { ...SIZE, vr: 'OW', frames: 2, pixels: swapped };
    assert.deepEqual(await samplesOf(dicomImage(BIG_ENDIAN, image), 1), bytes.slice(0, PIXELS));
    assert.deepEqual(await samplesOf(dicomImage(BIG_ENDIAN, image), 2), bytes.slice(PIXELS));
    assert.deepEqual(await samplesOf(dicomImage(BIG_ENDIAN, { ...image, vr: 'OB' })), [...swapped].slice(0, PIXELS));
  });
});

describe('samples', () => {
  it('reads 12 bits and ignores the other bits of the word', async () => {
    const values = noise(PIXELS, 4096);
    const rest = noise(PIXELS, 16, 2);
    const low = words(values.map((value, index) => (rest[index]! << 12) | value));
    const high = words(values.map((value, index) => (value << 4) | rest[index]!));
    const image = { ...SIZE, allocated: 16, stored: 12 };
    assert.deepEqual(await samplesOf(dicomImage(EXPLICIT, { ...image, pixels: low })), stretched(values));
    assert.deepEqual(await samplesOf(dicomImage(EXPLICIT, { ...image, highBit: 15, pixels: high })), stretched(values));
    const signed = values.map((value) => (value << 20) >> 20);
    assert.deepEqual(await samplesOf(dicomImage(EXPLICIT, { ...image, signed: true, pixels: low })), stretched(signed));
  });

  it('reads packed samples of 12 bits', async () => {
    const values = noise(PIXELS + 1, 4096);
    const bytes = Array.from({ length: values.length / 2 }, (_, pair) => {
      const [one, other] = [values[pair * 2]!, values[pair * 2 + 1]!];
      return [one & 255, (one >> 8) | ((other & 15) << 4), other >> 4];
    }).flat();
    const file = dicomImage(EXPLICIT, { ...SIZE, allocated: 12, pixels: Uint8Array.from(bytes) });
    assert.deepEqual(await samplesOf(file), stretched(values.slice(0, PIXELS)));
  });

  it('reads packed frames of one bit', async () => {
    const bits = noise(PIXELS * 3, 2);
    const pixels = new Uint8Array(Math.ceil(bits.length / 8));
    for (const [index, bit] of bits.entries()) pixels[index >> 3]! |= bit << (index & 7);
    const file = dicomImage(EXPLICIT, { ...SIZE, allocated: 1, frames: 3, pixels });
    for (let page = 1; page <= 3; page++) {
      const expected = bits.slice((page - 1) * PIXELS, page * PIXELS).map((bit) => bit * 255);
      assert.deepEqual(await samplesOf(file, page), expected);
    }
  });

  it('reads 32 bits and floating point', async () => {
    const values = noise(PIXELS, 2 ** 31).map((value) => value * 2 - 2 ** 31);
    const integers = new Uint8Array(Int32Array.from(values).buffer);
    const image = { ...SIZE, allocated: 32 };
    assert.deepEqual(
      await samplesOf(dicomImage(EXPLICIT, { ...image, signed: true, pixels: integers })),
      stretched(values),
    );

    const fractions = values.map((value, index) => (index === 3 ? Number.NaN : Math.fround(value / 1e7)));
    const known = fractions.map((value) =>
      Number.isNaN(value) ? Math.min(...fractions.filter(Number.isFinite)) : value,
    );
    const floats = new Uint8Array(Float32Array.from(fractions).buffer);
    const doubles = new Uint8Array(Float64Array.from(fractions).buffer);
    const float = { ...image, pixelsTag: 0x7fe00008, vr: 'OF', pixels: floats };
    assert.deepEqual(await samplesOf(dicomImage(EXPLICIT, float)), stretched(known));
    const double = { ...image, allocated: 64, pixelsTag: 0x7fe00009, vr: 'OD', pixels: doubles };
    assert.deepEqual(await samplesOf(dicomImage(EXPLICIT, double)), stretched(known));
  });
});

describe('colours', () => {
  const bytes = noise(PIXELS * 3, 256);

  it('reads colour by pixel and by plane', async () => {
    const byPixel = dicomImage(EXPLICIT, { ...SIZE, samples: 3, pixels: Uint8Array.from(bytes) });
    assert.deepEqual(await samplesOf(byPixel), bytes);
    const planes = [0, 1, 2].flatMap((channel) => bytes.filter((_, index) => index % 3 === channel));
    const byPlane = dicomImage(EXPLICIT, { ...SIZE, samples: 3, planar: true, pixels: Uint8Array.from(planes) });
    assert.deepEqual(await samplesOf(byPlane), bytes);
    const signed = dicomImage(EXPLICIT, { ...SIZE, samples: 3, signed: true, pixels: Uint8Array.from(bytes) });
    assert.deepEqual(await samplesOf(signed), bytes);
  });

  it('uses the high bits of 16-bit colour', async () => {
    const pixels = words(bytes.map((value) => value * 257));
    assert.deepEqual(await samplesOf(dicomImage(EXPLICIT, { ...SIZE, samples: 3, allocated: 16, pixels })), bytes);
    const twelve = words(bytes.map((value) => value * 16));
    assert.deepEqual(
      await samplesOf(dicomImage(EXPLICIT, { ...SIZE, samples: 3, allocated: 16, stored: 12, pixels: twelve })),
      bytes,
    );
  });

  /** Converts RGB to YBR by PS3.3, C.7.6.3.1.2. */
  const toYbr = (r: number, g: number, b: number) => [
    0.299 * r + 0.587 * g + 0.114 * b,
    -0.1687 * r - 0.3313 * g + 0.5 * b + 128,
    0.5 * r - 0.4187 * g - 0.0813 * b + 128,
  ];
  const toPartial = (r: number, g: number, b: number) => [
    0.2568 * r + 0.5041 * g + 0.0979 * b + 16,
    -0.1482 * r - 0.291 * g + 0.4392 * b + 128,
    0.4392 * r - 0.3678 * g - 0.0714 * b + 128,
  ];
  const even = { width: 8, height: 4 };
  // Both pixels of a pair have the same colour.
  const pairs = Array.from({ length: 16 }, (_, pair) => bytes.slice(pair * 3, pair * 3 + 3));
  const rgb = pairs.flatMap((colour) => [...colour, ...colour]);

  for (const [photometric, convert] of Object.entries({ YBR_FULL_422: toYbr, YBR_PARTIAL_422: toPartial })) {
    it(`reads ${photometric} with one chroma sample for two pixels`, async () => {
      const pixels = pairs.flatMap(([r, g, b]) => {
        const [y, cb, cr] = convert(r!, g!, b!).map(Math.round);
        return [y!, y!, cb!, cr!];
      });
      const file = dicomImage(EXPLICIT, { ...even, samples: 3, photometric, pixels: Uint8Array.from(pixels) });
      assert.ok(largestDifference(await samplesOf(file), rgb) <= 2);
    });
  }

  it('reads YBR_FULL', async () => {
    const pixels = pairs.flatMap((colour) =>
      [0, 1].flatMap(() => toYbr(colour[0]!, colour[1]!, colour[2]!).map(Math.round)),
    );
    const image = { ...even, samples: 3, photometric: 'YBR_FULL', pixels: Uint8Array.from(pixels) };
    assert.ok(largestDifference(await samplesOf(dicomImage(EXPLICIT, image)), rgb) <= 2);
  });

  it('returns colour with its profile, and grey without one', async () => {
    const profile = Uint8Array.of(1, 2, 3, 4);
    const more: TestElement[] = [[0x00282000, 'OB', profile]];
    const colour = await bitmapOf(dicomImage(EXPLICIT, { ...SIZE, samples: 3, pixels: Uint8Array.from(bytes), more }));
    assert.deepEqual(Uint8Array.from(colour.icc!), profile);
    const grey = await bitmapOf(
      dicomImage(EXPLICIT, { ...SIZE, pixels: Uint8Array.from(bytes).subarray(0, PIXELS), more }),
    );
    assert.equal(grey.icc, undefined);
    const slide: TestElement[] = [[0x00480105, 'SQ', [more]]];
    const path = await bitmapOf(
      dicomImage(EXPLICIT, { ...SIZE, samples: 3, pixels: Uint8Array.from(bytes), more: slide }),
    );
    assert.deepEqual(Uint8Array.from(path.icc!), profile);
  });
});

describe('palettes', () => {
  const indices = noise(PIXELS, 256);
  const palette = [0, 1, 2].map((channel) => noise(200, 256, channel + 3));
  const expected = indices.flatMap((index) =>
    palette.map((entries) => entries[Math.max(0, Math.min(199, index - 20))]!),
  );
  const coloured = (more: TestElement[]) =>
    dicomImage(EXPLICIT, { ...SIZE, photometric: 'PALETTE COLOR', pixels: Uint8Array.from(indices), more });
  const descriptors = (bits: number): TestElement[] => [
    [0x00281101, 'US', [200, 20, bits]],
    [0x00281102, 'US', [200, 20, bits]],
    [0x00281103, 'US', [200, 20, bits]],
  ];
  const tables = (encode: (entries: number[]) => number[] | Uint8Array): TestElement[] =>
    palette.map((entries, channel) => [0x00281201 + channel, 'OW', encode(entries)]);

  it('reads 16 bits, 8 bits in words and 8 bits in bytes', async () => {
    const wide = tables((entries) => entries.map((entry) => entry * 257));
    assert.deepEqual(await samplesOf(coloured([...descriptors(16), ...wide])), expected);
    assert.deepEqual(await samplesOf(coloured([...descriptors(8), ...tables((entries) => entries)])), expected);
    assert.deepEqual(
      await samplesOf(coloured([...descriptors(8), ...tables((entries) => Uint8Array.from(entries))])),
      expected,
    );
    // The descriptor declares 16 bits, but the entries have 8.
    assert.deepEqual(await samplesOf(coloured([...descriptors(16), ...tables((entries) => entries)])), expected);
  });

  it('reads segments: lists, lines and copies of both', async () => {
    const ramp = [1000, 1100, 1200, 1300];
    // A list of 2, a line of 3 to the end of the ramp, then a copy of both: twelve bytes from offset 0.
    const coded = [0, 1, 1000, 1, 3, 1300, 2, 2, 0, 0];
    const descriptor = (channel: number): TestElement => [0x00281101 + channel, 'US', [8, 0, 16]];
    const segmented = (channel: number): TestElement => [0x00281221 + channel, 'OW', coded];
    const more = [descriptor(0), descriptor(1), descriptor(2), segmented(0), segmented(1), segmented(2)];
    const pixels = Uint8Array.from({ length: PIXELS }, (_, index) => index % 8);
    const file = dicomImage(EXPLICIT, { ...SIZE, photometric: 'PALETTE COLOR', pixels, more });
    const colours = [...ramp, ...ramp].map((value) => value >> 8);
    assert.deepEqual(
      await samplesOf(file),
      [...pixels].flatMap((index) => Array(3).fill(colours[index])),
    );
  });

  it('reads segments of bytes, as in the well-known palettes', async () => {
    // The palette WINTER of PS3.6, annex B: red rises from its middle on, green rises throughout, blue falls to half.
    const reds = Uint8Array.of(0, 1, 0, 1, 127, 0, 1, 128, 127);
    const greens = Uint8Array.of(0, 1, 0, 1, 255, 255);
    const descriptor = (channel: number): TestElement => [0x00281101 + channel, 'US', [256, 0, 8]];
    const more: TestElement[] = [
      descriptor(0),
      descriptor(1),
      descriptor(2),
      [0x00281221, 'OW', reds],
      [0x00281222, 'OW', greens],
      [0x00281223, 'OW', greens],
    ];
    const file = dicomImage(EXPLICIT, {
      width: 16,
      height: 16,
      photometric: 'PALETTE COLOR',
      pixels: Uint8Array.from({ length: 256 }, (_, index) => index),
      more,
    });
    const colours = Array.from({ length: 256 }, (_, index) => [
      Math.max(0, Math.round(((index - 127) * 127) / 128)),
      index,
      index,
    ]);
    assert.deepEqual(await samplesOf(file), colours.flat());
  });
});

it('reads the resolution from the spacing of rows and columns', async () => {
  const pixels = new Uint8Array(PIXELS);
  const spaced = await bitmapOf(dicomImage(EXPLICIT, { ...SIZE, pixels, more: [[0x00280030, 'DS', '0.254\\0.508']] }));
  assert.deepEqual({ x: Math.round(spaced.density!.x), y: Math.round(spaced.density!.y) }, { x: 50, y: 100 });
  assert.equal((await bitmapOf(dicomImage(EXPLICIT, { ...SIZE, pixels }))).density, undefined);
  const { workingBytes, ...header } = await probe(dicomImage(EXPLICIT, { ...SIZE, pixels }));
  assert.ok(workingBytes! > PIXELS, `${workingBytes}`);
  assert.deepEqual(header, {
    ...SIZE,
    channels: 1,
    pages: 1,
    depth: 8,
    storedDepth: 8,
    hasAlpha: false,
  });
});
