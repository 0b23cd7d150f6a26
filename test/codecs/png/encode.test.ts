/** Pixels to PNG files, as libvips reads them. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { inflateSync } from 'node:zlib';
import { Kernels } from '../../../codecs/kernels/kernels.ts';
import { chunksOf } from '../../../codecs/metadata/png-chunks.ts';
import { compileModules } from '../../../codecs/modules.ts';
import { type PixelFormat, PixelObserver, pixelBytesOf } from '../../../codecs/pixel-facts.ts';
import { PngEncoder } from '../../../codecs/png/encode.ts';
import { type LayoutOptions, layoutsOf, plainLayout } from '../../../codecs/png/layout.ts';
import { startVips, type VipsApi } from '../../../codecs/vips.ts';
import { Random } from '../../support/random.ts';

const random = new Random(25);

let kernels: Kernels;
let vips: VipsApi;

interface Pixels extends PixelFormat {
  width: number;
  height: number;
  /** Samples of 16 bits with the lower byte first. */
  data: Uint8Array;
}

interface Options {
  layout?: LayoutOptions;
  isPlain?: boolean;
  /** Bytes that come at a time. */
  part?: number;
}

function encoded(
  pixels: Pixels,
  { layout: options = {}, isPlain = false, part = Number.POSITIVE_INFINITY }: Options = {},
) {
  kernels.free();
  let layout = plainLayout(pixels);
  if (!isPlain) {
    const observer = new PixelObserver(kernels, pixels);
    observer.observe(pixels.data);
    [layout] = layoutsOf(observer.facts, pixels, options);
  }
  const encoder = new PngEncoder(kernels, pixels, pixels, layout);
  for (let at = 0; at < pixels.data.length; at += part) encoder.push(pixels.data.subarray(at, at + part));
  const file = encoder.finish();
  // IHDR: depth and colour type.
  return { file, depth: file[24]!, colourType: file[25]! };
}

function made(
  { bands, depth }: PixelFormat,
  width: number,
  height: number,
  sample: (band: number, x: number, y: number) => number,
): Pixels {
  const data = new Uint8Array(width * height * pixelBytesOf({ bands, depth }));
  const view = new DataView(data.buffer);
  for (let index = 0; index < width * height * bands; index += 1) {
    const pixel = Math.floor(index / bands);
    const value = sample(index % bands, pixel % width, Math.floor(pixel / width));
    if (depth === 8) data[index] = value;
    else view.setUint16(2 * index, value, true);
  }
  return { bands, depth, width, height, data };
}

/** RGBA of 16 bits of every pixel. */
function seen(file: Uint8Array): Uint16Array {
  const image = vips.Image.pngloadBuffer(file);
  const memory = image.writeToMemory();
  return expected({
    bands: image.bands as PixelFormat['bands'],
    depth: memory instanceof Uint16Array ? 16 : 8,
    data: new Uint8Array(memory.buffer, memory.byteOffset, memory.byteLength),
  });
}

function expected({ bands, depth, data }: Omit<Pixels, 'width' | 'height'>): Uint16Array {
  const view = new DataView(data.buffer, data.byteOffset);
  const at = (index: number) => (depth === 8 ? data[index]! * 257 : view.getUint16(2 * index, true));
  const count = data.length / pixelBytesOf({ bands, depth });
  const wide = new Uint16Array(4 * count);
  for (let pixel = 0; pixel < count; pixel += 1)
    for (let band = 0; band < 4; band += 1) {
      const from = band < 3 ? (bands < 3 ? 0 : band) : bands - 1;
      wide[4 * pixel + band] = band === 3 && bands % 2 === 1 ? 65_535 : at(bands * pixel + from);
    }
  return wide;
}

function same(pixels: Pixels, options?: Options): ReturnType<typeof encoded> {
  const result = encoded(pixels, options);
  assert.deepEqual(seen(result.file), expected(pixels), `${pixels.width} x ${pixels.height}`);
  return result;
}

