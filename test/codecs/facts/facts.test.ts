/** Facts that containers declare in addition to their header: known corpus files, files made here, and damaged files. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { readFacts } from '../../../codecs/facts/index.ts';
import { estimateQuality } from '../../../codecs/facts/jpeg-quality.ts';
import { readJxlHeader } from '../../../codecs/formats/jxl/header.ts';
import type { FormatId } from '../../../codecs/formats/registry.ts';
import { readTags } from '../../../engine/operations/inspect/tags.ts';
import { corpus, corpusFiles, corpusSkipReason } from '../../support/corpus.ts';
import { damaged } from '../../support/damage.ts';
import { flat, pattern, sharpOf } from '../../support/test-images.ts';
import { withMetadata } from '../metadata/fixtures.ts';

const facts = (path: string, format: FormatId, page = 1) => readFacts(format, corpus(path)!, page);

/** Writes a big-endian integer. */
const int = (value: number, size: 1 | 2 | 4) => {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(value, 0, size);
  return bytes;
};

describe('facts of JPEG files', () => {
  it('have no quality if the tables that the components name are missing', () => {
    assert.equal(estimateQuality(new Map(), [0, 1, 1]), undefined);
    assert.equal(estimateQuality(new Map([[1, new Array(64).fill(1)]]), [0]), undefined);
    assert.equal(estimateQuality(new Map([[0, new Array(64).fill(1)]]), [0]), 100);
  });

  it('are read from real files', { skip: corpusSkipReason }, () => {
    assert.equal(facts('jpeg/pillow--ultrahdr.jpg', 'jpeg').colour?.hdr, true);
    assert.equal(facts('jpeg/libvips--ultra-hdr.jpg', 'jpeg').colour?.hdr, true);
    // Two views of one scene, without a gain map.
    assert.equal(facts('jpeg/pillow--frozenpond.mpo', 'jpeg').colour?.hdr, false);
    assert.equal(facts('jpeg/serenity--12-bit-progressive.jpg', 'jpeg').colour?.bitDepth, 12);
    assert.equal(facts('jpeg/testdata--flower.png.im_q85_420_progr.jpg', 'jpeg').coding?.quality, 85);
    assert.equal(facts('jpeg/twelvemonkeys--cmyk-sample.jpg', 'jpeg').colour?.model, 'cmyk');
    assert.equal(facts('jpeg/exif-samples--Nikon_D70.jpg', 'jpeg').coding?.chromaSubsampling, '4:4:4');
  });
});

describe('facts of HEIF files', () => {
  it('are those of the container: size, rotation, depth, subsampling, light', { skip: corpusSkipReason }, () => {
    const hdr = facts('avif/libavif--colors_wcg_hdr_rec2020.avif', 'avif');
    assert.deepEqual([hdr.colour?.hdr, hdr.colour?.bitDepth, hdr.colour?.space], [true, 10, 'unknown']);
    const gainMap = facts('avif/libavif--seine_sdr_gainmap_srgb_icc.avif', 'avif');
    assert.equal(gainMap.colour?.hdr, true);
    assert.equal(facts('avif/libavif--kodim03_yuv420_8bpc.avif', 'avif').coding?.chromaSubsampling, '4:2:0');
    assert.equal(facts('avif/libavif--kodim03_yuv420_8bpc.avif', 'avif').colour?.hdr, false);
    const grid = facts('avif/libavif--sofa_grid1x5_420.avif', 'avif');
    assert.deepEqual([grid.coding?.compression, grid.colour?.bitDepth], ['av1', 8]);
    const phone = facts('heic/photoprism--iphone_7.heic', 'heic');
    assert.deepEqual([phone.coding?.compression, phone.coding?.chromaSubsampling], ['hevc', '4:2:0']);
    assert.deepEqual(phone.stored, { size: { width: 4032, height: 3024 }, orientation: 1 });
    const { preview } = facts('heic/libheif--example.heic', 'heic');
    assert.deepEqual([preview?.format, preview?.width, preview?.height], ['hevc', 320, 212]);
    assert.ok(phone.blocks.exif && phone.blocks.icc);
  });

  it('include how a sequence is played', { skip: corpusSkipReason }, () => {
    // Five frames at 30 per second, as reported by ExifTool.
    assert.deepEqual(facts('avif/libavif--colors-animated-8bpc.avif', 'avif').motion, {
      frames: 5,
      durationMs: 5000 / 30,
    });
    assert.equal(facts('avif/pillow--hopper.avif', 'avif').motion, undefined);
  });

  it('convert rotation and mirroring to EXIF, in the order of the properties', { skip: corpusSkipReason }, () => {
    const orientation = (rotation: number, mirror: number) =>
      facts(`avif/pillow--rot${rotation}mir${mirror}.avif`, 'avif').stored?.orientation;
    // Rotations are counter-clockwise, in steps of 90 degrees. Mirroring is top to bottom (0) or left to right (1).
    assert.deepEqual([orientation(0, 0), orientation(0, 1)], [4, 2]);
    assert.deepEqual([orientation(1, 0), orientation(1, 1)], [5, 7]);
    assert.deepEqual([orientation(2, 0), orientation(2, 1)], [2, 4]);
    assert.deepEqual([orientation(3, 0), orientation(3, 1)], [7, 5]);
    for (let turn = 1; turn <= 8; turn += 1) {
      assert.equal(facts(`heic/kimageformats--orientation${turn}.heic`, 'heic').stored?.orientation, turn);
    }
  });
});

