/**
 * Simple raster formats: headers that claim huge sizes, runs that repeat, offset tables that all point to the same
 * bytes.
 */
import { bmhd, form, chunk as iffChunk } from '../../test/codecs/formats/ilbm/files.ts';
import { type Bomb, bombs } from './bomb.ts';
import { be16, be32, fields, le16, le32, padded, repeat, text, u8 } from './bytes.ts';

const SOME = Buffer.alloc(1000);
const anymap = (magic: string, width: number, height: number, top = '255\n'): Buffer =>
  Buffer.concat([text(`${magic}\n${width} ${height}\n${top}`), SOME]);

const PNM_BOMBS = bombs('raster', 'pnm', {
  'P6, claims 60000 x 60000': () => anymap('P6', 60_000, 60_000),
  'P6, claims 9999 x 9999': () => anymap('P6', 9999, 9999),
  'P4, claims 4,000,000,000 x 4,000,000,000': () => anymap('P4', 4e9, 4e9, ''),
  'P3, 9999 x 9999 in letters': () => Buffer.concat([anymap('P3', 9999, 9999), repeat(text('1 2 3 '), 100_000)]),
  'P2, 10 MB of spaces': () => Buffer.concat([text('P2\n9 9\n255\n'), Buffer.alloc(1e7, ' ')]),
  'P5, 10 MB of comments': () => Buffer.concat([text('P5\n'), repeat(text('# \n'), 3e6), text('9 9\n255\n')]),
  'PFM, claims 9999 x 9999': () => anymap('PF', 9999, 9999, '-1.0\n'),
  'valid, P4, 12000 x 12000': () => Buffer.concat([text('P4\n12000 12000\n'), Buffer.alloc(1500 * 12_000)]),
});

const PAM_BOMBS = bombs('raster', 'pam', {
  'claims 60000 x 60000, 4 planes of 16 bits': () =>
    Buffer.concat([text('P7\nWIDTH 60000\nHEIGHT 60000\nDEPTH 4\nMAXVAL 65535\nTUPLTYPE RGB_ALPHA\nENDHDR\n'), SOME]),
  'claims 9999 x 9999, 4 planes of 16 bits': () =>
    Buffer.concat([text('P7\nWIDTH 9999\nHEIGHT 9999\nDEPTH 4\nMAXVAL 65535\nTUPLTYPE RGB_ALPHA\nENDHDR\n'), SOME]),
});

const QOI_END = u8(0, 0, 0, 0, 0, 0, 0, 1);
const qoi = (width: number, height: number, runs: number): Buffer =>
  Buffer.concat([text('qoif'), be32(width, height), u8(4, 0), Buffer.alloc(runs, 0xfd), QOI_END]);
const QOI_BOMBS = bombs('raster', 'qoi', {
  'claims 4,294,967,295 x 4,294,967,295': () => qoi(0xffffffff, 0xffffffff, 1000),
  'claims 9999 x 9999': () => qoi(9999, 9999, 1000),
  'valid, 9999 x 9999': () => qoi(9999, 9999, Math.ceil((9999 * 9999) / 62)),
});

const FARBFELD_BOMBS = bombs('raster', 'farbfeld', {
  'claims 4,294,967,295 x 4,294,967,295': () => Buffer.concat([text('farbfeld'), be32(0xffffffff, 0xffffffff), SOME]),
  'claims 9999 x 9999': () => Buffer.concat([text('farbfeld'), be32(9999, 9999), SOME]),
});

const TGA_END = Buffer.concat([Buffer.alloc(8), text('TRUEVISION-XFILE.\0')]);
const tga = (width: number, height: number, bits: number, data: Uint8Array): Buffer =>
  Buffer.concat([u8(0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0), le16(width, height), u8(bits, 8), data, TGA_END]);
const TGA_BOMBS = bombs(
  'raster',
  'tga',
  {
    'runs, 65535 x 65535': () => tga(65_535, 65_535, 32, repeat(u8(0xff, 1, 2, 3, 255), 1000)),
    'runs, 9999 x 9999 in 5 kB': () => tga(9999, 9999, 32, repeat(u8(0xff, 1, 2, 3, 255), 1000)),
    'valid runs, 9999 x 9999': () =>
      tga(9999, 9999, 32, repeat(u8(0xff, 1, 2, 3, 255), Math.ceil((9999 * 9999) / 128))),
  },
  'bomb.tga',
);

