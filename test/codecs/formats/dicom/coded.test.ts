/** Compressed frames: RLE, all JPEG processes, JPEG-LS, JPEG 2000 and JPEG XL. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import sharp from 'sharp';
import { encodeLossless, encodeRle, encodeSequential } from './encoders.ts';
import { bitmapOf, decode, largestDifference, noise, realContext, samplesOf, waves } from './support.ts';
import { coded, dicomImage, EXPLICIT, type TestImage } from './write-dicom.ts';

const SIZE = { width: 24, height: 18 };
const PIXELS = SIZE.width * SIZE.height;
/** Shows 12-bit and 16-bit samples by their high 8 bits, so that each grey level covers a range of stored values. */
const windowOf = (bits: number): TestImage['more'] => [
  [0x00281050, 'DS', String(2 ** (bits - 1))],
  [0x00281051, 'DS', String(2 ** bits)],
  [0x00281056, 'CS', 'LINEAR_EXACT'],
];

type Image = Omit<TestImage, 'width' | 'height' | 'pixels'>;

/** Checks that the same image looks the same from native and from compressed pixels. */
async function assertSamePixels(native: Uint8Array, image: Image, suffix: string, frame: Uint8Array, tolerance = 0) {
  const expected = await samplesOf(dicomImage(EXPLICIT, { ...SIZE, ...image, pixels: native }));
  const pixels = { table: [], fragments: [frame] };
  const bitmap = await bitmapOf(dicomImage(coded(suffix), { ...SIZE, ...image, pixels }), 1, await realContext());
  assert.equal(bitmap.truncated, false);
  assert.ok(largestDifference(bitmap.data, expected) <= tolerance, `${largestDifference(bitmap.data, expected)}`);
  assert.ok(new Set(expected).size > 8);
}

const bytesOf = (values: readonly number[]) => Uint8Array.from(values);
const wordsOf = (values: readonly number[]) => new Uint8Array(Uint16Array.from(values).buffer);
const interleaved = (planes: number[][]) => planes[0]!.flatMap((_, index) => planes.map((plane) => plane[index]!));

const GREY8 = waves(SIZE.width, SIZE.height, 255);
const GREY12 = waves(SIZE.width, SIZE.height, 4095);
/** Contains the largest possible difference between neighbours. */
const GREY16 = [0, 32_768, 0, 65_535, ...noise(PIXELS - 4, 65_536)];
const COLOUR8 = interleaved([0, 1, 2].map((phase) => waves(SIZE.width, SIZE.height, 255, phase)));
const COLOUR16 = noise(PIXELS * 3, 65_536, 2);

describe('RLE', () => {
  it('reads 8, 16 and 32 bits, grey and colour', async () => {
    await assertSamePixels(bytesOf(GREY8), {}, '5', encodeRle([bytesOf(GREY8)]));
    const high = (values: number[]) => bytesOf(values.map((value) => value >> 8));
    const low = (values: number[]) => bytesOf(values.map((value) => value & 255));
    await assertSamePixels(wordsOf(GREY16), { allocated: 16 }, '5', encodeRle([high(GREY16), low(GREY16)]));
    const plane = (channel: number) => COLOUR16.filter((_, index) => index % 3 === channel);
    const colours = encodeRle([0, 1, 2].flatMap((channel) => [high(plane(channel)), low(plane(channel))]));
    await assertSamePixels(wordsOf(COLOUR16), { allocated: 16, samples: 3 }, '5', colours);
    const wide = GREY16.map((value) => value * 65_000);
    const quarters = [24, 16, 8, 0].map((shift) => bytesOf(wide.map((value) => (value / 2 ** shift) & 255)));
    await assertSamePixels(new Uint8Array(Uint32Array.from(wide).buffer), { allocated: 32 }, '5', encodeRle(quarters));
  });

  it('reads single bits', async () => {
    const native = bytesOf(noise(PIXELS / 8, 256));
    const pixels = { table: [], fragments: [encodeRle([native])] };
    const expected = await samplesOf(dicomImage(EXPLICIT, { ...SIZE, allocated: 1, pixels: native }));
    assert.deepEqual(await samplesOf(dicomImage(coded('5'), { ...SIZE, allocated: 1, pixels })), expected);
  });
});

