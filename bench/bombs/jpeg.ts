/** JPEG (ITU-T T.81): many scans, restarts, tables, segments; sizes without data. */
import { type Bomb, bombs } from './bomb.ts';
import { BitWriter, be16, be32, le16, le32, repeat, text, u8 } from './bytes.ts';

const SOI = u8(0xff, 0xd8);
const EOI = u8(0xff, 0xd9);

export function segment(marker: number, ...content: readonly Uint8Array[]): Buffer {
  const data = Buffer.concat(content);
  return Buffer.concat([u8(0xff, marker), be16(data.length + 2), data]);
}

const QUANTISATION = segment(0xdb, u8(0, ...Array<number>(64).fill(1)));

/** A Huffman table whose only code, one bit long, stands for one symbol. */
const table = (place: number, symbol: number) => segment(0xc4, u8(place, 1, ...Array<number>(15).fill(0), symbol));
/** Bit 0 means "no difference" for DC and "end of block" for AC. */
const TABLES = Buffer.concat([table(0x00, 0), table(0x10, 0)]);
/** Bit 0 starts a run of 16,384 to 32,767 empty blocks, whose other 14 bits follow. */
const RUNS = Buffer.concat([table(0x00, 0), table(0x10, 0xe0)]);

interface Frame {
  width: number;
  height: number;
  components?: number;
  marker?: number;
  precision?: number;
}

const frame = ({ width, height, components = 1, marker = 0xc0, precision = 8 }: Frame): Buffer =>
  segment(
    marker,
    u8(precision),
    be16(height, width),
    u8(components),
    ...Array.from({ length: components }, (_, index) => u8(index + 1, 0x11, 0)),
  );

/** @param band first and last coefficient, and the two nibbles of the approximation */
const scan = (components: readonly number[], band: readonly [number, number, number] = [0, 63, 0]): Buffer =>
  segment(0xda, u8(components.length), ...components.map((id) => u8(id, 0)), u8(...band));

const blocksOf = ({ width, height }: Frame) => Math.ceil(width / 8) * Math.ceil(height / 8);
const zeroBits = (bits: number) => Buffer.alloc(Math.ceil(bits / 8));

/** Codes the runs that cover all blocks of one component. */
function emptyBlocks(blocks: number): Buffer {
  const bits = new BitWriter('high first');
  for (let left = blocks; left > 0; left -= 32_767) bits.write(0, 1).write(0x3fff, 14);
  // JPEG data must have a zero after a byte 0xff.
  return Buffer.from(bits.finish().toString('latin1').replaceAll('\xff', '\xff\0'), 'latin1');
}

const baseline = (size: Frame): Buffer => {
  const components = size.components ?? 1;
  const ids = Array.from({ length: components }, (_, index) => index + 1);
  return Buffer.concat([
    SOI,
    QUANTISATION,
    frame(size),
    TABLES,
    scan(ids),
    zeroBits(blocksOf(size) * 2 * components),
    EOI,
  ]);
};

/**
 * Writes a grey progressive JPEG of one DC scan and `scans - 1` AC scans without coefficients. Each scan costs its
 * sender a few bytes, and its decoder a visit of all blocks.
 */
export function manyScansJpeg(scans: number, width: number, height: number): Buffer {
  const size: Frame = { width, height };
  const blocks = blocksOf(size);
  const again = Buffer.concat([scan([1], [1, 63, 0]), emptyBlocks(blocks)]);
  return Buffer.concat([
    SOI,
    QUANTISATION,
    frame({ ...size, marker: 0xc2 }),
    RUNS,
    scan([1], [0, 0, 0]),
    zeroBits(blocks),
    repeat(again, scans - 1),
    EOI,
  ]);
}

/**
 * Writes a sequential JPEG of one scan for each component and `scans - components` more of the first one. Each scan
 * costs its sender 13 bytes, and its decoder a visit of all blocks.
 */