describe('facts of JPEG XL files', () => {
  it('are read from the bits of the codestream', { skip: corpusSkipReason }, () => {
    for (let turn = 1; turn <= 8; turn += 1) {
      assert.equal(facts(`jxl/kimageformats--orientation${turn}.jxl`, 'jxl').stored?.orientation, turn);
    }
    const gray = facts('jxl/kimageformats--testcard_gray16.jxl', 'jxl');
    assert.deepEqual([gray.colour?.model, gray.colour?.bitDepth, gray.colour?.channels], ['gray', 16, 1]);
    assert.equal(facts('jxl/kimageformats--rgba.jxl', 'jxl').colour?.channels, 4);
    const half = facts('jxl/kimageformats--testcard_rgb_fp16.jxl', 'jxl');
    assert.deepEqual([half.colour?.bitDepth, half.colour?.hdr], [16, true]);
    assert.equal(facts('jxl/testdata--pq_gradient.jxl', 'jxl').colour?.hdr, true);
  });

  it('say whether a file is lossless', async () => {
    const image = { data: new Uint8ClampedArray(pattern(16, 12, 4).data), width: 16, height: 12, colorSpace: 'srgb' };
    const { default: encode, init } = await import('@jsquash/jxl/encode.js');
    const { readFile } = await import('node:fs/promises');
    const { createRequire } = await import('node:module');
    const path = createRequire(import.meta.url).resolve('@jsquash/jxl/codec/enc/jxl_enc.wasm');
    await init(await WebAssembly.compile(await readFile(path)));
    const coding = async (lossless: boolean) =>
      readFacts('jxl', Buffer.from(await encode(image as ImageData, { lossless, quality: 80 })), 1).coding;
    assert.deepEqual(await coding(true), { lossless: true, compression: 'modular' });
    assert.deepEqual(await coding(false), { lossless: false, compression: 'vardct' });
  });

  it('are not read from truncated data', () => {
    assert.throws(() => readJxlHeader(Buffer.from([0xff, 0x0a])), /cannot be decoded/);
    assert.throws(() => readJxlHeader(Buffer.from([0xff, 0x0b, 0, 0])), /cannot be decoded/);
  });
});

