import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import Vips from 'wasm-vips';
import { sizeOf } from '../../codecs/dimensions.ts';
import { encodeBmp } from '../../codecs/formats/bmp/write.ts';
import { encodePsd } from '../../codecs/formats/psd/write.ts';
import type { InputFormat } from '../../codecs/formats/registry.ts';
import { encodeTga } from '../../codecs/formats/tga/write.ts';
import { encodeIco } from '../../codecs/ico.ts';
import { corpus, corpusFiles, corpusSkipReason } from '../support/corpus.ts';
import { damaged, TRIED_PART } from '../support/damage.ts';
import { makeSamples } from '../support/samples.ts';

const WIDTH = 61;
const HEIGHT = 34;
const still = (width = WIDTH, height = HEIGHT) =>
  sharp({ create: { width, height, channels: 3, background: '#336699' } });
const FRAMES = 3;
const pixelsOf = (bytes: Uint8Array, format: InputFormat): number | undefined => {
  const size = sizeOf(bytes, format);
  return size && size.width * size.height * (size.frames || 1);
};
/** All frames differ, so that no encoder merges them. */
const animation = async () =>
  sharp(
    await Promise.all(
      Array.from({ length: FRAMES }, (_, index) =>
        sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: { r: 90 * index, g: 9, b: 9 } } })
          .png()
          .toBuffer(),
      ),
    ),
    { join: { animated: true } },
  );

/** Writes a JPEG XL file, for which sharp has no encoder. */
async function encodeJxl(): Promise<Uint8Array> {
  const vips = await Vips({ dynamicLibraries: ['vips-jxl.wasm'] });
  using black = vips.Image.black(WIDTH, HEIGHT, { bands: 3 });
  return black.jxlsaveBuffer({ effort: 1 });
}

const files: Partial<Record<InputFormat, Uint8Array[]>> = {
  jpeg: [
    await still().jpeg().toBuffer(),
    await still().jpeg({ progressive: true }).withMetadata({ density: 300 }).toBuffer(),
  ],
  png: [await still().png().toBuffer()],
  webp: [await still().webp().toBuffer(), await still().webp({ lossless: true }).toBuffer()],
  avif: [await still().avif().toBuffer()],
  gif: [await still().gif().toBuffer()],
  tiff: [await still().tiff().toBuffer(), await still().tiff({ bigtiff: true }).toBuffer()],
  bmp: [encodeBmp(makeSamples('ramp', WIDTH, HEIGHT, 3)), encodeBmp(makeSamples('ramp', WIDTH, HEIGHT, 1))],
  jxl: [await encodeJxl()],
  psd: [encodePsd({ ...makeSamples('ramp', WIDTH, HEIGHT, 3), metadata: {} })],
  tga: [encodeTga(makeSamples('ramp', WIDTH, HEIGHT, 3))],
  ico: [encodeIco([makeSamples('ramp', 48, 48, 4)], () => assert.fail())],
};
const entries = () => Object.entries(files) as [InputFormat, Uint8Array[]][];

test('returns width x height of a still image of every format', () => {
  for (const [format, examples] of entries()) {
    for (const bytes of examples) {
      assert.equal(pixelsOf(bytes, format), format === 'ico' ? 48 * 48 : WIDTH * HEIGHT, format);
    }
  }
});

test('counts all frames of an animation', async () => {
  const moving = await animation();
  assert.equal(pixelsOf(await moving.webp({ loop: 0 }).toBuffer(), 'webp'), WIDTH * HEIGHT * FRAMES);
  assert.equal(pixelsOf(await moving.gif({ loop: 0 }).toBuffer(), 'gif'), WIDTH * HEIGHT * FRAMES);
});

test('counts the largest page of a TIFF, wherever it is', () => {
  const file = Buffer.alloc(8 + 2 * 30);
  file.write('MM\0*\0\0\0\x08', 'latin1');
  for (const [page, side] of [10, 20].entries()) {
    const at = 8 + page * 30;
    file.writeUInt16BE(2, at);
    for (const [entry, tag] of [256, 257].entries()) {
      file.writeUInt16BE(tag, at + 2 + entry * 12);
      file.writeUInt16BE(3, at + 4 + entry * 12);
      file.writeUInt32BE(1, at + 6 + entry * 12);
      file.writeUInt16BE(side, at + 10 + entry * 12);
    }
    file.writeUInt32BE(page === 0 ? at + 30 : 0, at + 26);
  }
  assert.equal(pixelsOf(file, 'tiff'), 400);
});

test('reads every form of the JPEG XL size header', async () => {
  const vips = await Vips({ dynamicLibraries: ['vips-jxl.wasm'] });
  for (const [width, height] of [
    [1, 1],
    [8, 8],
    [16, 8],
    [264, 256],
    [640, 480],
    [300, 7],
    [120, 100],
    [3, 2],
    [160, 90],
    [125, 100],
    [600, 513],
    [9000, 2],
    [2, 9000],
  ] as const) {
    using black = vips.Image.black(width, height, { bands: 1 });
    const file = black.jxlsaveBuffer({ effort: 1 });
    assert.equal(pixelsOf(file, 'jxl'), width * height, `${width} x ${height}`);
    const codestreamAt = Buffer.from(file).indexOf(Buffer.from([0xff, 0x0a]));
    assert.equal(pixelsOf(file.subarray(codestreamAt), 'jxl'), width * height, `bare ${width} x ${height}`);
  }
});

