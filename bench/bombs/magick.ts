/** Formats that ImageMagick reads: headers that claim huge sizes, most of them without pixels. */
import { crc32 } from 'node:zlib';
import { type Bomb, bombs } from './bomb.ts';
import { be16, be32, fields, le16, le32, repeat, text, u8, zlibZeros } from './bytes.ts';

const SOME = Buffer.alloc(1000);

const dds = (width: number, height: number, code = 'DXT1'): Buffer =>
  Buffer.concat([
    fields(
      128,
      [0, text('DDS ')],
      [4, le32(124, 0x1007, height, width)],
      [28, le32(16)],
      [76, le32(32, 4)],
      [84, text(code)],
      [108, le32(0x1000)],
    ),
    SOME,
  ]);

const dpx = (width: number, height: number): Buffer =>
  fields(
    3000,
    [0, text('SDPX')],
    [4, be32(2048)],
    [8, text('V2.0')],
    [16, be32(3000)],
    [768, be16(0, 1)],
    [772, be32(width, height)],
    [800, u8(50, 2, 2, 10)],
    [804, be16(1, 0)],
    [808, be32(2048)],
  );

const cineon = (width: number, height: number): Buffer =>
  fields(
    3000,
    [0, be32(0x802a5fd7)],
    [4, be32(2048)],
    [192, u8(0, 3)],
    [196, u8(0, 1, 10, 0)],
    [200, be32(width, height)],
  );

const jngChunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([text(type), data]);
  return Buffer.concat([be32(data.length), body, be32(crc32(body))]);
};
const mng = (width: number, height: number, ...chunks: readonly Uint8Array[]): Buffer =>
  Buffer.concat([
    text('\x8aMNG\r\n\x1a\n'),
    jngChunk('MHDR', be32(width, height, 25, 0, 0, 0, 0)),
    ...chunks,
    jngChunk('MEND', Buffer.alloc(0)),
  ]);
const png = (width: number, height: number, zeros: number): Buffer =>
  Buffer.concat([
    jngChunk('IHDR', Buffer.concat([be32(width, height), u8(8, 2, 0, 0, 0)])),
    jngChunk('IDAT', zlibZeros(zeros)),
    jngChunk('IEND', Buffer.alloc(0)),
  ]);
const jng = (width: number, height: number): Buffer =>
  Buffer.concat([
    text('\x8bJNG\r\n\x1a\n'),
    jngChunk('JHDR', Buffer.concat([be32(width, height), u8(10, 8, 8, 0, 0, 0, 0, 0)])),
    jngChunk('JDAT', SOME),
    jngChunk('IEND', Buffer.alloc(0)),
  ]);

const miff = (more: string, data: Uint8Array): Buffer =>
  Buffer.concat([text(`id=ImageMagick  version=1.0\nclass=DirectClass  depth=8\n${more}\n\f\n:\x1a`), data]);

const viff = (width: number, height: number): Buffer =>
  fields(2048, [0, u8(0xab, 1, 1, 0)], [4, be32(0)], [520, be32(height, width)], [560, be32(1, 1, 1)]);