describe('facts of documents and raw files', () => {
  it('are read from Photoshop: mode, depth, resolution, thumbnail, metadata', { skip: corpusSkipReason }, () => {
    const lab = facts('psd/psd-tools--4x4_8bit_lab.psd', 'psd');
    assert.deepEqual([lab.colour?.model, lab.colour?.channels, lab.colour?.bitDepth], ['lab', 3, 8]);
    const indexed = facts('psd/psd-tools--4x4_8bit_index_color.psd', 'psd');
    assert.deepEqual([indexed.colour?.model, indexed.colour?.paletteColors], ['rgb', 256]);
    const large = facts('psd/psd-tools--300dpi.psd', 'psd');
    assert.deepEqual(large.density, { x: 300, y: 300 });
    assert.deepEqual(large.preview, { width: 100, height: 150, bytes: 1521, format: 'jpeg' });
    assert.equal(facts('psd/psd-tools--2layers.psb', 'psd').coding?.compression, 'packbits');
    assert.equal(readTags(facts('psd/kimageformats--orientation6.psd', 'psd')).exif.Orientation, 6);
  });

  it('are read from raw files: the main image, the preview, EXIF in any place', { skip: corpusSkipReason }, () => {
    const canon = facts('raw/file-type--fixture.cr3', 'raw');
    assert.deepEqual(canon.stored, { size: { width: 6720, height: 4480 }, orientation: 6 });
    assert.deepEqual([canon.preview?.width, canon.preview?.height, canon.preview?.format], [160, 120, 'jpeg']);
    const { exif } = readTags(canon);
    assert.deepEqual([exif.Make, exif.LensModel, exif.ISO], ['Canon', 'EF24-105mm f/4L IS USM', 100]);
    assert.ok(canon.blocks.exif);
    const dng = facts('raw/exiv2--IMG_1361.dng', 'raw');
    assert.deepEqual([dng.colour?.bitDepth, dng.coding?.lossless], [12, true]);
    assert.equal(readTags(dng).exif.GPSLatitude, 34.0596083333);
  });

  it('are read from the requested page of a TIFF', { skip: corpusSkipReason }, () => {
    assert.equal(facts('tiff/pillow--hopper.Lab.tif', 'tiff').colour?.model, 'lab');
    assert.equal(facts('tiff/image-tiff--cmyk-3c-8b.tiff', 'tiff').colour?.model, 'cmyk');
    assert.equal(facts('tiff/image-tiff--palette-1c-8b.tiff', 'tiff').colour?.paletteColors, 256);
    assert.equal(facts('tiff/image-tiff--predictor-3-rgb-f32.tif', 'tiff').colour?.hdr, true);
    assert.equal(facts('tiff/libvips--4bit.tif', 'tiff').colour?.bitDepth, 4);
    assert.equal(facts('tiff/image-tiff--int16_zstd.tif', 'tiff').coding?.compression, 'zstd');
    assert.equal(facts('tiff/pillow--g4-multi.tiff', 'tiff', 2).coding?.compression, 'ccitt_fax4');
  });

  it('are read from JPEG 2000: header, colour, resolution, XMP and comment', () => {
    const box = (type: string, ...content: Buffer[]) => {
      const data = Buffer.concat(content);
      return Buffer.concat([int(data.length + 8, 4), Buffer.from(type, 'latin1'), data]);
    };
    const size = Buffer.concat([int(0, 2), ...[64, 48, 0, 0, 64, 48, 0, 0].map((value) => int(value, 4)), int(3, 2)]);
    const components = Buffer.from([11, 1, 1, 11, 2, 2, 11, 2, 2]);
    const segment = (marker: number, data: Buffer) => Buffer.concat([int(marker, 2), int(data.length + 2, 2), data]);
    const codestream = Buffer.concat([
      int(0xff4f, 2),
      segment(0xff51, Buffer.concat([size, components])),
      segment(0xff52, Buffer.from([0, 0, 0, 1, 0, 5, 4, 4, 0, 0])),
      segment(0xff64, Buffer.concat([int(1, 2), Buffer.from('Made here')])),
      segment(0xff90, Buffer.alloc(8)),
    ]);
    const xmp =
      '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Label="Red"/></rdf:RDF>';
    const resolution = Buffer.concat([int(11_811, 2), int(1, 2), int(5_906, 2), int(1, 2), Buffer.from([0, 0])]);
    const file = Buffer.concat([
      box('jP  ', Buffer.from([0x0d, 0x0a, 0x87, 0x0a])),
      box('jp2h', box('colr', Buffer.from([1, 0, 0]), int(16, 4)), box('res ', box('resc', resolution))),
      box('uuid', Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex'), Buffer.from(xmp)),
      box('jp2c', codestream),
    ]);
    const found = readFacts('jp2', file, 1);
    assert.deepEqual(found.colour, { model: 'rgb', space: 'srgb', hdr: false, channels: 3, bitDepth: 12 });
    assert.deepEqual(found.coding, { chromaSubsampling: '4:2:0', compression: 'wavelet_9_7', lossless: false });
    assert.deepEqual([found.density!.x, found.density!.y].map(Math.round), [150, 300]);
    assert.equal(found.comment, 'Made here');
    assert.deepEqual(readTags(found).xmp, { 'xmp:Label': 'Red' });
  });

  it('are read from GIF: table, comment, profile', async () => {
    const gif = await sharpOf(flat(4, 4, 1, 2, 3))
      .gif()
      .toBuffer();
    const at = 13 + 3 * 2 ** ((gif[10]! & 7) + 1);
    const comment = Buffer.concat([
      Buffer.from([0x21, 0xfe, 5]),
      Buffer.from('Hello'),
      Buffer.from([3]),
      Buffer.from(' ok\0'),
    ]);
    const profile = Buffer.concat([Buffer.from([0x21, 0xff, 11]), Buffer.from('ICCRGBG1012\x04prof\0')]);
    const found = readFacts('gif', Buffer.concat([gif.subarray(0, at), comment, profile, gif.subarray(at)]), 1);
    assert.equal(found.comment, 'Hello ok');
    assert.equal(Buffer.from(found.blocks.icc!).toString(), 'prof');
  });

  it('are read from documents: the uncompressed XMP packet', () => {
    const packet = (label: string) =>
      `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Label="${label}"/></rdf:RDF></x:xmpmeta>`;
    const file = Buffer.from(`%PDF-1.7 stream ${packet('old')} endstream stream ${packet('new')} endstream`);
    assert.deepEqual(readTags(readFacts('pdf', file, 1)).xmp, { 'xmp:Label': 'new' });
    assert.deepEqual(readFacts('pdf', Buffer.from('%PDF-1.7'), 1).blocks, {});
  });
});

describe('facts of damaged files', () => {
  const check = (format: FormatId, bytes: Uint8Array) => {
    const record = JSON.stringify(readTags(readFacts(format, bytes, 1)));
    assert.ok(record.length < 1_500_000);
  };

  it('include what is readable, and reading never throws', async () => {
    for (const format of ['jpeg', 'png', 'webp', 'avif', 'tiff', 'gif'] as const) {
      const file = format === 'gif' ? await sharpOf(pattern(20, 15)).gif().toBuffer() : await withMetadata(format);
      for (const broken of damaged(file, 300, 7)) check(format, broken);
      for (let length = 0; length < file.length; length += Math.ceil(file.length / 97)) {
        check(format, file.subarray(0, length));
      }
    }
  });

  it('are read without an error in every format, under any name', { skip: corpusSkipReason }, () => {
    const formats: [FormatId, string][] = [
      ['jpeg', 'jpeg'],
      ['heic', 'heic'],
      ['jxl', 'jxl'],
      ['psd', 'psd'],
      ['raw', 'raw'],
      ['tiff', 'tiff'],
      ['bmp', 'bmp'],
      ['gif', 'gif'],
      ['png', 'png'],
    ];
    const names = formats.map(([format]) => format).concat('jp2', 'svg', 'avif', 'webp');
    for (const [format, folder] of formats) {
      for (const path of corpusFiles(folder).slice(0, 8)) {
        const file = corpus(path)!.subarray(0, 300_000);
        for (const broken of damaged(file, 12, 3)) check(format, broken);
        for (const name of names) check(name, file);
      }
    }
  });

  it('are read in bounded time from metadata that claim to be endless', async () => {
    const jpeg = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .jpeg()
      .toBuffer();
    const segment = (payload: Buffer) =>
      Buffer.concat([Buffer.from([0xff, 0xe1]), int(payload.length + 2, 2), payload]);
    // A directory that points to itself as its next directory, its EXIF directory and its GPS directory.
    const exif = Buffer.from(
      'Exif\0\0MM\0*\0\0\0\x08\0\x03\x87\x69\0\x04\0\0\0\x01\0\0\0\x08\x88\x25\0\x04\0\0\0\x01\0\0\0\x08\x02\x01\0\x04\0\0\0\x01\0\0\0\x08\0\0\0\x08',
      'latin1',
    );
    const file = Buffer.concat([jpeg.subarray(0, 2), ...new Array(2000).fill(segment(exif)), jpeg.subarray(2)]);
    check('jpeg', file);
  });
});