export function repeatedScansJpeg(scans: number, width: number, height: number): Buffer {
  const size: Frame = { width, height, components: 3 };
  const data = zeroBits(blocksOf(size) * 2);
  return Buffer.concat([
    SOI,
    QUANTISATION,
    frame(size),
    TABLES,
    ...[1, 2, 3].map((id) => Buffer.concat([scan([id]), data])),
    repeat(Buffer.concat([scan([1]), u8(0)]), scans - 3),
    EOI,
  ]);
}

/** Arithmetic decoders read zeros for missing data, so no scan needs a byte of data. */
const arithmetic = (size: Frame, scans: number, marker: number): Buffer =>
  Buffer.concat([
    SOI,
    QUANTISATION,
    frame({ ...size, marker }),
    marker === 0xca ? scan([1], [0, 0, 0]) : scan([1]),
    repeat(scan([1], [1, 63, 0]), scans),
    EOI,
  ]);

function restarts(size: Frame): Buffer {
  const blocks = blocksOf(size);
  const intervals = Buffer.concat(Array.from({ length: 8 }, (_, index) => u8(0x3f, 0xff, 0xd0 + index)));
  return Buffer.concat([
    SOI,
    QUANTISATION,
    frame(size),
    TABLES,
    segment(0xdd, be16(1)),
    scan([1]),
    repeat(intervals, Math.floor(blocks / 8)),
    EOI,
  ]);
}

const TINY: Frame = { width: 64, height: 64 };

/** Writes a small image with other segments before its frame. */
const withSegments = (...segments: readonly Uint8Array[]): Buffer =>
  Buffer.concat([SOI, ...segments, baseline(TINY).subarray(2)]);

const MAX_SEGMENT_BYTES = 65_533;
const profileChunk = (number: number) =>
  segment(0xe2, text('ICC_PROFILE\0'), u8(number, 255), Buffer.alloc(MAX_SEGMENT_BYTES - 14));

/** Little-endian EXIF whose only directory is also the next directory, the EXIF and the GPS directory. */
const exifCycle = segment(
  0xe1,
  text('Exif\0\0'),
  text('II'),
  le16(42),
  le32(8),
  le16(3),
  le16(0x8769, 4),
  le32(1, 8),
  le16(0x8825, 4),
  le32(1, 8),
  le16(0xa005, 4),
  le32(1, 8),
  le32(8),
);
/** Every entry claims the largest count and points to the same bytes. */
const exifClaims = segment(
  0xe1,
  text('Exif\0\0II'),
  le16(42),
  le32(8),
  le16(5000),
  repeat(Buffer.concat([le16(0x9286, 7), le32(0xfffffff0, 8)]), 5000),
  le32(8),
);