const pcx = (width: number, height: number, planes: number, data: Uint8Array): Buffer =>
  Buffer.concat([
    fields(
      128,
      [0, u8(10, 5, 1, 8)],
      [4, le16(0, 0, width - 1, height - 1, 72, 72)],
      [65, u8(planes)],
      [66, le16(Math.min(0xfffe, width + (width % 2)))],
    ),
    data,
  ]);
const pcxRuns = (bytes: number): Buffer => repeat(u8(0xff, 7), Math.ceil(bytes / 63));
const PCX_BOMBS = bombs('raster', 'pcx', {
  'runs, 65535 x 65535': () => pcx(65_535, 65_535, 3, pcxRuns(1e6)),
  'runs, 9999 x 9999 in 2 kB': () => pcx(9999, 9999, 3, pcxRuns(63_000)),
  'valid runs, 9999 x 9999': () => pcx(9999, 9999, 3, pcxRuns(10_000 * 9999 * 3)),
});

const DCX_BOMBS = bombs('raster', 'dcx', {
  '1,023 pages that are all the same 9999 x 9999': () =>
    Buffer.concat([be32(0xb168de3a), repeat(le32(4100), 1023), le32(0), pcx(9999, 9999, 3, pcxRuns(1e6))]),
});

/** @param tables number of offset tables; all rows have the same offset and length */
function sgi(width: number, height: number, planes: number): Buffer {
  const header = fields(512, [0, be16(474)], [2, u8(1, 1)], [4, be16(3, width, height, planes)], [16, be32(255)]);
  const rows = height * planes;
  const row = Buffer.concat([repeat(u8(0x7f, 9), Math.ceil(width / 127)), u8(0)]);
  return Buffer.concat([header, repeat(be32(512 + rows * 8), rows), repeat(be32(row.length), rows), row]);
}
const SGI_BOMBS = bombs('raster', 'sgi', {
  '65535 x 65535, all rows the same': () => sgi(65_535, 65_535, 1),
  '9999 x 9999, all rows the same': () => sgi(9999, 9999, 4),
  '9999 x 9999, 65,535 planes': () =>
    fields(1000, [0, be16(474)], [2, u8(1, 1)], [4, be16(3, 9999, 9999, 65_535)], [16, be32(255)]),
});

const sun = (width: number, height: number, bits: number, data: Uint8Array): Buffer =>
  Buffer.concat([be32(0x59a66a95, width, height, bits, data.length, 2, 0, 0), data]);
const SUN_BOMBS = bombs('raster', 'sun', {
  'runs, 4,294,967,295 x 4,294,967,295': () => sun(0xffffffff, 0xffffffff, 24, SOME),
  'runs, 9999 x 9999 in 3 kB': () => sun(9999, 9999, 24, repeat(u8(0x80, 255, 7), 1000)),
  'valid runs, 9999 x 9999': () => sun(9999, 9999, 24, repeat(u8(0x80, 255, 7), Math.ceil((10_000 * 9999 * 3) / 256))),
});

const xpm = (width: number, height: number, colours: number, letters: number, rest = ''): Buffer =>
  text(`/* XPM */\nstatic char *x[] = {\n"${width} ${height} ${colours} ${letters}",\n${rest}};`);
const XPM_BOMBS = bombs('raster', 'xpm', {
  'claims 999999 x 999999': () => xpm(999_999, 999_999, 1, 1, '"a c red",\n"aaa"'),
  'claims 9999 x 9999': () => xpm(9999, 9999, 1, 1, '"a c red",\n"aaa"'),
  'claims 1,000,000 colours': () => xpm(10, 10, 1_000_000, 4, '"aaaa c red",\n'.repeat(100_000)),
  '2 MB of open comments': () => text(`/* XPM */\n${'/*'.repeat(1e6)}`),
});
const XBM_BOMBS = bombs('raster', 'xbm', {
  'claims 99999 x 99999': () =>
    text('#define a_width 99999\n#define a_height 99999\nstatic char a_bits[] = {0x01, 0x02};'),
  'claims 9999 x 9999': () => text('#define a_width 9999\n#define a_height 9999\nstatic char a_bits[] = {0x01, 0x02};'),
});

