/** BMP: run lengths over huge images, palettes, masks and headers that claim more than the file has. */
import { type Bomb, bombs } from './bomb.ts';
import { be32, le16, le32, repeat, text, u8 } from './bytes.ts';

interface Dib {
  width: number;
  height: number;
  bits: number;
  compression?: number;
  colours?: number;
  /** Bytes of the header; longer ones are padded with zeros. */
  headerBytes?: number;
}

const file = (header: Uint8Array, ...rest: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat([header, ...rest]);
  return Buffer.concat([text('BM'), le32(body.length + 14, 0, 14 + header.length + (rest[0]?.length ?? 0)), body]);
};

const info = ({ width, height, bits, compression = 0, colours = 0, headerBytes = 40 }: Dib): Buffer =>
  Buffer.concat([
    le32(headerBytes, width, height >>> 0),
    le16(1, bits),
    le32(compression, 0, 2835, 2835, colours, 0),
    Buffer.alloc(headerBytes - 40),
  ]);

const core = (width: number, height: number, bits: number): Buffer =>
  Buffer.concat([le32(12), le16(width, height, 1, bits)]);

const PALETTE = Buffer.alloc(1024, u8(10, 120, 200, 0));
const RLE8 = 1;
const RLE4 = 2;
const BITFIELDS = 3;
const JPEG = 4;
const PNG = 5;
const RLE24 = 4;
const END_OF_LINE = u8(0, 0);
const END_OF_BITMAP = u8(0, 1);

/** Runs of one colour over all rows. */
function runs(width: number, height: number): Buffer {
  const row = Buffer.concat([repeat(u8(255, 7), Math.floor(width / 255)), u8(width % 255, 7), END_OF_LINE]);
  return Buffer.concat([repeat(row, height), END_OF_BITMAP]);
}

const rle8 = (width: number, height: number, pixels: Uint8Array): Buffer =>
  file(info({ width, height, bits: 8, compression: RLE8, colours: 256 }), PALETTE, pixels);

export const BMP_BOMBS: readonly Bomb[] = bombs('bmp', 'bmp', {
  'run lengths, 9999 x 9999 in 3 kB': () => rle8(9999, 9999, repeat(u8(255, 7), 1000)),
  'run lengths, 30000 x 30000 in 3 kB': () => rle8(30_000, 30_000, repeat(u8(255, 7), 1000)),
  'run lengths of 2,147,483,647 x 1': () => rle8(0x7fffffff, 1, repeat(u8(255, 7), 1000)),
  'run lengths of 1 x 2,147,483,647': () => rle8(1, 0x7fffffff, repeat(u8(0, 0), 1000)),
  '1,000,000 jumps of run lengths': () => rle8(9999, 9999, repeat(u8(0, 2, 255, 255), 1_000_000)),
  '4,000,000 empty jumps': () => rle8(100, 100, repeat(u8(0, 2, 0, 0), 4_000_000)),
  '4,000,000 empty lines': () => rle8(10_000, 10_000, repeat(END_OF_LINE, 4_000_000)),
  'run lengths of 4 bits, 9999 x 9999': () =>
    file(
      info({ width: 9999, height: 9999, bits: 4, compression: RLE4, colours: 16 }),
      Buffer.alloc(64),
      repeat(u8(255, 0x12), 5000),
    ),
  'OS/2, 65535 x 65535, 24 bits': () => file(core(65_535, 65_535, 24), Buffer.alloc(1000)),
  'OS/2, 65535 x 65535, 1 bit': () => file(core(65_535, 65_535, 1), Buffer.alloc(1000)),
  'OS/2 2.x, RLE24, 9999 x 9999': () =>
    file(
      info({ width: 9999, height: 9999, bits: 24, compression: RLE24, headerBytes: 64 }),
      repeat(u8(255, 1, 2, 3), 1000),
    ),
  'masks, 32000 x 32000, 16 bits': () =>
    file(
      info({ width: 32_000, height: 32_000, bits: 16, compression: BITFIELDS }),
      le32(0xf800, 0x7e0, 0x1f),
      Buffer.alloc(1000),
    ),
  'masks of the version 5 header, 32000 x 32000, 32 bits': () =>
    file(
      info({ width: 32_000, height: 32_000, bits: 32, compression: BITFIELDS, headerBytes: 124 }),
      Buffer.alloc(1000),
    ),
  'palette of 4,294,967,295 colours': () =>
    file(info({ width: 5000, height: 5000, bits: 8, colours: 0xffffffff }), PALETTE, Buffer.alloc(1000)),
  'top down, 2,147,483,647 x 2,147,483,647': () =>
    file(info({ width: 0x7fffffff, height: -0x7fffffff, bits: 32 }), Buffer.alloc(1000)),
  'a PNG inside that claims 30000 x 30000': () =>
    file(
      info({ width: 30_000, height: 30_000, bits: 0, compression: PNG }),
      text('\x89PNG\r\n\x1a\n'),
      be32(13),
      text('IHDR'),
      be32(30_000, 30_000),
      u8(8, 2, 0, 0, 0),
    ),
  'a JPEG inside that claims 30000 x 30000': () =>
    file(info({ width: 30_000, height: 30_000, bits: 0, compression: JPEG }), u8(0xff, 0xd8, 0xff, 0xc0)),
  'valid run lengths, 9999 x 9999': () => rle8(9999, 9999, runs(9999, 9999)),
  'valid run lengths, 65535 x 1500': () => rle8(65_535, 1500, runs(65_535, 1500)),
});