export const JPEG_BOMBS: readonly Bomb[] = bombs('jpeg', 'jpeg', {
  'progressive, 5,000 scans of 4000 x 4000': () => manyScansJpeg(5000, 4000, 4000),
  'progressive, 90 scans of 9999 x 9999': () => manyScansJpeg(90, 9999, 9999),
  'progressive, 20,000 scans of 1024 x 1024': () => manyScansJpeg(20_000, 1024, 1024),
  'progressive arithmetic, 5,000 empty scans of 4000 x 4000': () =>
    arithmetic({ width: 4000, height: 4000 }, 5000, 0xca),
  'sequential, 5,000 scans of 4000 x 4000': () => repeatedScansJpeg(5000, 4000, 4000),
  'sequential, 90 scans of 9999 x 9999': () => repeatedScansJpeg(90, 9999, 9999),
  'sequential arithmetic, 65500 x 65500 without data': () => arithmetic({ width: 65_500, height: 65_500 }, 0, 0xc9),
  'sequential arithmetic, 10000 x 10000 without data': () => arithmetic({ width: 10_000, height: 10_000 }, 0, 0xc9),
  'a restart after every block of 3000 x 3000': () => restarts({ width: 3000, height: 3000 }),
  'claims 65500 x 65500': () =>
    Buffer.concat([SOI, QUANTISATION, frame({ width: 65_500, height: 65_500 }), TABLES, scan([1]), zeroBits(1e6), EOI]),
  'progressive, claims 65500 x 65500': () =>
    Buffer.concat([
      SOI,
      QUANTISATION,
      frame({ width: 65_500, height: 65_500, marker: 0xc2, components: 3 }),
      RUNS,
      scan([1, 2, 3], [0, 0, 0]),
      EOI,
    ]),
  'height of a DNL segment, 65500 x 65500': () =>
    Buffer.concat([
      SOI,
      QUANTISATION,
      frame({ width: 65_500, height: 0 }),
      TABLES,
      scan([1]),
      zeroBits(1e6),
      segment(0xdc, be16(65_500)),
      EOI,
    ]),
  '200,000 Huffman tables': () => withSegments(repeat(table(0x10, 0), 200_000)),
  '60,000 quantisation tables': () => withSegments(repeat(QUANTISATION, 60_000)),
  '255 components': () => baseline({ ...TINY, components: 255 }),
  '1,000,000 empty segments': () => withSegments(repeat(segment(0xe5), 1_000_000)),
  '8,000,000 fill bytes': () => withSegments(repeat(u8(0xff), 8_000_000)),
  'ICC profile of 255 segments': () =>
    withSegments(...Array.from({ length: 255 }, (_, index) => profileChunk(index + 1))),
  '120 EXIF segments of 64 KiB': () =>
    withSegments(repeat(segment(0xe1, text('Exif\0\0'), Buffer.alloc(MAX_SEGMENT_BYTES - 8)), 120)),
  'EXIF directory that follows itself': () => withSegments(exifCycle),
  'EXIF entries that claim 4 GB': () => withSegments(exifClaims),
  '50,000 parts of extended XMP': () =>
    withSegments(
      repeat(
        segment(
          0xe1,
          text('http://ns.adobe.com/xmp/extension/\0'),
          text('0123456789ABCDEF0123456789ABCDEF'),
          be32(0x7fffffff, 0),
          text('x'),
        ),
        50_000,
      ),
    ),
  'lossless process, claims 65500 x 65500': () =>
    Buffer.concat([SOI, frame({ width: 65_500, height: 65_500, marker: 0xc3 }), TABLES, scan([1], [1, 0, 0]), EOI]),
  '12 bits, 10000 x 10000': () => baseline({ width: 10_000, height: 10_000, marker: 0xc1, precision: 12 }),
  'valid, 10000 x 10000, grey': () => baseline({ width: 10_000, height: 10_000 }),
  'valid, 10000 x 10000, three components': () => baseline({ width: 10_000, height: 10_000, components: 3 }),
  'valid, progressive, 10000 x 10000': () => manyScansJpeg(2, 10_000, 10_000),
  'valid, 65500 x 1500, four components': () => baseline({ width: 65_500, height: 1500, components: 4 }),
});

/** Writes a complete lossless JPEG of one value, for camera raw files. */
export function losslessJpeg(width: number, height: number): Buffer {
  const size = { width, height, marker: 0xc3, precision: 16 };
  return Buffer.concat([SOI, frame(size), TABLES, scan([1], [1, 0, 0]), zeroBits(width * height), EOI]);
}

export const blankJpeg = (width: number, height: number): Buffer => baseline({ width, height });

export const JPEG_LS_BOMBS: readonly Bomb[] = bombs('jpeg', 'jls', {
  'claims 65500 x 65500': () =>
    Buffer.concat([
      SOI,
      frame({ width: 65_500, height: 65_500, marker: 0xf7 }),
      scan([1], [0, 0, 0]),
      zeroBits(8e3),
      EOI,
    ]),
  'valid runs, 10000 x 10000': () =>
    Buffer.concat([
      SOI,
      frame({ width: 10_000, height: 10_000, marker: 0xf7 }),
      scan([1], [0, 0, 0]),
      repeat(u8(0xff, 0x7f), 40_000),
      EOI,
    ]),
});
