import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { encodeBmp } from '../../codecs/formats/bmp/write.ts';
import { encodePsd } from '../../codecs/formats/psd/write.ts';
import { encodeIco } from '../../codecs/ico.ts';
import { recognise } from '../../codecs/recognise.ts';

import { corpus, corpusFiles, corpusSkipReason } from '../support/corpus.ts';
import { damaged, TRIED_PART } from '../support/damage.ts';
import { makeSamples } from '../support/samples.ts';

const latin1 = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
const image = sharp({ create: { width: 20, height: 16, channels: 3, background: '#336699' } });
const rgb = makeSamples('ramp', 16, 16, 3);
const icon = encodeIco([makeSamples('ramp', 16, 16, 4)], () => assert.fail());
const cursor = icon.map((byte, at) => (at === 2 ? 2 : byte));

/** Writes a file type box with these brands. */
const ftyp = (major: string, ...compatible: string[]) => {
  const box = Buffer.from(`\0\0\0\0ftyp${major}\0\0\0\0${compatible.join('')}`, 'latin1');
  box.writeUInt32BE(box.length);
  return latin1(`${box.toString('latin1')}\0\0\0\x08mdat`);
};

/** Writes a TIFF whose directory holds one entry. */
const tiffWith = (tag: number, type: number, value: number) => {
  const file = Buffer.alloc(26);
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(8, 4);
  file.writeUInt16LE(1, 8);
  file.writeUInt16LE(tag, 10);
  file.writeUInt16LE(type, 12);
  file.writeUInt32LE(1, 14);
  file.writeUInt32LE(value, 18);
  return file;
};

test('recognises each format by its content', async () => {
  const files = {
    jpeg: [await image.jpeg().toBuffer()],
    png: [await image.png().toBuffer()],
    webp: [await image.webp().toBuffer(), await image.webp({ lossless: true }).toBuffer()],
    avif: [await image.avif().toBuffer(), ftyp('avis'), ftyp('mif1', 'miaf', 'avif')],
    gif: [await image.gif().toBuffer(), latin1('GIF87a\x01\0\x01\0\0\0\0;')],
    tiff: [
      await image.tiff().toBuffer(),
      await image.tiff({ bigtiff: true }).toBuffer(),
      latin1('MM\0*\0\0\0\x08'),
      latin1('MM\0+\0\x08\0\0\0\0\0\0\0\0\0\x10'),
      tiffWith(254, 4, 0),
    ],
    bmp: [encodeBmp(rgb)],
    ico: [icon, cursor],
    jxl: [latin1('\xff\x0a\x00\x10\xb0'), latin1('\0\0\0\x0cJXL \r\n\x87\n\0\0\0\x14ftypjxl ')],
    psd: [encodePsd({ ...rgb, metadata: {} })],
    heic: [ftyp('heic', 'mif1', 'heic'), ftyp('mif1', 'miaf')],
    raw: [ftyp('crx ', 'isom'), tiffWith(50706, 1, 4), latin1('FUJIFILMCCD-RAW 0201'), latin1('IIRO\x08\0\0\0')],
    jls: ['\xff\xd8', '\xff\xd8\xff\xe0\0\x04ab'].map((start) =>
      latin1(`${start}\xff\xf7\0\x0b\x08\0\x10\0\x10\x01\x01\x11\0`),
    ),
    jp2: [latin1('\0\0\0\x0cjP  \r\n\x87\n'), latin1('\xff\x4f\xff\x51\0\x29')],
    dicom: [latin1(`II*\0${'\0'.repeat(124)}DICM`)],
    pdf: [latin1('%PDF-1.7\n'), latin1('\r\nX-Header: 1\r\n%PDF-1.4\n')],
    svg: [
      latin1('\xef\xbb\xbf<?xml version="1.0"?>\n<!-- a drawing -->\n<svg xmlns="http://www.w3.org/2000/svg"/>'),
      latin1('<svg:svg xmlns:svg="http://www.w3.org/2000/svg"/>'),
    ],
    pnm: ['P1 ', 'P4\n', 'P6\n4 4\n255\n', 'P5#by hand\n', 'Pf\n', 'PF\n'].map(latin1),
    pam: [latin1('P7\nWIDTH 4\n')],
    xv: [latin1('P7 332\n')],
    djvu: [latin1('AT&TFORM\0\0\0\x10DJVU')],
    ilbm: ['ILBM', 'PBM ', 'ACBM', 'ANIM'].map((type) => latin1(`FORM\0\0\0\x10${type}`)),
    xbm: [
      '#define a_width 8\n#define a_height 1\nstatic char a_bits[] = {0x01};',
      '/* by hand */\n#define width 8\n#define height 1\nshort bits[] = {1};',
    ].map(latin1),
    xpm: [latin1('/* XPM */\nstatic char')],
    sixel: [latin1('\x1bP0;1;0q"1;1;4;4'), latin1('\x90q#0')],
    tga: [latin1(`${'\0'.repeat(30)}TRUEVISION-XFILE.\0`)],
    ...Object.fromEntries(
      Object.entries({
        hdr: ['#?RADIANCE\n', '#?RGBE\n'],
        exr: ['v/1\x01'],
        dpx: ['SDPX', 'XPDS'],
        cin: ['\x80\x2a\x5f\xd7', '\xd7\x5f\x2a\x80'],
        fits: ['SIMPLE  =                    T'],
        vicar: ['LBLSIZE=1024'],
        nifti: [`\x5c\x01\0\0${'\0'.repeat(340)}n+1\0`, `\0\0\x01\x5c${'\0'.repeat(340)}n+1\0`],
        miff: ['id=ImageMagick  version=1.0'],
        dds: ['DDS |'],
        icns: ['icns\0\0'],
        qoi: ['qoif'],
        farbfeld: ['farbfeld'],
        mng: ['\x8aMNG\r\n\x1a\n'],
        jng: ['\x8bJNG\r\n\x1a\n'],
        sun: ['\x59\xa6\x6a\x95'],
        urle: ['\x52\xcc'],
        viff: ['\xab\x01'],
        dcx: ['\xb1\x68\xde\x3a'],
        msp: ['DanM', 'LinS'],
        wpg: ['\xffWPC'],
        pcd: [`${'\xff'.repeat(2048)}PCD_IPI`],
        sfw: ['SFW94A'],
        cals: ['srcdocid: x'],
        sct: [`${'\0'.repeat(80)}CT`],
        pdb: [`${'\0'.repeat(60)}vIMGView`],
        xcf: ['gimp xcf v011'],
      }).map(([format, texts]) => [format, texts.map(latin1)]),
    ),
  };
  for (const [format, examples] of Object.entries(files)) {
    for (const bytes of examples) assert.deepEqual(recognise(bytes), { format });
  }
});

