/** DICOM: frames, rows and fragments that are only claimed, nested sequences, a deflated data set. */
import { coded, DEFLATED, dicomFile, dicomImage, EXPLICIT } from '../../test/codecs/formats/dicom/write-dicom.ts';
import { type Bomb, bombs } from './bomb.ts';
import { le32, repeat, u8, zlibZeros } from './bytes.ts';
import { blankJpeg } from './jpeg.ts';

const RLE = coded('5');
const JPEG = coded('4.50');

/** Writes the header of one run-length plane, followed by runs of zeros. */
function runLengths(bytes: number): Buffer {
  const header = Buffer.alloc(64);
  header.set(le32(1, 64));
  return Buffer.concat([header, repeat(u8(0x81, 0), Math.ceil(bytes / 128))]);
}

const side = (width: number, height = width) => ({ width, height });
const SOME = Buffer.alloc(1000);

/** Nests items to this depth, each with an undefined length. */
function nested(depth: number): Buffer {
  const sequence = Buffer.from([0x08, 0, 0x40, 0x11, 0x53, 0x51, 0, 0, 0xff, 0xff, 0xff, 0xff]);
  const item = Buffer.from([0xfe, 0xff, 0, 0xe0, 0xff, 0xff, 0xff, 0xff]);
  return Buffer.concat([Buffer.from(dicomFile(EXPLICIT, [])), repeat(Buffer.concat([sequence, item]), depth)]);
}

/** An SOP instance UID without a value. */
const EMPTY_ELEMENT = Buffer.from([0x08, 0, 0x18, 0, 0x55, 0x49, 0, 0]);

/** Writes a data set that inflates to a gigabyte. */
function deflatedGigabyte(): Buffer {
  const file = Buffer.from(dicomFile(DEFLATED, []));
  // Replaces the writer's short data set, which follows the meta information.
  const meta = 128 + 4 + 12 + file.readUInt32LE(128 + 4 + 8);
  const zlib = zlibZeros(2 ** 30);
  return Buffer.concat([file.subarray(0, meta), zlib.subarray(2, -4)]);
}

export const DICOM_BOMBS: readonly Bomb[] = bombs('dicom', 'dicom', {
  'claims 65535 x 65535': () => Buffer.from(dicomImage(EXPLICIT, { ...side(65_535), pixels: SOME })),
  'claims 9999 x 9999, 16 bits': () =>
    Buffer.from(dicomImage(EXPLICIT, { ...side(9999), allocated: 16, pixels: SOME })),
  'claims 2,147,483,647 frames of 512 x 512': () =>
    Buffer.from(dicomImage(EXPLICIT, { ...side(512), frames: 0x7fffffff, pixels: Buffer.alloc(512 * 512) })),
  '65,535 samples a pixel': () =>
    Buffer.from(dicomImage(EXPLICIT, { ...side(9999), samples: 65_535, photometric: 'RGB', pixels: SOME })),
  'run lengths, 65535 x 65535': () =>
    Buffer.from(dicomImage(RLE, { ...side(65_535), pixels: { table: [0], fragments: [runLengths(1e7)] } })),
  'run lengths, 2,000 frames of 9999 x 9999': () =>
    Buffer.from(
      dicomImage(RLE, {
        ...side(9999),
        frames: 2000,
        pixels: { table: [0], fragments: Array<Buffer>(2000).fill(runLengths(1e5)) },
      }),
    ),
  '100,000 empty fragments': () =>
    Buffer.from(
      dicomImage(RLE, {
        ...side(512),
        frames: 100_000,
        pixels: { table: [], fragments: Array<Buffer>(100_000).fill(Buffer.alloc(0)) },
      }),
    ),
  'JPEG of 65500 x 65500 in a frame of 64 x 64': () =>
    Buffer.from(
      dicomImage(JPEG, {
        ...side(64),
        pixels: { table: [0], fragments: [blankJpeg(65_500, 65_500).subarray(0, 1e6)] },
      }),
    ),
  'JPEG of 64 x 64 in a frame of 65535 x 65535': () =>
    Buffer.from(dicomImage(JPEG, { ...side(65_535), pixels: { table: [0], fragments: [blankJpeg(64, 64)] } })),
  '500,000 nested sequences': () => nested(500_000),
  '800,000 elements': () => Buffer.concat([dicomFile(EXPLICIT, []), repeat(EMPTY_ELEMENT, 800_000)]),
  'deflated, inflates to 1 GB': deflatedGigabyte,
  'valid run lengths, 9999 x 9999': () =>
    Buffer.from(dicomImage(RLE, { ...side(9999), pixels: { table: [0], fragments: [runLengths(9999 * 9999)] } })),
  'valid JPEG, 9999 x 9999': () =>
    Buffer.from(dicomImage(JPEG, { ...side(9999), pixels: { table: [0], fragments: [blankJpeg(9999, 9999)] } })),
});
