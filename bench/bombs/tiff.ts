/** TIFF 6.0 and BigTIFF: endless directories, tags that claim gigabytes, strips and tiles that inflate. */
import { type Bomb, bombs } from './bomb.ts';
import { BitWriter, le16, le32, repeat, text, u8, zlibZeros } from './bytes.ts';
import { blankJpeg } from './jpeg.ts';

const SHORT = 3;
const LONG = 4;
const UNDEFINED = 7;

export type Entry = readonly [tag: number, type: number, count: number, value: number];

const entryBytes = ([tag, type, count, value]: Entry): Buffer =>
  Buffer.concat([le16(tag, type), le32(count), type === SHORT && count === 1 ? le16(value, 0) : le32(value)]);

export const directory = (entries: readonly Entry[], next = 0): Buffer =>
  Buffer.concat([le16(entries.length), ...entries.map(entryBytes), le32(next)]);

const HEADER_BYTES = 8;
const header = (first: number): Buffer => Buffer.concat([text('II'), le16(42), le32(first)]);

interface Image {
  width: number;
  height: number;
  bits?: number;
  samples?: number;
  compression?: number;
  rowsPerStrip?: number;
  tile?: number;
  photometric?: number;
}

/** All strips or tiles refer to the same bytes of the file. */
function tiff(image: Image, data: Uint8Array): Buffer {
  const { width, height, bits = 8, samples = 1, compression = 1, rowsPerStrip = height, tile, photometric = 1 } = image;
  const pieces = tile ? Math.ceil(width / tile) * Math.ceil(height / tile) : Math.ceil(height / rowsPerStrip);
  const offsetsAt = HEADER_BYTES + data.length + (data.length % 2);
  const countsAt = offsetsAt + pieces * 4;
  const one = pieces === 1;
  const [offsets, counts] = tile ? [324, 325] : [273, 279];
  const entries: Entry[] = [
    [256, LONG, 1, width],
    [257, LONG, 1, height],
    [258, SHORT, 1, bits],
    [259, SHORT, 1, compression],
    [262, SHORT, 1, photometric],
    [277, SHORT, 1, samples],
    ...(tile ? [] : ([[278, LONG, 1, rowsPerStrip]] as const)),
    ...(tile
      ? ([
          [322, LONG, 1, tile],
          [323, LONG, 1, tile],
        ] as const)
      : []),
    [offsets!, LONG, pieces, one ? HEADER_BYTES : offsetsAt],
    [counts!, LONG, pieces, one ? data.length : countsAt],
  ];
  entries.sort(([a], [b]) => a - b);
  return Buffer.concat([
    header(countsAt + pieces * 4),
    data,
    Buffer.alloc(data.length % 2),
    repeat(le32(HEADER_BYTES), pieces),
    repeat(le32(data.length), pieces),
    directory(entries),
  ]);
}

const LZW = 5;
const DEFLATE = 8;
const PACKBITS = 32_773;
const GROUP_4 = 4;
const JPEG = 7;

/** Codes zeros in TIFF's LZW: highest bit first, and codes become longer one code early. */
function lzwZeros(bytes: number): Buffer {
  const bits = new BitWriter('high first');
  const CLEAR = 256;
  for (let written = 0; written < bytes; ) {
    bits.write(CLEAR, 9).write(0, 9);
    written++;
    // The table is full, and is cleared, after 4,094 codes.
    for (let next = 258; next < 4094 && written < bytes; next++) {
      bits.write(next, next >= 2047 ? 12 : next >= 1023 ? 11 : next >= 511 ? 10 : 9);
      written += next - 256;
    }
  }
  return bits.write(257, 12).finish();
}

const packbitsZeros = (bytes: number): Buffer => repeat(u8(0x81, 0), Math.ceil(bytes / 128));

/** Every row repeats the white row above: one bit, the code V0 of ITU-T T.6. */
const whiteRows = (rows: number): Buffer => Buffer.alloc(Math.ceil(rows / 8) + 3, 0xff);

const PAGE: readonly Entry[] = [
  [256, SHORT, 1, 16],
  [257, SHORT, 1, 16],
  [258, SHORT, 1, 8],
  [259, SHORT, 1, 1],
  [262, SHORT, 1, 1],
  [273, LONG, 1, HEADER_BYTES],
  [277, SHORT, 1, 1],
  [278, SHORT, 1, 16],
  [279, LONG, 1, 256],
];
const PAGE_BYTES = 2 + PAGE.length * 12 + 4;
const FIRST_PAGE_AT = HEADER_BYTES + 256;

/** @param last offset of the directory after the last one */
function pages(count: number, last: number): Buffer {
  const next = (index: number) => (index + 1 < count ? FIRST_PAGE_AT + (index + 1) * PAGE_BYTES : last);
  const directories = Array.from({ length: count }, (_, index) => directory(PAGE, next(index)));
  return Buffer.concat([header(FIRST_PAGE_AT), Buffer.alloc(256), ...directories]);
}