describe('deflated frames', () => {
  it('reads one stream per frame', async () => {
    await assertSamePixels(wordsOf(GREY16), { allocated: 16 }, '8.1', deflateRawSync(wordsOf(GREY16)));
  });

  it('rejects a frame that inflates to more than its size', async () => {
    const fragments = [deflateRawSync(new Uint8Array(10_000_000))];
    const file = dicomImage(coded('8.1'), { ...SIZE, pixels: { table: [], fragments } });
    await assert.rejects(decode(file), { code: 'corrupt_image' });
  });
});

describe('JPEG lossless', () => {
  for (let predictor = 1; predictor <= 7; predictor++) {
    it(`predictor ${predictor}: 8, 12 and 16 bits, grey and colour`, async () => {
      const lossless = (values: number[], components: number, precision: number, options = {}) =>
        encodeLossless(values, { ...SIZE, components, precision, predictor, ...options });
      await assertSamePixels(bytesOf(GREY8), {}, '4.57', lossless(GREY8, 1, 8));
      await assertSamePixels(wordsOf(GREY12), { allocated: 16, stored: 12 }, '4.57', lossless(GREY12, 1, 12));
      await assertSamePixels(wordsOf(GREY16), { allocated: 16 }, '4.57', lossless(GREY16, 1, 16));
      await assertSamePixels(bytesOf(COLOUR8), { samples: 3 }, '4.70', lossless(COLOUR8, 3, 8));
      await assertSamePixels(wordsOf(COLOUR16), { samples: 3, allocated: 16 }, '4.57', lossless(COLOUR16, 3, 16));
      await assertSamePixels(wordsOf(GREY16), { allocated: 16 }, '4.57', lossless(GREY16, 1, 16, { restart: 4 }));
      await assertSamePixels(bytesOf(COLOUR8), { samples: 3 }, '4.57', lossless(COLOUR8, 3, 8, { separate: true }));
      const rounded = GREY12.map((value) => value & ~3);
      await assertSamePixels(
        wordsOf(rounded),
        { allocated: 16, stored: 12 },
        '4.57',
        lossless(GREY12, 1, 12, { low: 2 }),
      );
    });
  }

  it('reads signed samples, and samples that share their word with other bits', async () => {
    const signed = { allocated: 16, stored: 12, signed: true };
    const twelve = encodeLossless(GREY12, { ...SIZE, components: 1, precision: 12 });
    await assertSamePixels(wordsOf(GREY12), signed, '4.70', twelve);
    const surrounded = GREY12.map((value, index) => value | ((index % 16) << 12));
    const sixteen = encodeLossless(surrounded, { ...SIZE, components: 1, precision: 16 });
    await assertSamePixels(wordsOf(surrounded), signed, '4.70', sixteen);
  });

  it('converts YBR_FULL to RGB', async () => {
    const image = { samples: 3, photometric: 'YBR_FULL' };
    await assertSamePixels(
      bytesOf(COLOUR8),
      image,
      '4.70',
      encodeLossless(COLOUR8, { ...SIZE, components: 3, precision: 8 }),
    );
  });
});

describe('JPEG extended', () => {
  it('reads 12 bits, grey and colour, with restart markers', async () => {
    const encode = (values: number[], components: number, options = {}) =>
      encodeSequential(values, { ...SIZE, components, precision: 12, ...options });
    const image = { allocated: 16, stored: 12, more: windowOf(12)! };
    await assertSamePixels(wordsOf(GREY12), image, '4.51', encode(GREY12, 1), 1);
    await assertSamePixels(wordsOf(GREY12), image, '4.51', encode(GREY12, 1, { restart: 2 }), 1);
    const colours = interleaved([0, 1, 2].map((phase) => waves(SIZE.width, SIZE.height, 4095, phase)));
    const rgb = { allocated: 16, stored: 12, samples: 3 };
    await assertSamePixels(wordsOf(colours), rgb, '4.51', encode(colours, 3), 1);
    await assertSamePixels(wordsOf(colours), { ...rgb, photometric: 'YBR_FULL' }, '4.51', encode(colours, 3), 2);
  });
});

