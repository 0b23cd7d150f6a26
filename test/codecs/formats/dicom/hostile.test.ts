/** Files without an image, with false headers, or made as an attack. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Failure } from '../../../../base/failure.ts';
import { readDicomFacts } from '../../../../codecs/formats/dicom/facts.ts';
import { reader as dicomReader } from '../../../../codecs/formats/dicom/read.ts';
import { isDicom } from '../../../../codecs/formats/dicom/recognise.ts';
import { damaged, TRIED_PART } from '../../../support/damage.ts';
import { encodeLossless, encodeRle, encodeSequential } from './encoders.ts';
import { decode, MAX_PIXELS, noise, probe, realContext, samplesOf } from './support.ts';
import {
  BIG_ENDIAN,
  coded,
  DEFLATED,
  dicomFile,
  dicomImage,
  EXPLICIT,
  IMPLICIT,
  type TestElement,
  words,
} from './write-dicom.ts';

const image = { width: 4, height: 3, pixels: new Uint8Array(12) };
const refusal = (received: string) => ({
  code: 'unsupported_format',
  message: `Expected an image of a known format for image but received ${received}, which this service does not read.`,
});

describe('names what it does not support', () => {
  it('in files without an image', async () => {
    const modality = (name: string): TestElement => [0x00080060, 'CS', name];
    await assert.rejects(
      probe(dicomFile(EXPLICIT, [modality('SR')])),
      refusal('a DICOM file without pixel data (modality SR)'),
    );
    await assert.rejects(probe(dicomFile(EXPLICIT, [])), refusal('a DICOM file without pixel data'));
    await assert.rejects(probe(dicomFile(EXPLICIT, [[0x00041220, 'SQ', [[]]]])), refusal('a DICOM directory'));
    await assert.rejects(
      probe(dicomFile(EXPLICIT, [[0x00420011, 'OB', Buffer.from('%PDF-1.4')]])),
      refusal('a document in a DICOM file'),
    );
  });

  it('in transfer syntaxes', async () => {
    const frame = { table: [], fragments: [new Uint8Array(100)] };
    const of = (uid: string) => probe(dicomImage({ ...EXPLICIT, uid }, { ...image, pixels: frame }));
    await assert.rejects(
      of('1.2.840.10008.1.2.4.100'),
      refusal('DICOM with the transfer syntax MPEG-2 Main Profile / Main Level'),
    );
    await assert.rejects(of('1.2.840.113619.5.2'), refusal('DICOM with the transfer syntax 1.2.840.113619.5.2'));
    await assert.rejects(of('<script>'), refusal('DICOM with the transfer syntax of an unknown name'));
  });

  it('in colours and depths', async () => {
    await assert.rejects(
      probe(dicomImage(EXPLICIT, { ...image, photometric: 'CMYK' })),
      refusal('DICOM with the photometric interpretation CMYK'),
    );
    const progressive = Buffer.from(
      encodeSequential(noise(12, 4096), { width: 4, height: 3, components: 1, precision: 12 }),
    );
    progressive[progressive.indexOf(Buffer.of(0xff, 0xc1)) + 1] = 0xc2;
    const file = dicomImage(coded('4.55'), {
      ...image,
      allocated: 16,
      stored: 12,
      pixels: { table: [], fragments: [progressive] },
    });
    await assert.rejects(decode(file), refusal('DICOM with a JPEG process (SOF2, 12 bits)'));
  });
});

describe('rejects', () => {
  const lies: Record<string, TestElement[]> = {
    'no rows': [[0x00280010, 'US', 0]],
    'more bits than are allocated': [[0x00280101, 'US', 9]],
    'no bits': [[0x00280100, 'US', 0]],
    'bits by the thousand': [[0x00280100, 'US', 64]],
    'three samples of grey': [[0x00280002, 'US', 3]],
  };
  for (const [name, lie] of Object.entries(lies)) {
    it(name, async () => {
      // The reader uses the first occurrence of an element.
      const elements: TestElement[] = [
        ...lie,
        [0x00280002, 'US', 1],
        [0x00280004, 'CS', 'MONOCHROME2'],
        [0x00280010, 'US', 3],
        [0x00280011, 'US', 4],
        [0x00280100, 'US', 8],
        [0x00280101, 'US', 8],
        [0x7fe00010, 'OB', new Uint8Array(12)],
      ];
      await assert.rejects(probe(dicomFile(EXPLICIT, elements)), { code: 'corrupt_image' });
    });
  }

  it('too many pixels, before it allocates memory', async () => {
    const bomb = dicomImage(EXPLICIT, { width: 65_535, height: 65_535, pixels: new Uint8Array(12) });
    await assert.rejects(decode(bomb), { code: 'image_too_large' });
    const frame = encodeLossless(noise(12, 256), { width: 4, height: 3, components: 1, precision: 8 });
    const coding = dicomImage(coded('4.70'), {
      ...image,
      width: 40_000,
      height: 40_000,
      pixels: { table: [], fragments: [frame] },
    });
    await assert.rejects(decode(coding), { code: 'image_too_large' });
  });

  it('a data set that inflates endlessly', async () => {
    const bomb = dicomFile(DEFLATED, [[0x00090010, 'OB', new Uint8Array(140 * 2 ** 20)]]);
    assert.ok(bomb.length < 2 ** 20);
    await assert.rejects(probe(bomb), { code: 'image_too_large' });
  });

  it('a palette whose copies never end', async () => {
    // A list of one entry, empty lists, and thousands of copies of those lists.
    const copies = Array.from({ length: 4000 }, () => [2, 20_000, 6, 0]).flat();
    const segments = [0, 1, 500, ...Array<number>(40_000).fill(0), ...copies];
    const more: TestElement[] = [1, 2, 3].flatMap((channel): TestElement[] => [
      [0x00281100 + channel, 'US', [0, 0, 16]],
      [0x00281220 + channel, 'OW', segments],
    ]);
    await assert.rejects(decode(dicomImage(EXPLICIT, { ...image, photometric: 'PALETTE COLOR', more })), {
      code: 'corrupt_image',
    });
  });
});

describe('ends quickly with', () => {
  const start = dicomFile(EXPLICIT, []);
  const repeat = (unit: readonly number[], megabytes: number) => {
    const bytes = Buffer.from(unit);
    return Buffer.concat([start, Buffer.alloc(bytes.length * Math.floor((megabytes * 1e6) / bytes.length), bytes)]);
  };
  const open = [0xff, 0xff, 0xff, 0xff];
  const item = [0xfe, 0xff, 0x00, 0xe0];
  const SQ = [0x53, 0x51, 0, 0];

  for (const [name, file] of Object.entries({
    'sequences in sequences': repeat([0x09, 0, 0x10, 0, ...SQ, ...open, ...item, ...open], 4),
    'functional groups in functional groups': repeat([0x00, 0x52, 0x30, 0x92, ...SQ, ...open, ...item, ...open], 4),
    'empty elements': repeat([0x09, 0, 0x10, 0, 0x43, 0x53, 0, 0], 4),
    'items without a sequence': repeat([...item, 0, 0, 0, 0], 4),
  })) {
    it(name, async () => {
      await assert.rejects(probe(file), Failure);
      assert.equal(isDicom(file), true);
    });
  }

  it('millions of fragments', async () => {
    const fragments = Array.from({ length: 20_000 }, () => new Uint8Array(2));
    const file = dicomImage(coded('5'), { ...image, frames: 20_000, pixels: { table: [], fragments } });
    assert.equal((await probe(file)).pages, 20_000);
    await assert.rejects(decode(file, 20_000), { code: 'corrupt_image' });
    const one = dicomImage(coded('5'), { ...image, pixels: { table: [], fragments } });
    await assert.rejects(decode(one), { code: 'corrupt_image' });
  });

  it('thousands of JPEG tables, a component in many scans, several frames in one fragment', async () => {
    const frame = Buffer.from(encodeLossless(noise(12, 256), { width: 4, height: 3, components: 1, precision: 8 }));
    const table = frame.indexOf(Buffer.of(0xff, 0xc4));
    const one = frame.subarray(table, table + 2 + frame.readUInt16BE(table + 2));
    const tables = Buffer.concat([frame.subarray(0, table), ...Array<Buffer>(5000).fill(one), frame.subarray(table)]);
    const scan = frame.subarray(frame.indexOf(Buffer.of(0xff, 0xda)), -2);
    const header = frame.indexOf(Buffer.of(0xff, 0xc3));
    const frames = Buffer.concat([frame.subarray(0, header), frame.subarray(header, table), frame.subarray(header)]);
    for (const bytes of [tables, frames, Buffer.concat([frame.subarray(0, -2), scan, scan])]) {
      const file = dicomImage(coded('4.70'), { ...image, pixels: { table: [], fragments: [bytes] } });
      await assert.rejects(decode(file), { code: 'corrupt_image' });
    }
  });
});

describe('damaged files', () => {
  const grey = noise(24 * 18, 4096);
  const size = { width: 24, height: 18 };
  const group: TestElement[] = [
    [0x00281050, 'DS', '100'],
    [0x00281051, 'DS', '200'],
  ];
  const coding = (suffix: string, fragment: Uint8Array, bits = 12) =>
    dicomImage(coded(suffix), {
      ...size,
      allocated: bits > 8 ? 16 : 8,
      stored: bits,
      pixels: { table: [], fragments: [fragment] },
    });
  const SEEDS: Record<string, Uint8Array> = {
    native: dicomImage(EXPLICIT, { ...size, allocated: 16, stored: 12, frames: 1, more: group, pixels: words(grey) }),
    implicit: dicomImage(
      { ...IMPLICIT, undefinedLengths: true },
      { ...size, allocated: 16, pixels: words(grey), more: [[0x52009230, 'SQ', [[[0x00289132, 'SQ', [group]]]]]] },
    ),
    'big-endian without preamble': dicomImage(
      BIG_ENDIAN,
      { ...size, allocated: 16, pixels: words(grey, false) },
      { preamble: false },
    ),
    deflated: dicomImage(DEFLATED, { ...size, allocated: 16, pixels: words(grey) }),
    RLE: coding('5', encodeRle([Uint8Array.from(grey)]), 8),
    lossless: coding('4.70', encodeLossless(grey, { ...size, components: 1, precision: 12, restart: 3 })),
    extended: coding('4.51', encodeSequential(grey, { ...size, components: 1, precision: 12, restart: 1 })),
  };

  /** Damages the file anywhere, and near the pixels, where the headers of the compressed frames are. */
  function* breakIt(file: Uint8Array, copies: number, near: number): Generator<Uint8Array> {
    yield* damaged(file, copies, 5);
    for (const tail of damaged(file.subarray(near), copies, 6)) yield Buffer.concat([file.subarray(0, near), tail]);
  }

  /** @returns how many damaged copies could be read */
  async function readBroken(file: Uint8Array, copies: number): Promise<number> {
    const context = await realContext();
    const asked = { page: 1, extension: '' };
    const pixels = Buffer.from(file).lastIndexOf(Buffer.of(0xe0, 0x7f, 0x10, 0x00));
    let readable = 0;
    for (const broken of breakIt(file, copies, Math.max(0, pixels))) {
      isDicom(broken);
      try {
        readDicomFacts(broken);
        const { width, height } = await dicomReader.probe(broken, asked, context);
        const content = await dicomReader.decode(broken, { ...asked, maxPixels: MAX_PIXELS, scale: 1 }, context);
        if ('bitmap' in content) assert.equal(content.bitmap.data.length, width * height * content.bitmap.channels);
        readable++;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
      }
    }
    return readable;
  }

  for (const [name, seed] of Object.entries(SEEDS)) {
    it(`${name}: gives an image or a failure`, async () => {
      await samplesOf(seed);
      const readable = await readBroken(seed, 150);
      assert.ok(readable > 20 * TRIED_PART && readable < 300 * TRIED_PART, `${readable}`);
    });
  }
});
