/** What a conversion loses besides quality is in its warnings. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PDFDocument } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { be16, be32, text, u8 } from '../../../bench/bombs/bytes.ts';
import { chunk } from '../../../bench/bombs/png.ts';
import { type CompressOptions, compress } from '../../support/engine.ts';
import { flat, grainyPattern, jpeg, pattern, png } from '../../support/test-images.ts';

const warningsOf = async (file: Uint8Array, options: CompressOptions) => (await compress(file, options)).warnings;

/** Where chunks may be inserted: behind the signature and IHDR. */
const AFTER_HEADER = 33;

/** Inserts a chunk into a PNG. */
const withChunk = (file: Uint8Array, type: string, data: Uint8Array): Buffer =>
  Buffer.concat([file.subarray(0, AFTER_HEADER), chunk(type, Buffer.from(data)), file.subarray(AFTER_HEADER)]);

/** Inserts a segment behind the start of a JPEG. */
const withSegment = (file: Uint8Array, marker: number, data: Uint8Array): Buffer =>
  Buffer.concat([file.subarray(0, 2), u8(0xff, marker), be16(data.length + 2), data, file.subarray(2)]);

/** A portable float map, which has 32 bits per sample. */
const floatMap = (): Buffer => {
  const samples = Float32Array.from({ length: 3 * 8 * 8 }, (_, at) => at / 191);
  return Buffer.concat([text('PF\n8 8\n-1.0\n'), Buffer.from(samples.buffer)]);
};

describe('depth', () => {
  const deep = () =>
    sharp(
      Uint16Array.from({ length: 3 * 64 * 64 }, (_, at) => (at * 977) % 65_536),
      {
        raw: { width: 64, height: 64, channels: 3 },
      },
    )
      .toColourspace('rgb16')
      .png()
      .toBuffer();

  it('of 16 bits is reduced to the 12 and 10 of AVIF', async () => {
    assert.deepEqual(await warningsOf(await deep(), { format: 'avif', mode: 'lossless' }), ['depth_reduced']);
    assert.deepEqual(await warningsOf(await deep(), { format: 'avif' }), ['depth_reduced']);
    assert.deepEqual(await warningsOf(await deep(), { format: 'png', mode: 'lossless' }), []);
  });

  it('of 10 bits is kept by another AVIF', async () => {
    const ten = await sharp(await deep())
      .avif({ bitdepth: 10, quality: 90 })
      .toBuffer();
    assert.deepEqual(await warningsOf(ten, { format: 'avif', width: 32 }), []);
    assert.deepEqual(await warningsOf(ten, { format: 'webp', width: 32 }), ['depth_reduced']);
  });

  it('of floating-point samples is reduced to the 16 bits of PNG', async () => {
    assert.ok((await warningsOf(floatMap(), { format: 'png', mode: 'lossless' })).includes('depth_reduced'));
  });
});

describe('colours', () => {
  /** A Photoshop document of one pixel, without layers (Adobe Photoshop File Formats Specification). */
  const document = (mode: number, ...samples: number[]): Buffer =>
    Buffer.concat([
      ...[text('8BPS'), be16(1), u8(0, 0, 0, 0, 0, 0), be16(samples.length), be32(1, 1), be16(8, mode)],
      ...[be32(0, 0, 0), be16(0), u8(...samples)],
    ]);

  for (const [name, file] of Object.entries({
    'CMYK of a Photoshop document': document(4, 200, 100, 50, 255),
    'Lab of a Photoshop document': document(9, 128, 200, 128),
    'CMYK of a PAM': Buffer.concat([
      text('P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE CMYK\nENDHDR\n'),
      u8(9, 99, 200, 0),
    ]),
  })) {
    it(`are converted: ${name}`, async () => {
      assert.deepEqual(await warningsOf(file, { format: 'png' }), ['color_converted']);
    });
  }

  it('of RGB in a Photoshop document are not', async () => {
    assert.deepEqual(await warningsOf(document(3, 200, 100, 50), { format: 'png' }), []);
  });
});