describe('JPEG baseline and progressive', () => {
  const image = sharp(Buffer.from(COLOUR8), { raw: { ...SIZE, channels: 3 } });
  const options = { quality: 100, chromaSubsampling: '4:4:4' };

  it('reads colours as the data set declares them', async () => {
    for (const progressive of [false, true]) {
      const jpeg = await image.jpeg({ ...options, progressive }).toBuffer();
      // The JPEG files from sharp have no marker that names their colour space.
      assert.ok(jpeg.indexOf('JFIF') < 0 && jpeg.indexOf('Adobe') < 0);
      const pixels = { table: [], fragments: [jpeg] };
      const file = dicomImage(coded('4.50'), { ...SIZE, samples: 3, photometric: 'YBR_FULL_422', pixels });
      const { data } = await bitmapOf(file, 1, await realContext());
      assert.ok(largestDifference(data, COLOUR8) < 12, String(largestDifference(data, COLOUR8)));
      const untouched = dicomImage(coded('4.50'), { ...SIZE, samples: 3, photometric: 'RGB', pixels });
      const luma = await bitmapOf(untouched, 1, await realContext());
      assert.ok(largestDifference(luma.data, COLOUR8) > 60);
    }
  });

  it('trusts the JPEG over the data set: JFIF, Adobe, subsampled chroma', async () => {
    const marked = (segment: string) => async (jpeg: Buffer) =>
      Buffer.concat([jpeg.subarray(0, 2), Buffer.from(segment, 'latin1'), jpeg.subarray(2)]);
    const plain = await image.jpeg(options).toBuffer();
    const jfif = await marked('\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0')(plain);
    const subsampled = await image.jpeg({ quality: 100, chromaSubsampling: '4:2:0' }).toBuffer();
    const adobe = await marked('\xff\xee\0\x0eAdobe\0\x64\0\0\0\0\x01')(plain);
    for (const [jpeg, tolerance] of [
      [jfif, 12],
      [adobe, 12],
      [subsampled, 60],
    ] as const) {
      const file = dicomImage(coded('4.50'), {
        ...SIZE,
        samples: 3,
        photometric: 'RGB',
        pixels: { table: [], fragments: [jpeg] },
      });
      const { data } = await bitmapOf(file, 1, await realContext());
      assert.ok(largestDifference(data, COLOUR8) < tolerance, String(largestDifference(data, COLOUR8)));
    }
    const rgb = await marked('\xff\xee\0\x0eAdobe\0\x64\0\0\0\0\0')(plain);
    const photometric = 'YBR_FULL';
    const file = dicomImage(coded('4.50'), {
      ...SIZE,
      samples: 3,
      photometric,
      pixels: { table: [], fragments: [rgb] },
    });
    const { data } = await bitmapOf(file, 1, await realContext());
    assert.ok(largestDifference(data, COLOUR8) > 60);
  });

  it('reads grey, and a file that ends early', async () => {
    const grey = await sharp(Buffer.from(GREY8), { raw: { ...SIZE, channels: 1 } })
      .toColourspace('b-w')
      .jpeg({ quality: 100 })
      .toBuffer();
    await assertSamePixels(bytesOf(GREY8), {}, '4.50', grey, 4);
    const pixels = { table: [], fragments: [grey.subarray(0, grey.length - 60)] };
    const bitmap = await bitmapOf(dicomImage(coded('4.50'), { ...SIZE, pixels }), 1, await realContext());
    assert.equal(bitmap.truncated, true);
    assert.ok(largestDifference(Array.from(bitmap.data).slice(0, SIZE.width * 4), GREY8.slice(0, SIZE.width * 4)) < 5);
  });
});

/** The interface of the encoders in the packages whose decoders the product uses. */
interface Encoder {
  getDecodedBuffer(frame: {
    width: number;
    height: number;
    bitsPerSample: number;
    componentCount: number;
    isSigned: boolean;
  }): Uint8Array;
  setInterleaveMode?(mode: number): void;
  setDecompositions?(count: number): void;
  setQuality?(lossless: boolean, rate: number): void;
  encode(): void;
  getEncodedBuffer(): Uint8Array;
  delete(): void;
}

const require = createRequire(import.meta.url);

async function encodeWith(
  packageName: string,
  name: string,
  bytes: Uint8Array,
  bitsPerSample: number,
  componentCount: number,
  isSigned = false,
) {
  const create = require(`${packageName}/wasmjs`) as (options: object) => Promise<Record<string, new () => Encoder>>;
  const encoder = new (await create({ print() {} }))[name]!();
  encoder.getDecodedBuffer({ ...SIZE, bitsPerSample, componentCount, isSigned }).set(bytes);
  encoder.setInterleaveMode?.(componentCount === 1 ? 0 : 2);
  encoder.setDecompositions?.(2);
  encoder.setQuality?.(true, 0);
  encoder.encode();
  const encoded = Uint8Array.from(encoder.getEncodedBuffer());
  encoder.delete();
  return encoded;
}

