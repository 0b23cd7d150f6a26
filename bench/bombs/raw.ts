/** Camera raws: huge sensors of lossless JPEG without data, and headers without an image. */
import { type Bomb, bombs } from './bomb.ts';
import { be16, be32, fields, le16, le32, repeat, text, u8 } from './bytes.ts';
import { losslessJpeg } from './jpeg.ts';
import { directory, type Entry } from './tiff.ts';

const SHORT = 3;
const LONG = 4;
const BYTE = 1;
const PLAIN = 1;
const JPEG = 7;

/** Writes a digital negative (Adobe DNG 1.4) of one strip. */
function dng(width: number, height: number, compression: number, data: Uint8Array): Buffer {
  const entries: Entry[] = [
    [254, LONG, 1, 0],
    [256, LONG, 1, width],
    [257, LONG, 1, height],
    [258, SHORT, 1, 16],
    [259, SHORT, 1, compression],
    [262, SHORT, 1, 32_803],
    [273, LONG, 1, 8],
    [277, SHORT, 1, 1],
    [278, LONG, 1, height],
    [279, LONG, 1, data.length],
    [33_421, SHORT, 2, 0x00020002],
    [33_422, BYTE, 4, 0x02010100],
    [50_706, BYTE, 4, 0x00000401],
  ];
  const even = Buffer.alloc(data.length % 2);
  return Buffer.concat([text('II'), le16(42), le32(8 + data.length + even.length), data, even, directory(entries)]);
}

export const RAW_BOMBS: readonly Bomb[] = bombs('raw', 'raw', {
  'DNG, claims 65500 x 65500': () => dng(65_500, 65_500, PLAIN, Buffer.alloc(1000)),
  'DNG, claims 9999 x 9999': () => dng(9999, 9999, PLAIN, Buffer.alloc(1000)),
  'DNG, lossless JPEG of 65500 x 65500': () => dng(65_500, 65_500, JPEG, losslessJpeg(65_500, 65_500).subarray(0, 1e6)),
  'DNG, lossless JPEG of 9999 x 9999 that is cut': () =>
    dng(9999, 9999, JPEG, losslessJpeg(9999, 9999).subarray(0, 1e5)),
  'Fuji, without an image': () => Buffer.concat([text('FUJIFILMCCD-RAW 0201FF383501'), repeat(be32(0x7fffffff), 500)]),
  'Sigma, claims 60000 x 60000': () =>
    fields(
      4000,
      [0, text('FOVb')],
      [4, le32(0x20002)],
      [28, le32(60_000, 60_000)],
      [3996, le32(3900)],
      [3900, text('SECd')],
      [3904, le32(0x20000, 0x7fffffff)],
    ),
  'Minolta, claims 60000 x 60000': () =>
    fields(
      2000,
      [0, text('\0MRM')],
      [4, be32(1900)],
      [8, text('\0PRD')],
      [12, be32(24)],
      [16, text('27660001')],
      [24, be16(60_000, 60_000, 60_000, 60_000)],
    ),
  'Canon CRW, directories that follow themselves': () =>
    fields(
      4000,
      [0, text('II')],
      [2, le32(26)],
      [6, text('HEAPCCDR')],
      [3996, le32(100)],
      [126, le16(300)],
      [128, repeat(Buffer.concat([le16(0x300a), le32(3900, 0)]), 300)],
    ),
  'Canon CR3, boxes in boxes': () => {
    const start = Buffer.concat([be32(24), text('ftypcrx '), be32(1), text('crx isom')]);
    return Buffer.concat([
      start,
      ...Array.from({ length: 5000 }, (_, index) => Buffer.concat([be32(40_000 - index * 8), text('moov')])),
    ]);
  },
  'valid, DNG, lossless JPEG of 5000 x 5000': () => dng(5000, 5000, JPEG, losslessJpeg(5000, 5000)),
  'Panasonic, claims 60000 x 60000': () =>
    Buffer.concat([
      text('IIU\0'),
      le32(8),
      directory([
        [2, SHORT, 1, 60_000],
        [3, SHORT, 1, 60_000],
        [271, 2, 4, 0x50],
        [280, LONG, 1, 500],
      ]),
      u8(...Array<number>(1000).fill(0)),
    ]),
});