describe('partial transparency', () => {
  const faded = () => {
    const image = pattern(32, 32, 4);
    for (let at = 3; at < image.data.length; at += 4) image.data[at] = at % 256;
    return png(image);
  };

  it('becomes full or none in GIF', async () => {
    assert.deepEqual(await warningsOf(await faded(), { format: 'gif' }), ['alpha_flattened']);
    assert.deepEqual(await warningsOf(await faded(), { format: 'webp' }), []);
  });

  it('is not lost where there is none', async () => {
    const image = pattern(32, 32, 4);
    for (let at = 3; at < image.data.length; at += 4) image.data[at] = at % 8 === 3 ? 0 : 255;
    const binary = await png(image);
    assert.deepEqual(await warningsOf(binary, { format: 'gif' }), []);
    // Resizing makes soft edges of the file's hard ones.
    const gif = (await compress(binary, { format: 'gif' })).bytes;
    assert.deepEqual(await warningsOf(gif, { format: 'gif', width: 20 }), []);
  });
});

describe('metadata that only files of their own format hold', () => {
  const image = () => png(flat(16, 16, 200, 100, 50));
  const FILES = {
    'a text of a PNG': async () => withChunk(await image(), 'tEXt', text('Author\0Ada')),
    'the gamma of a PNG': async () => withChunk(await image(), 'gAMA', be32(100_000)),
    'a comment of a JPEG': async () => withSegment(await jpeg(flat(16, 16, 9, 9, 9)), 0xfe, text('made by Ada')),
    'the title of a PDF': async () => {
      const document = await PDFDocument.create();
      document.setTitle('Report');
      document.addPage([72, 72]);
      return await document.save();
    },
    'the packet of an SVG': async () =>
      text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><metadata><x:xmpmeta xmlns:x="adobe:ns:meta/"></x:xmpmeta></metadata><rect width="9" height="9"/></svg>',
      ),
  };

  for (const [name, make] of Object.entries(FILES)) {
    it(`is dropped: ${name}`, async () => {
      const file = await make();
      assert.deepEqual(await warningsOf(file, { format: 'webp', metadata: 'keep' }), ['metadata_dropped']);
      assert.deepEqual(await warningsOf(file, { format: 'webp', metadata: 'no_gps' }), ['metadata_dropped']);
      assert.deepEqual(await warningsOf(file, { format: 'webp', metadata: 'color' }), []);
      assert.deepEqual(await warningsOf(file, { format: 'webp' }), []);
    });
  }

  it('stays in a file that is kept', async () => {
    const file = withSegment(await jpeg(grainyPattern(64, 64), 40), 0xfe, text('made by Ada'));
    const { outcome, warnings, bytes } = await compress(file, { metadata: 'keep', quality: 100 });
    assert.deepEqual([outcome, warnings, bytes.includes('made by Ada')], ['kept_original', [], true]);
    assert.deepEqual(await warningsOf(file, { metadata: 'no_gps', quality: 100 }), ['metadata_dropped']);
  });

  it('is not what sRGB or a profile says of colours', async () => {
    for (const gamma of [45_455, 45_454]) {
      const file = withChunk(await image(), 'gAMA', be32(gamma));
      assert.deepEqual(await warningsOf(file, { format: 'webp', metadata: 'keep' }), []);
    }
  });
});

describe('frame times', () => {
  it('that players replace are written as they are played', async () => {
    const frames = Buffer.concat([flat(8, 8, 255, 0, 0), flat(8, 8, 0, 255, 0)].map(({ data }) => data));
    const source = await sharp(frames, { raw: { width: 8, height: 16, channels: 3, pageHeight: 8 } })
      .gif({ delay: [0, 50] })
      .toBuffer();
    assert.deepEqual((await sharp(source).metadata()).delay, [0, 50]);
    const { bytes } = await compress(source, { format: 'gif', width: 4 });
    assert.deepEqual((await sharp(bytes).metadata()).delay, [100, 50]);
  });
});