const encodeJls = (bytes: Uint8Array, bits: number, components: number) =>
  encodeWith('@cornerstonejs/codec-charls', 'JpegLSEncoder', bytes, bits, components);
const encodeJ2k = (bytes: Uint8Array, bits: number, components: number, signed = false) =>
  encodeWith('@cornerstonejs/codec-openjpeg', 'J2KEncoder', bytes, bits, components, signed);

describe('JPEG-LS', () => {
  it('reads 8, 12 and 16 bits, signed samples and colour', async () => {
    await assertSamePixels(bytesOf(GREY8), {}, '4.80', await encodeJls(bytesOf(GREY8), 8, 1));
    const twelve = await encodeJls(wordsOf(GREY12), 12, 1);
    await assertSamePixels(wordsOf(GREY12), { allocated: 16, stored: 12 }, '4.80', twelve);
    await assertSamePixels(wordsOf(GREY12), { allocated: 16, stored: 12, signed: true }, '4.80', twelve);
    await assertSamePixels(wordsOf(GREY16), { allocated: 16 }, '4.80', await encodeJls(wordsOf(GREY16), 16, 1));
    await assertSamePixels(bytesOf(COLOUR8), { samples: 3 }, '4.80', await encodeJls(bytesOf(COLOUR8), 8, 3));
    await assertSamePixels(
      wordsOf(COLOUR16),
      { samples: 3, allocated: 16 },
      '4.80',
      await encodeJls(wordsOf(COLOUR16), 16, 3),
    );
  });

  it('keeps the rows of a file that ends early, and reads the next file in full', async () => {
    const whole = await encodeJls(bytesOf(GREY8), 8, 1);
    const pixels = { table: [], fragments: [whole.subarray(0, whole.length >> 1)] };
    const file = dicomImage(coded('4.80'), { ...SIZE, pixels });
    const bitmap = await bitmapOf(file);
    assert.equal(bitmap.truncated, true);
    assert.deepEqual(Array.from(bitmap.data).slice(0, SIZE.width * 3), GREY8.slice(0, SIZE.width * 3));
    await assertSamePixels(bytesOf(GREY8), {}, '4.80', whole);
  });
});