test('names formats that it recognises but cannot read', () => {
  const files: [string, Uint8Array][] = [
    ['MP4', ftyp('isom', 'iso2', 'mp41')],
    // The version field after the major brand is not a brand.
    ['MP4', latin1('\0\0\0\x10ftypisomavif')],
    ['QuickTime', ftyp('qt  ')],
    ['ZIP', latin1('PK\x03\x04')],
    ['HTML', latin1('\n<!DOCTYPE html><html><svg></svg></html>')],
    ['XML', latin1('<?xml version="1.0"?><note/>')],
    ['RIFF', latin1('RIFF\x24\0\0\0WAVEfmt ')],
  ];
  for (const [unsupported, bytes] of files) assert.deepEqual(recognise(bytes), { unsupported });
});

test('does not recognise a format by a few letters alone', () => {
  const unknown = {
    empty: new Uint8Array(),
    'a text that starts as a bitmap does': latin1('BMW builds cars, and this is a sentence about them.'),
    'an icon without images': latin1(`\0\0\x01\0\0\0${'\0'.repeat(16)}`),
    'an icon whose image lies outside': icon.map((byte, at) => (at === 21 ? 0x7f : byte)),
    'an uncompressed TGA': latin1(`\0\0\x02\0\0\0\0\0\0\0\0\0\x10\0\x10\0\x18\0${'\x40'.repeat(768)}`),
    'a PNG signature cut short': latin1('\x89PNG\r\n'),
    'a text about P6': latin1('P6 is the name of'.replace(' ', '_')),
  };
  for (const [name, bytes] of Object.entries(unknown)) assert.equal(recognise(bytes), undefined, name);
});

test('recognises a TIFF with a damaged directory', () => {
  assert.deepEqual(recognise(tiffWith(50706, 1, 4).subarray(0, 20)), { format: 'tiff' });
});

test('never throws on damaged files', async () => {
  const seeds = [icon, encodeBmp(rgb), tiffWith(254, 4, 1), ftyp('mif1', 'avif'), await image.webp().toBuffer()];
  let recognised = 0;
  for (const [index, bytes] of seeds.entries()) {
    for (const broken of damaged(bytes, 2_000, index)) if (recognise(broken)) recognised++;
  }
  assert.ok(recognised > 1_000 * TRIED_PART && recognised < 9_500 * TRIED_PART, `${recognised}`);
});

test('recognises the corpus files as the format of their folder', { skip: corpusSkipReason }, () => {
  for (const format of ['avif', 'bmp', 'djvu', 'heic', 'ico', 'jxl', 'pdf', 'psd', 'raw', 'tiff', 'webp'] as const) {
    for (const path of corpusFiles(format)) assert.deepEqual(recognise(corpus(path)!), { format }, path);
  }
});

test('recognises a file by its name only if its content has no signature', () => {
  const bytes = latin1(`\0\0\x02\0\0\0\0\0\0\0\0\0\x10\0\x10\0\x18\0${'\x40'.repeat(768)}`);
  assert.equal(recognise(bytes), undefined);
  assert.deepEqual(recognise(bytes, 'scan.TGA'), { format: 'tga' });
  assert.equal(recognise(bytes, 'tga'), undefined);
  assert.equal(recognise(bytes, 'scan.tga/scan'), undefined);
  assert.equal(recognise(new Uint8Array(), 'scan.tga'), undefined);
  assert.deepEqual(recognise(encodeBmp(rgb), 'scan.tga'), { format: 'bmp' }, 'the content counts more');
  assert.deepEqual(recognise(latin1('PK\x03\x04'), 'scan.tga'), { unsupported: 'ZIP' });
});