export const MAGICK_BOMBS: readonly Bomb[] = [
  ...bombs('magick', 'dds', {
    'claims 4,294,967,295 x 4,294,967,295': () => dds(0xffffffff, 0xffffffff),
    'claims 60000 x 60000': () => dds(60_000, 60_000),
    'claims 9999 x 9999': () => dds(9999, 9999),
  }),
  ...bombs('magick', 'dpx', {
    'claims 4,294,967,295 x 4,294,967,295': () => dpx(0xffffffff, 0xffffffff),
    'claims 60000 x 60000': () => dpx(60_000, 60_000),
    'claims 9999 x 9999': () => dpx(9999, 9999),
  }),
  ...bombs('magick', 'cin', {
    'claims 60000 x 60000': () => cineon(60_000, 60_000),
    'claims 9999 x 9999': () => cineon(9999, 9999),
  }),
  ...bombs('magick', 'mng', {
    'loop of 2,147,483,647 rounds': () =>
      mng(
        64,
        64,
        jngChunk('LOOP', Buffer.concat([u8(1), be32(0x7fffffff)])),
        png(64, 64, 64 * 193),
        jngChunk('ENDL', u8(1)),
      ),
    '3,000 images of 9999 x 9999': () => mng(9999, 9999, repeat(png(9999, 9999, 1000), 3000)),
    'claims 60000 x 60000': () => mng(60_000, 60_000, png(60_000, 60_000, 1000)),
  }),
  ...bombs('magick', 'jng', {
    'claims 60000 x 60000': () => jng(60_000, 60_000),
    'claims 9999 x 9999': () => jng(9999, 9999),
  }),
  ...bombs('magick', 'miff', {
    'claims 60000 x 60000': () => miff('columns=60000  rows=60000', SOME),
    'claims 9999 x 9999': () => miff('columns=9999  rows=9999', SOME),
    'deflated, 9999 x 9999': () =>
      miff('compression=Zip\ncolumns=9999  rows=9999', Buffer.concat([be32(1e5), zlibZeros(1e8)])),
    '2,000 images of 9999 x 9999': () => repeat(miff('columns=9999  rows=9999', Buffer.alloc(0)), 2000),
    'palette of 4,294,967,295 colours': () => miff('class=PseudoClass  colors=4294967295\ncolumns=9  rows=9', SOME),
  }),
  ...bombs('magick', 'viff', {
    'claims 60000 x 60000': () => viff(60_000, 60_000),
    'claims 9999 x 9999': () => viff(9999, 9999),
  }),
  ...bombs('magick', 'vicar', {
    'claims 60000 x 60000': () =>
      Buffer.concat([text("LBLSIZE=500 FORMAT='BYTE' NL=60000 NS=60000 NB=1 ".padEnd(500)), SOME]),
    'claims 9999 x 9999': () =>
      Buffer.concat([text("LBLSIZE=500 FORMAT='BYTE' NL=9999 NS=9999 NB=1 ".padEnd(500)), SOME]),
  }),
  ...bombs('magick', 'wpg', {
    'runs, 65535 x 65535': () =>
      Buffer.concat([
        text('\xffWPC'),
        le32(16),
        u8(1, 0x16, 1, 0),
        le16(0, 0),
        u8(0x0b, 0xfe),
        le16(1500),
        le16(65_535, 65_535, 8, 75, 75),
        repeat(u8(0xff, 7), 745),
      ]),
  }),
  ...bombs('magick', 'sct', {
    'claims 60000 x 60000': () =>
      fields(3000, [80, text('CT')], [1024, u8(1, 4)], [1056, text('000000060000000000060000')]),
  }),
  ...bombs('magick', 'pcd', { 'without an image': () => fields(800_000, [2048, text('PCD_')]) }),
  ...bombs('magick', 'mtv', { 'claims 60000 x 60000': () => Buffer.concat([text('60000 60000\n'), SOME]) }, 'bomb.mtv'),
  ...bombs('magick', 'avs', { 'claims 60000 x 60000': () => Buffer.concat([be32(60_000, 60_000), SOME]) }, 'bomb.avs'),
  ...bombs(
    'magick',
    'rla',
    {
      'claims 32767 x 32767': () =>
        fields(3000, [0, be16(0, 32_767, 0, 32_767, 0, 32_767, 0, 32_767)], [18, be16(3, 1)]),
    },
    'bomb.rla',
  ),
  ...bombs(
    'magick',
    'tim',
    { 'claims 65535 x 65535': () => Buffer.concat([le32(16, 3, 2000), le16(0, 0, 65_535, 65_535), SOME]) },
    'bomb.tim',
  ),
  ...bombs('magick', 'aai', { 'claims 60000 x 60000': () => Buffer.concat([le32(60_000, 60_000), SOME]) }, 'bomb.aai'),
  ...bombs(
    'magick',
    'cut',
    { 'claims 65535 x 65535': () => Buffer.concat([le16(65_535, 65_535, 0), repeat(u8(4, 0, 0xff, 7, 0), 500)]) },
    'bomb.cut',
  ),
];