describe('JPEG 2000', () => {
  it('reads 8, 12 and 16 bits, signed or not by data set and codestream, and colour', async () => {
    await assertSamePixels(bytesOf(GREY8), {}, '4.90', await encodeJ2k(bytesOf(GREY8), 8, 1));
    const twelve = await encodeJ2k(wordsOf(GREY12), 12, 1);
    await assertSamePixels(wordsOf(GREY12), { allocated: 16, stored: 12 }, '4.90', twelve);
    await assertSamePixels(wordsOf(GREY12), { allocated: 16, stored: 12, signed: true }, '4.90', twelve);
    await assertSamePixels(wordsOf(GREY16), { allocated: 16 }, '4.90', await encodeJ2k(wordsOf(GREY16), 16, 1));
    const signed = await encodeJ2k(wordsOf(GREY16), 16, 1, true);
    await assertSamePixels(wordsOf(GREY16), { allocated: 16, signed: true }, '4.90', signed);
    await assertSamePixels(wordsOf(GREY16), { allocated: 16 }, '4.90', signed);
    await assertSamePixels(bytesOf(COLOUR8), { samples: 3 }, '4.90', await encodeJ2k(bytesOf(COLOUR8), 8, 3));
  });

  it('converts luma and chroma to RGB, unless the codestream has them converted back', async () => {
    const greys = bytesOf(GREY8.flatMap((value) => [value, value, value]));
    const stream = Buffer.from(await encodeJ2k(greys, 8, 3));
    const image = { samples: 3, photometric: 'YBR_FULL' };
    await assertSamePixels(greys, { samples: 3, photometric: 'RGB' }, '4.90', stream);
    const transform = stream.indexOf(Buffer.of(0xff, 0x52)) + 8;
    assert.equal(stream[transform], 1);
    const pixels = { table: [], fragments: [stream] };
    assert.deepEqual(await samplesOf(dicomImage(coded('4.90'), { ...SIZE, ...image, pixels })), [...greys]);
    // The reversible transform of grey gives luma without chroma. Without the transform, the samples read as YBR_FULL.
    stream[transform] = 0;
    assert.deepEqual(await samplesOf(dicomImage(coded('4.90'), { ...SIZE, ...image, pixels })), [...greys]);
    const untouched = await samplesOf(dicomImage(coded('4.90'), { ...SIZE, samples: 3, pixels }));
    assert.deepEqual(
      untouched,
      GREY8.flatMap((value) => [value, 128, 128]),
    );
  });

  it('reads the boxes of a JP2 file', async () => {
    const stream = await encodeJ2k(bytesOf(GREY8), 8, 1);
    const box = (name: string, content: Uint8Array) => {
      const header = Buffer.alloc(8);
      header.writeUInt32BE(8 + content.length);
      header.write(name, 4, 'latin1');
      return Buffer.concat([header, content]);
    };
    const jp2 = Buffer.concat([
      box('jP  ', Buffer.from('\r\n\x87\n', 'latin1')),
      box('ftyp', Buffer.from('jp2 \0\0\0\0jp2 ')),
      box('jp2c', stream),
    ]);
    await assertSamePixels(bytesOf(GREY8), {}, '4.90', jp2);
  });

  it('keeps what is there of a frame that ends early', async () => {
    const whole = await encodeJ2k(bytesOf(GREY8), 8, 1);
    const pixels = { table: [], fragments: [whole.subarray(0, Math.floor(whole.length * 0.7))] };
    const bitmap = await bitmapOf(dicomImage(coded('4.90'), { ...SIZE, pixels }));
    assert.equal(bitmap.truncated, true);
    assert.ok(largestDifference(bitmap.data, GREY8) < 64);
  });

  it('passes colours of more than 8 bits to the JPEG 2000 reader', async () => {
    // A header is enough: it declares two bytes for each of three components.
    const stream = Buffer.from(await encodeJ2k(bytesOf(COLOUR8), 8, 3));
    for (let component = 0; component < 3; component++) stream[42 + component * 3] = 15;
    const image = { ...SIZE, samples: 3, allocated: 16, pixels: { table: [], fragments: [stream] } };
    const content = await decode(dicomImage(coded('4.90'), image));
    assert.ok('embedded' in content && content.embedded.format === 'jp2');
    assert.deepEqual(Buffer.from(content.embedded.bytes).subarray(0, stream.length), stream);
  });
});

it('reads JPEG XL', async () => {
  const { vips } = await realContext();
  const jxl = (values: Uint8Array | Uint16Array, bands: number, interpretation: string) => {
    const format = values.BYTES_PER_ELEMENT === 1 ? vips.BandFormat.uchar : vips.BandFormat.ushort;
    const image = vips.Image.newFromMemory(values, SIZE.width, SIZE.height, bands, format);
    return image.copy({ interpretation: interpretation as 'rgb' }).jxlsaveBuffer({ lossless: true });
  };
  await assertSamePixels(bytesOf(GREY8), {}, '4.110', jxl(bytesOf(GREY8), 1, 'b-w'));
  await assertSamePixels(bytesOf(COLOUR8), { samples: 3 }, '4.110', jxl(bytesOf(COLOUR8), 3, 'srgb'));
  // Covers frames with an even and with an odd number of bytes. A fragment pads the odd ones with one byte.
  const lengths = new Set<number>();
  for (let seed = 1; seed <= 6; seed++) {
    const values = noise(PIXELS, 65_536, seed);
    const frame = jxl(Uint16Array.from(values), 1, 'grey16');
    lengths.add(frame.length % 2);
    await assertSamePixels(wordsOf(values), { allocated: 16 }, '4.110', frame);
  }
  assert.equal(lengths.size, 2);
});

it('rejects a frame whose size differs from the data set before it is decoded', async () => {
  const frames = [
    encodeLossless(GREY8, { ...SIZE, components: 1, precision: 8 }),
    encodeSequential(GREY12, { ...SIZE, components: 1, precision: 12 }),
    await encodeJls(bytesOf(GREY8), 8, 1),
    await encodeJ2k(bytesOf(GREY8), 8, 1),
  ];
  for (const frame of frames) {
    for (const size of [
      { width: SIZE.width + 1, height: SIZE.height },
      { width: 3, height: 2 },
    ]) {
      const file = dicomImage(coded('4.70'), { ...size, pixels: { table: [], fragments: [frame] } });
      await assert.rejects(decode(file), { code: 'corrupt_image' });
    }
  }
});