const RADIANCE_RUNS = (width: number): Buffer =>
  Buffer.concat([
    u8(2, 2, width >> 8, width & 255),
    repeat(Buffer.concat([repeat(u8(0xff, 9), Math.floor(width / 127)), u8(128 + (width % 127), 9)]), 4),
  ]);
const hdr = (width: number, height: number, rows: number): Buffer =>
  Buffer.concat([
    text(`#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y ${height} +X ${width}\n`),
    repeat(RADIANCE_RUNS(width), rows),
  ]);
const HDR_BOMBS = bombs('raster', 'hdr', {
  'claims 32767 x 1,000,000': () => hdr(32_767, 1_000_000, 10),
  'claims 9999 x 9999': () => hdr(9999, 9999, 10),
  'valid runs, 9999 x 9999': () => hdr(9999, 9999, 9999),
});

const ilbm = (width: number, height: number, planes: number, body: Uint8Array, compression = 1): Buffer =>
  form(
    'ILBM',
    bmhd({ width, height, planes, compression }),
    iffChunk('CMAP', u8(0, 0, 0, 255, 255, 255)),
    iffChunk('BODY', body),
  );
const ILBM_BOMBS = bombs('raster', 'ilbm', {
  'runs, 65535 x 65535': () => ilbm(65_535, 65_535, 24, repeat(u8(0x81, 7), 1000)),
  'runs, 9999 x 9999 in 2 kB': () => ilbm(9999, 9999, 24, repeat(u8(0x81, 7), 1000)),
  'valid runs, 9999 x 9999': () => ilbm(9999, 9999, 8, repeat(u8(0x81, 7), Math.ceil((1250 * 9999 * 8) / 128))),
  '255 planes': () => ilbm(5000, 5000, 255, SOME),
  '500,000 chunks': () =>
    form('ILBM', bmhd({ width: 64, height: 64, planes: 1 }), repeat(iffChunk('ANNO'), 500_000), iffChunk('BODY', SOME)),
});

/** Writes a PICT 2 with one pixel map, all of whose rows are runs. */
function pict(width: number, height: number, opcode: Uint8Array): Buffer {
  const frame = be16(0, 0, height, width);
  const header = Buffer.concat([be16(0x0c00, 0xfffe, 0), be32(72 * 65_536, 72 * 65_536), frame, be32(0)]);
  return Buffer.concat([Buffer.alloc(512), be16(0), frame, be16(0x0011, 0x02ff), header, opcode, be16(0x00ff)]);
}
function pixelMap(width: number, height: number, rows: number): Buffer {
  const bounds = be16(0, 0, height, width);
  const rowBytes = width + (width % 2);
  const row = repeat(u8(0x81, 7), Math.ceil(rowBytes / 128));
  const data = repeat(Buffer.concat([be16(row.length), row]), rows);
  return Buffer.concat([
    be16(0x0098, rowBytes | 0x8000),
    bounds,
    be16(0, 0),
    be32(0, 72 * 65_536, 72 * 65_536),
    be16(0, 8, 1, 8),
    be32(0, 0, 0),
    be32(0),
    be16(0, 0, 0, 0, 0, 0),
    bounds,
    bounds,
    be16(0),
    data,
    Buffer.alloc(data.length % 2),
  ]);
}
const RECTANGLE = Buffer.concat([be16(0x0031), be16(0, 0, 9999, 9999)]);
const PICT_BOMBS = bombs('raster', 'pict', {
  'frame of 32767 x 32767': () => pict(32_767, 32_767, RECTANGLE),
  'frame of 9999 x 9999': () => pict(9999, 9999, RECTANGLE),
  '100,000 rectangles of 9999 x 9999': () => pict(9999, 9999, repeat(RECTANGLE, 100_000)),
  '50 maps of 9999 x 9999': () => pict(9999, 9999, repeat(pixelMap(9999, 9999, 9999), 10)),
  'valid, map of 9999 x 9999': () => pict(9999, 9999, pixelMap(9999, 9999, 9999)),
});