const FORMATS: PixelFormat[] = ([1, 2, 3, 4] as const).flatMap((bands) => [
  { bands, depth: 8 },
  { bands, depth: 16 },
]);
const nameOf = ({ bands, depth }: PixelFormat) =>
  `${['grey', 'grey and alpha', 'RGB', 'RGBA'][bands - 1]} of ${depth} bits`;

describe('the PNG encoder', () => {
  before(async () => {
    const modules = await compileModules();
    kernels = new Kernels(modules.kernels);
    ({ vips } = await startVips(modules));
  });

  for (const format of FORMATS)
    it(`keeps every sample of ${nameOf(format)}`, () => {
      const noise = () => random.integer(2 ** format.depth);
      for (const width of [1, 2, 3, 5, 8, 15, 16, 17, 40]) {
        same(made(format, width, 1 + random.integer(20), noise));
        same(
          made(format, width, 7, (band, x, y) => (x * 7 + y * 3 + band) % 200),
          { part: 5 },
        );
        same(made(format, width, 3, noise), { isPlain: true });
      }
      const steep = 2 ** (format.depth - 8);
      const { colourType } = same(
        made(format, 700, 400, (band, x, y) => (steep * ((x ^ y) + band * 9 + random.integer(5))) % 2 ** format.depth),
      );
      assert.equal(colourType, [0, 4, 2, 6][format.bands - 1]);
    });

  it('writes what is grey as grey, what is opaque without alpha, and 16 bits that are 8 as 8', () => {
    const many = (_: number, x: number, y: number) => (x * y + x) % 256;
    const alpha = (value: number) => (band: number, x: number, y: number) =>
      band === 3 ? value : many(0, x, y) ^ ((band * x) & 255);
    assert.equal(same(made({ bands: 3, depth: 8 }, 90, 80, many)).colourType, 0);
    assert.equal(same(made({ bands: 4, depth: 8 }, 190, 180, alpha(255))).colourType, 2);
    const wideOne = made({ bands: 3, depth: 16 }, 90, 80, (band, x, y) => 257 * (many(0, x, y) ^ ((band * x) & 255)));
    const wide = same(wideOne);
    assert.deepEqual([wide.colourType, wide.depth], [2, 8]);
    wideOne.data[wideOne.data.length - 1]! ^= 1;
    const deep = same(wideOne);
    assert.deepEqual([deep.colourType, deep.depth], [2, 16]);
  });

  it('sees the last pixel', () => {
    for (const [place, type] of [
      [undefined, 0],
      [1, 4],
      [3, 2],
    ] as const) {
      const pixels = made({ bands: 4, depth: 8 }, 333, 222, (band, x, y) => (band === 3 ? 255 : (x * y) % 256));
      if (place) pixels.data[pixels.data.length - place]! ^= 1;
      assert.equal(same(pixels).colourType, type);
    }
  });

  for (const [count, bits] of [
    [1, 1],
    [2, 1],
    [3, 2],
    [4, 2],
    [5, 4],
    [16, 4],
    [17, 8],
    [256, 8],
  ] as const)
    it(`writes ${count} colours with ${bits} bits`, () => {
      for (const bands of [3, 4] as const)
        for (const width of [1, 7, 8, 9, 61]) {
          // At least 300 pixels, each colour among them.
          const height = Math.ceil(300 / width);
          const pixels = made({ bands, depth: 8 }, width, height, (band, x, y) => {
            const number = (y * width + x) % count;
            return [number, 255 - number, (number * 7) % 256, 255 - (number % 3)][band]!;
          });
          const { depth, colourType } = same(pixels);
          assert.deepEqual([depth, colourType], [bits, 3], `${width}, ${bands} bands`);
        }
    });

  it('writes 257 colours without a palette', () => {
    const pixels = made({ bands: 3, depth: 8 }, 257, 2, (band, x) => [x % 256, x >> 8, 9][band]!);
    assert.equal(same(pixels).colourType, 2);
  });

  it('writes grey of few levels with few bits', () => {
    for (const [levels, bits] of [
      [[0, 255], 1],
      [[0, 85, 255], 2],
      [[0, 17, 34, 51, 255], 4],
    ] as const) {
      const pixels = made({ bands: 3, depth: 8 }, 31, 9, (_, x, y) => levels[(x + y) % levels.length]!);
      const { depth, colourType } = same(pixels);
      assert.deepEqual([depth, colourType], [bits, 0]);
    }
  });

  it('keeps grey as grey, and colour as colour where the profile wants it', () => {
    const grey = made({ bands: 3, depth: 8 }, 90, 80, (_, x, y) => (x * y) % 256);
    assert.equal(same(grey, { layout: { keepColour: true } }).colourType, 3);
    const few = made({ bands: 1, depth: 8 }, 50, 40, (_, x) => [3, 9, 77][x % 3]!);
    assert.equal(same(few).colourType, 0);
  });

  it('keeps alpha where it must, with a palette and without one', () => {
    const few = made({ bands: 4, depth: 8 }, 50, 40, (band, x) => [x % 3, 9, 77, 255][band]!);
    const { file } = same(few, { layout: { keepAlpha: true } });
    assert.ok([...chunksOf(file)].some(({ name }) => name === 'tRNS'));
    assert.ok(![...chunksOf(same(few).file)].some(({ name }) => name === 'tRNS'));
    const many = made({ bands: 4, depth: 8 }, 50, 40, (band, x, y) => [x, y, x + y, 255][band]!);
    assert.deepEqual([same(many, { layout: { keepAlpha: true } }).colourType, same(many).colourType], [6, 2]);
  });

  it('filters photographs, and leaves drawings as they are', () => {
    const filters = (file: Uint8Array, rowBytes: number) => {
      const data = inflateSync(
        Buffer.concat([...chunksOf(file)].filter(({ name }) => name === 'IDAT').map(({ data }) => data)),
      );
      return new Set(Array.from({ length: data.length / (rowBytes + 1) }, (_, row) => data[row * (rowBytes + 1)]));
    };
    const photograph = made({ bands: 3, depth: 8 }, 400, 300, (band, x, y) =>
      Math.floor(128 + 60 * Math.sin(x / 40 + band) + 50 * Math.cos(y / 33) + random.integer(6)),
    );
    assert.ok([...filters(same(photograph).file, 1200)].every((filter) => filter! > 0));
    const glyphs = Array.from({ length: 40 }, () => Array.from({ length: 80 }, () => random.integer(2)));
    const page = made({ bands: 3, depth: 8 }, 400, 300, (band, x, y) => {
      const glyph = glyphs[(Math.floor(x / 8) * 7 + Math.floor(y / 10) * 11) % 40]!;
      return glyph[(x % 8) + 8 * (y % 10)] ? [30 + (x >> 3), 40 + 5 * Math.floor(y / 10), 9][band]! : 250;
    });
    assert.deepEqual([...filters(same(page).file, 1200)], [0]);
  });

  it('writes several strips that find each other’s rows', () => {
    const row = Array.from({ length: 3 * 5000 }, () => random.integer(256));
    const pixels = made({ bands: 3, depth: 8 }, 5000, 200, (band, x) => row[3 * x + band]!);
    const { file } = same(pixels, { part: 100_001 });
    assert.ok([...chunksOf(file)].filter(({ name }) => name === 'IDAT').length > 3);
    assert.ok(file.length < 3 * row.length, `${file.length}`);
  });

  it('refuses to end before all rows have come', () => {
    const pixels = made({ bands: 1, depth: 8 }, 4, 4, () => 9);
    assert.throws(() => encoded({ ...pixels, data: pixels.data.subarray(0, 12) }), RangeError);
  });
});