test('finds a decompression bomb by its header', () => {
  const bomb = encodeBmp(makeSamples('flat', 2, 2, 3));
  new DataView(bomb.buffer).setInt32(18, 1_000_000, true);
  new DataView(bomb.buffer).setInt32(22, -1_000_000, true);
  assert.equal(pixelsOf(bomb, 'bmp'), 1e12);
});

test('returns nothing for an image without a size or a file that is too short', () => {
  for (const [format, [example]] of entries()) {
    assert.equal(pixelsOf(new Uint8Array(), format), undefined, format);
    assert.equal(pixelsOf(example!.subarray(0, 9), format), undefined, format);
  }
  assert.equal(pixelsOf(Buffer.from('GIF89a\0\0\x01\0\0\0\0;', 'latin1'), 'gif'), undefined);
});

test('returns a number of pixels or nothing for damaged files, and never throws', () => {
  for (const [index, [format, examples]] of entries().entries()) {
    let known = 0;
    for (const bytes of examples) {
      for (const broken of damaged(bytes, 1_000, index)) {
        const pixels = pixelsOf(broken, format);
        if (pixels === undefined) continue;
        known++;
        assert.ok(Number.isFinite(pixels) && pixels > 0, `${format}: ${pixels}`);
      }
    }
    assert.ok(known > 50 * TRIED_PART, `${format}: only ${known} were readable`);
  }
});

test('does not throw on bytes of another format', () => {
  for (const [format] of entries()) {
    for (const [, examples] of entries()) {
      for (const bytes of examples) pixelsOf(bytes, format);
    }
  }
});

/** A header followed by one block repeated many times, as in a file that is made to keep a parser busy. */
const repeated = (header: string, block: string, times: number) =>
  Buffer.concat([Buffer.from(header, 'latin1'), Buffer.alloc(block.length * times, block, 'latin1')]);
const MANY = 1_000_000;

test('stops at too many blocks and counts those read until then', () => {
  const webp = `RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0${'\0'.repeat(10)}`;
  assert.equal(pixelsOf(repeated(webp, 'ANMF\0\0\0\0', 1_000), 'webp'), 1_000);
  assert.equal(pixelsOf(repeated(webp, 'ANMF\x01\0\0\0?\0', 1_000), 'webp'), 1_000, 'chunks are padded');
  assert.ok(pixelsOf(repeated(webp, 'ANMF\0\0\0\0', MANY), 'webp')! < MANY / 2);
  const gif = 'GIF89a\x01\0\x01\0\0\0\0';
  const frame = ',\0\0\0\0\x01\0\x01\0\0\x02\0';
  assert.equal(pixelsOf(repeated(gif, frame, 1_000), 'gif'), 1_000);
  assert.ok(pixelsOf(repeated(gif, frame, MANY), 'gif')! < MANY / 2);
  assert.equal(pixelsOf(repeated(`${gif}!\xf9`, '\x01', MANY), 'gif'), 1);
  const frameHeader = '\xff\xc0\0\x0b\x08\0\x02\0\x03\x01';
  const jpeg = (times: number) =>
    Buffer.concat([repeated('\xff\xd8', '\xff\xe0\0\x02', times), Buffer.from(frameHeader, 'latin1')]);
  assert.equal(pixelsOf(jpeg(1_000), 'jpeg'), 6);
  assert.equal(pixelsOf(jpeg(MANY), 'jpeg'), undefined);
});

test('stops in an endless chain of TIFF directories', () => {
  const file = Buffer.alloc(60_000 + 14);
  file.write('II*\0\x08\0\0\0', 'latin1');
  for (let at = 8; at < 60_000; at += 6) file.writeUInt32LE(at + 6, at + 2);
  assert.equal(pixelsOf(file, 'tiff'), undefined);
  // A directory that points to itself as the next one.
  file.writeUInt32LE(8, 10);
  assert.equal(pixelsOf(file, 'tiff'), undefined);
});

test('counts as many pixels as sharp in the corpus', { skip: corpusSkipReason }, async () => {
  let compared = 0;
  for (const format of ['jpeg', 'png', 'webp', 'avif', 'gif'] as const) {
    for (const path of corpusFiles(format)) {
      const bytes = corpus(path)!;
      const image = sharp(bytes, { limitInputPixels: false, pages: format === 'webp' || format === 'gif' ? -1 : 1 });
      const seen = await image.metadata().catch(() => undefined);
      if (seen?.format !== format && !(format === 'avif' && seen?.format === 'heif')) continue;
      // sharp reads one image of an animated PNG.
      if (Buffer.from(bytes).includes('acTL')) continue;
      assert.equal(pixelsOf(bytes, format), seen.width * seen.height, path);
      compared++;
    }
  }
  assert.ok(compared > 200, `${compared} compared`);
});