const tiles = (version: string, width: number, height: number, layers: number): Buffer => {
  const start = 14 + 12 + 9 + 8 + (layers + 2) * 4;
  const layer = Buffer.concat([be32(width, height, 0, 1), text('\0'), be32(0, 0), be32(start + 37, 0)]);
  const hierarchyAt = start + 37;
  const hierarchy = be32(width, height, 3, hierarchyAt + 20, 0);
  const count = Math.ceil(width / 64) * Math.ceil(height / 64);
  const tileAt = hierarchyAt + 20 + 8 + (count + 1) * 4;
  const level = Buffer.concat([be32(width, height), repeat(be32(tileAt), count), be32(0)]);
  const tile = repeat(u8(127, 16, 0, 9), 3);
  return Buffer.concat([
    text(`gimp xcf ${version}\0`),
    be32(width, height, 0),
    be32(17, 1),
    u8(1),
    be32(0, 0),
    repeat(be32(start), layers),
    be32(0, 0),
    layer,
    hierarchy,
    level,
    tile,
  ]);
};
const XCF_BOMBS = bombs('raster', 'xcf', {
  'one layer of 400000 x 400000': () => tiles('v003', 400_000, 400, 1),
  '5,000 times a layer of 9999 x 9999, all of one tile': () => tiles('v003', 9999, 9999, 5000),
  'valid, a layer of 9999 x 9999, all of one tile': () => tiles('v003', 9999, 9999, 1),
});

const MSP_BOMBS = bombs('raster', 'msp', {
  'runs, 65535 x 65535': () =>
    Buffer.concat([text('LinS'), le16(65_535, 65_535), Buffer.alloc(24), repeat(le16(3), 65_535), SOME]),
});
const WBMP_BOMBS = bombs(
  'raster',
  'wbmp',
  {
    'claims 2,097,151 x 2,097,151': () => Buffer.concat([u8(0, 0, 0xff, 0xff, 0x7f, 0xff, 0xff, 0x7f), SOME]),
    'claims 9999 x 9999': () => Buffer.concat([u8(0, 0, 0xce, 0x0f, 0xce, 0x0f), SOME]),
  },
  'bomb.wbmp',
);
const SIXEL_BOMBS = bombs('raster', 'sixel', {
  'repeats without end': () => text(`\x1bPq${'#1!999999999~$-'.repeat(10_000)}\x1b\\`),
  'raster of 99999 x 99999': () => text('\x1bPq"1;1;99999;99999#1~\x1b\\'),
  'repeats, 9999 x 9999': () => text(`\x1bPq${'!9999~-'.repeat(1667)}\x1b\\`),
});
const CALS_BOMBS = bombs('raster', 'cals', {
  'claims 999999 x 999999': () => calsOf('999999,999999'),
  'claims 9999 x 9999': () => calsOf('009999,009999'),
});
function calsOf(size: string): Buffer {
  const records = ['srcdocid: NONE', 'rtype: 1', 'rorient: 000,270', `rpelcnt: ${size}`, 'rdensty: 0300'];
  return Buffer.concat([
    padded(text(records.map((record) => record.padEnd(128)).join('')), 2048),
    Buffer.alloc(2000, 0xff),
  ]);
}

export const RASTER_BOMBS: readonly Bomb[] = [
  ...PNM_BOMBS,
  ...PAM_BOMBS,
  ...QOI_BOMBS,
  ...FARBFELD_BOMBS,
  ...TGA_BOMBS,
  ...PCX_BOMBS,
  ...DCX_BOMBS,
  ...SGI_BOMBS,
  ...SUN_BOMBS,
  ...XPM_BOMBS,
  ...XBM_BOMBS,
  ...HDR_BOMBS,
  ...ILBM_BOMBS,
  ...PICT_BOMBS,
  ...XCF_BOMBS,
  ...MSP_BOMBS,
  ...WBMP_BOMBS,
  ...SIXEL_BOMBS,
  ...CALS_BOMBS,
];
