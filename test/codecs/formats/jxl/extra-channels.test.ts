/** JPEG XL with channels besides colour and alpha. The files were made with libjxl 0.7: no encoder here writes them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { Failure } from '../../../../base/failure.ts';
import { withChannelTypes } from '../../../../codecs/formats/jxl/channel-types.ts';
import { hasOtherChannels, wholeCodestream } from '../../../../codecs/formats/jxl/codestream.ts';
import { reader } from '../../../../codecs/formats/jxl/extra-channels.ts';
import { CHANNEL, readJxlHeader } from '../../../../codecs/formats/jxl/header.ts';
import { compileModules } from '../../../../codecs/modules.ts';
import { startVips } from '../../../../codecs/vips.ts';
import { pipeline } from '../../../engine/pipeline/support.ts';
import { damaged, TRIED_PART } from '../../../support/damage.ts';
import { decode, difference, pattern, pixel, png, type RawImage } from '../../../support/test-images.ts';

const modules = await compileModules();
const { vips } = await startVips(modules);

const [WIDTH, HEIGHT] = [12, 6];
/** Cyan, magenta, yellow and black of {@link ink}, in a container. */
const CMYK = Buffer.from(
  'AAAADEpYTCANCocKAAAAFGZ0eXBqeGwgAAAAAGp4bCAAAAAJanhsbAoAAABjanhsY/8KKHAwCqiE2MLG1iQICBAAIAFLOGiYwoP7FBQEQN27GFsd' +
    'F2IgAED2HAlkLlgCKaX+mjpEylJE5CxFRJZSRDTS/zyspM/zsCKfwzR2zjkmY+ccv4lz2mQA4gE=',
  'base64',
);
/** The same with alpha, and a second layer of 5 x 3 pixels at 4, 2: magenta and yellow at half opacity. */
const LAYERS = Buffer.from(
  'AAAADEpYTCANCocKAAAAFGZ0eXBqeGwgAAAAAGp4bCAAAAAJanhsbAoAAABuanhscAAAAAD/CihwUEgBlRBb2NiaBAggCAQCAAAsAUs4aJjCg/sU' +
    'FARA3cwYWyUXgiAAQPYGCcSAWCyJpf4SvkTKUkTkKEVEuVJE5Pf4PA/91/MwjJ1zGMbOORdj55yH6XNQAPwBgqEXAAAAAC9qeGxwgAAAAQggggAB' +
    'BQwIBIIAAFQASxiLFcJJAuYFJgAEAPvfH3qA/AAA',
  'base64',
);

type Ink = [cyan: number, magenta: number, yellow: number, black: number];

const ink = (x: number, y: number): Ink => [x * 20, y * 40, 0, x < 6 ? 0 : 105];

const inLayer = (x: number, y: number): boolean => x >= 4 && x < 9 && y >= 2 && y < 5;

function withLayer(x: number, y: number): Ink {
  const below = ink(x, y);
  const above: Ink = [0, 255, 255, 0];
  return below.map((level, band) =>
    inLayer(x, y) ? Math.round((above[band]! * 128 + level * 127) / 255) : level,
  ) as Ink;
}

/** Converts inks with libvips' profile, by a CMYK TIFF (TIFF 6.0, section 16). */
async function rgbOf(inkAt: (x: number, y: number) => Ink): Promise<RawImage> {
  const samples = Array.from({ length: WIDTH * HEIGHT }, (_, at) => inkAt(at % WIDTH, Math.floor(at / WIDTH))).flat();
  const [short, long] = [3, 4];
  const fields = [
    ...[256, short, 1, WIDTH, 257, short, 1, HEIGHT, 258, short, 4, 122, 259, short, 1, 1, 262, short, 1, 5],
    ...[273, long, 1, 130, 277, short, 1, 4, 278, short, 1, HEIGHT, 279, long, 1, samples.length],
  ];
  const file = Buffer.alloc(130);
  file.write('II*\0');
  file.writeUInt32LE(8, 4);
  file.writeUInt16LE(fields.length / 4, 8);
  for (let at = 0; at < fields.length; at += 4) {
    const entry = 10 + at * 3;
    file.writeUInt16LE(fields[at]!, entry);
    file.writeUInt16LE(fields[at + 1]!, entry + 2);
    file.writeUInt32LE(fields[at + 2]!, entry + 4);
    file.writeUInt32LE(fields[at + 3]!, entry + 8);
  }
  for (let band = 0; band < 4; band++) file.writeUInt16LE(8, 122 + band * 2);
  return await decode(
    await sharp(Buffer.concat([file, Buffer.from(samples)]))
      .png()
      .toBuffer(),
  );
}

const toPng = (file: Uint8Array) => pipeline(file, [{ op: 'convert', params: { format: 'png', mode: 'lossless' } }]);

describe('CMYK', () => {
  it('is converted with its black', async () => {
    const ran = await toPng(CMYK);
    assert.deepEqual(ran.warnings, ['color_converted']);
    const { max } = difference(await decode(ran.bytes), await rgbOf(ink));
    assert.ok(max <= 2, `${max}`);
  });

  it('is read with its alpha and its layers', async () => {
    const ran = await toPng(LAYERS);
    assert.deepEqual([ran.plan.source.hasAlpha, ...ran.warnings], [true, 'color_converted']);
    const { max } = difference(await decode(ran.bytes), await rgbOf(withLayer));
    assert.ok(max <= 4, `${max}`);
  });

  it('is read in part or refused when it is damaged', async () => {
    let readable = 0;
    for (const broken of [CMYK, LAYERS].flatMap((file) => [...damaged(file, 100, 1)])) {
      hasOtherChannels(broken);
      try {
        await reader.decode(broken, { page: 1, extension: '', maxPixels: 1000, scale: 1 }, { vips, modules });
        readable++;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
      }
    }
    assert.ok(readable > 10 * TRIED_PART, `${readable}`);
  });
});

describe('a channel that is neither colour nor alpha', () => {
  it('is left out beside alpha', async () => {
    // Black becomes depth, so that the inks are red, green and blue.
    const file = withChannelTypes(wholeCodestream(LAYERS), new Map([[1, CHANNEL.depth]]));
    assert.equal(hasOtherChannels(file), true);
    const ran = await toPng(file);
    assert.deepEqual(ran.warnings, []);
    const result = await decode(ran.bytes);
    for (const [x, y] of [
      [0, 0],
      [1, 0],
      [11, 5],
    ] as const) {
      const [cyan, magenta, yellow] = ink(x, y);
      assert.deepEqual(pixel(result, x, y).slice(0, 3), [255 - cyan, 255 - magenta, 255 - yellow]);
    }
  });
});

describe('declaring another type', () => {
  it('changes nothing else in the header', async () => {
    for (const width of [3, 16, 20, 257]) {
      const encoded = await pipeline(await png(pattern(width, 10, 4)), [
        { op: 'convert', params: { format: 'jxl', mode: 'lossless' } },
      ]);
      const before = readJxlHeader(encoded.bytes);
      const after = readJxlHeader(withChannelTypes(encoded.bytes, new Map([[0, CHANNEL.depth]])));
      const { extraChannels, fields, ...rest } = after;
      assert.deepEqual(
        extraChannels.map(({ type }) => type),
        [CHANNEL.depth],
      );
      assert.deepEqual(rest, { ...rest, width, height: 10, bitDepth: before.bitDepth, modular: before.modular });
    }
  });
});