/** @param more additional tags of a small image */
const withTags = (...more: readonly Entry[]): Buffer =>
  Buffer.concat([header(FIRST_PAGE_AT), Buffer.alloc(256), directory([...PAGE, ...more].sort(([a], [b]) => a - b))]);

function bigTiff(width: number, height: number): Buffer {
  const long8 = (value: number) => Buffer.concat([le32(value % 2 ** 32), le32(Math.floor(value / 2 ** 32))]);
  const entry = (tag: number, type: number, value: number) =>
    Buffer.concat([le16(tag, type), long8(1), type === SHORT ? padded16(value) : long8(value)]);
  const padded16 = (value: number) => Buffer.concat([le16(value), Buffer.alloc(6)]);
  const LONG8 = 16;
  const entries = [
    entry(256, LONG, width),
    entry(257, LONG, height),
    entry(258, SHORT, 8),
    entry(259, SHORT, 1),
    entry(262, SHORT, 1),
    entry(273, LONG8, 16),
    entry(277, SHORT, 1),
    entry(278, LONG, height),
    entry(279, LONG8, width * height),
  ];
  return Buffer.concat([text('II'), le16(43, 8, 0), long8(16), long8(entries.length), ...entries, long8(0)]);
}

export const TIFF_BOMBS: readonly Bomb[] = bombs('tiff', 'tiff', {
  'claims 100000 x 100000': () => tiff({ width: 100_000, height: 100_000, rowsPerStrip: 1000 }, Buffer.alloc(100)),
  'claims 4,294,967,295 x 4,294,967,295': () => tiff({ width: 0xffffffff, height: 0xffffffff }, Buffer.alloc(100)),
  'BigTIFF, claims 2,000,000,000 x 2,000,000,000': () => bigTiff(2e9, 2e9),
  'directory that follows itself': () => pages(1, FIRST_PAGE_AT),
  'cycle of 1,000 directories': () => pages(1000, FIRST_PAGE_AT),
  '60,000 directories': () => pages(60_000, 0),
  'tag that claims 4,294,967,280 bytes': () => withTags([34_675, UNDEFINED, 0xfffffff0, 8]),
  'width that claims 4,294,967,280 values': () => withTags([330, LONG, 0x3ffffff0, 8]),
  'directory of 65,535 entries that is cut off': () =>
    Buffer.concat([header(8), le16(65_535), repeat(entryBytes([34_675, UNDEFINED, 0xffff, 8]), 30_000)]),
  'tiles of 16 x 16 over 16000 x 16000, all the same': () =>
    tiff({ width: 16_000, height: 16_000, tile: 16 }, Buffer.alloc(256)),
  'tiles of 1 x 1 over 1000 x 1000': () => tiff({ width: 1000, height: 1000, tile: 1 }, Buffer.alloc(1)),
  'a strip for each of 10,000 rows, all the same deflated gigabyte': () =>
    tiff({ width: 10_000, height: 10_000, rowsPerStrip: 1, compression: DEFLATE }, zlibZeros(2 ** 30)),
  'LZW, 30000 x 30000': () =>
    tiff({ width: 30_000, height: 30_000, rowsPerStrip: 1000, compression: LZW }, lzwZeros(3e7)),
  'packed bits, 30000 x 30000': () =>
    tiff({ width: 30_000, height: 30_000, rowsPerStrip: 1000, compression: PACKBITS }, packbitsZeros(3e7)),
  'Group 4 fax, 200000 x 200000 in 25 kB': () =>
    tiff({ width: 200_000, height: 200_000, bits: 1, compression: GROUP_4, photometric: 0 }, whiteRows(200_000)),
  'JPEG strips that claim 65500 x 65500': () =>
    tiff({ width: 64, height: 64, compression: JPEG }, Buffer.concat([blankJpeg(65_500, 65_500).subarray(0, 5000)])),
  '65,535 samples a pixel': () => tiff({ width: 5000, height: 5000, samples: 65_535 }, Buffer.alloc(100)),
  'old JPEG, 30000 x 30000': () => tiff({ width: 30_000, height: 30_000, compression: 6 }, Buffer.alloc(100)),
  'one strip of 16 bits Lab, 20000 x 20000': () =>
    tiff({ width: 20_000, height: 20_000, bits: 12, photometric: 8, samples: 3, compression: DEFLATE }, zlibZeros(1e6)),
  'valid, deflated, 10000 x 10000': () =>
    tiff({ width: 10_000, height: 10_000, rowsPerStrip: 1000, compression: DEFLATE }, zlibZeros(1e7)),
  'valid, one deflated strip of 10000 x 10000': () =>
    tiff({ width: 10_000, height: 10_000, compression: DEFLATE }, zlibZeros(1e8)),
  'valid, LZW, 10000 x 10000': () =>
    tiff({ width: 10_000, height: 10_000, rowsPerStrip: 1000, compression: LZW }, lzwZeros(1e7)),
  'valid, Group 4 fax, 17000 x 17000': () =>
    tiff({ width: 17_000, height: 17_000, bits: 1, compression: GROUP_4, photometric: 0 }, whiteRows(17_000)),
});
