/** Encodes pixels to PNG files and reads them with libvips. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { inflateSync } from 'node:zlib';
import { Kernels, startKernels } from '../../../codecs/kernels/kernels.ts';
import { chunksOf } from '../../../codecs/metadata/png-chunks.ts';
import { compileModules, type Modules } from '../../../codecs/modules.ts';
import { type PixelFormat, PixelObserver, pixelBytesOf } from '../../../codecs/pixel-facts.ts';
import { MAX_ROW_BYTES } from '../../../codecs/png/decode.ts';
import { type PngEffort, PngEncoder } from '../../../codecs/png/encode.ts';
import { type LayoutOptions, layoutsOf, plainLayout } from '../../../codecs/png/layout.ts';
import { encodePng, type PngSettings } from '../../../codecs/png.ts';
import { startVips, type VipsApi } from '../../../codecs/vips.ts';
import { Random } from '../../support/random.ts';

const random = new Random(25);

let modules: Modules;
let kernels: Kernels;
let vips: VipsApi;

interface Pixels extends PixelFormat {
  width: number;
  height: number;
  /** Samples; those of 16 bits have the low byte first. */
  data: Uint8Array;
}

interface Options extends PngEffort {
  layout?: LayoutOptions;
  isPlain?: boolean;
  /** Bytes per call of `push`. */
  part?: number;
}

function encoded(
  pixels: Pixels,
  { layout: options = {}, isPlain = false, part = Number.POSITIVE_INFINITY, maxOptimalBytes }: Options = {},
) {
  kernels.free();
  let layout = plainLayout(pixels);
  if (!isPlain) {
    const observer = new PixelObserver(kernels, pixels);
    observer.observe(pixels.data);
    [layout] = layoutsOf(observer.facts, pixels, options);
  }
  const encoder = new PngEncoder(kernels, pixels, pixels, layout, maxOptimalBytes);
  for (let at = 0; at < pixels.data.length; at += part) encoder.push(pixels.data.subarray(at, at + part));
  const file = encoder.finish();
  // IHDR: bit depth and colour type.
  return { file, depth: file[24]!, colourType: file[25]! };
}

function makePixels(
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

/** Decodes a file to 16-bit RGBA. */
function decodeToRgba16(file: Uint8Array): Uint16Array {
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

function assertShows(file: Uint8Array, pixels: Pixels): void {
  const [is, should] = [decodeToRgba16(file), expected(pixels)];
  // A message with all differences would take minutes.
  const first = should.findIndex((sample, at) => sample !== is[at]);
  const { width, height } = pixels;
  assert.equal(is.length, should.length, `${width} x ${height}`);
  assert.equal(first, -1, `${width} x ${height}: sample ${first} is ${is[first]} instead of ${should[first]}`);
}

/** Returns the filtered rows with their filter types. Unlike libpng, zlib refuses a wrong checksum. */
const rowsOf = (file: Uint8Array): Buffer =>
  inflateSync(Buffer.concat([...chunksOf(file)].filter(({ name }) => name === 'IDAT').map(({ data }) => data)));

/** Returns the filter type of each row. @param rowBytes without the filter type */
function filtersOf(file: Uint8Array, rowBytes: number): number[] {
  const rows = rowsOf(file);
  return Array.from({ length: rows.length / (rowBytes + 1) }, (_, row) => rows[row * (rowBytes + 1)]!);
}

function encodeAndCheck(pixels: Pixels, options?: Options): ReturnType<typeof encoded> {
  const result = encoded(pixels, options);
  rowsOf(result.file);
  assertShows(result.file, pixels);
  return result;
}

/** Returns the prediction of a filter, by section 9.2 of PNG, third edition. */
function predict(
  row: Uint8Array,
  above: Uint8Array | undefined,
  at: number,
  pixelBytes: number,
  filter: number,
): number {
  const [left, up, corner] = [row[at - pixelBytes] ?? 0, above?.[at] ?? 0, above?.[at - pixelBytes] ?? 0];
  const sum = left + up - corner;
  const nearest = [left, up, corner].reduce((best, each) =>
    Math.abs(sum - each) < Math.abs(sum - best) ? each : best,
  );
  return [0, left, up, (left + up) >> 1, nearest][filter]!;
}

/**
 * Returns the row with its filter type.
 * @param filter -1 for the smallest sum of absolute values, -2 for the fewest bigrams
 */
function filteredRow(row: Uint8Array, above: Uint8Array | undefined, pixelBytes: number, filter: number): Uint8Array {
  if (filter >= 0)
    return Uint8Array.of(filter, ...row.map((byte, at) => byte - predict(row, above, at, pixelBytes, filter)));
  const costOf = (bytes: Uint8Array) =>
    filter === -1
      ? bytes.reduce((sum, byte) => sum + Math.min(byte, 256 - byte), 0)
      : new Set(Array.from(bytes.subarray(1), (byte, at) => 256 * bytes[at]! + byte)).size;
  const rows = [0, 1, 2, 3, 4].map((type) => filteredRow(row, above, pixelBytes, type));
  return rows.reduce((best, each) => (costOf(each.subarray(1)) < costOf(best.subarray(1)) ? each : best));
}

function filteredByKernels(rows: readonly Uint8Array[], pixelBytes: number, filter: number): Uint8Array[] {
  kernels.free();
  const rowBytes = rows[0]!.length;
  const to = kernels.reserve(rows.length * (rowBytes + 1));
  const scratch = kernels.reserve(5 * (rowBytes + 16));
  kernels.run.filterRows(to, kernels.place(Buffer.concat(rows)), rows.length, rowBytes, pixelBytes, 0, filter, scratch);
  return rows.map((_, y) => kernels.bytes(to + y * (rowBytes + 1), rowBytes + 1).slice());
}

/** Returns the row that the filter turns into these bytes. */
function unfilteredRow(
  width: number,
  above: Uint8Array | undefined,
  filter: number,
  filtered: () => number,
): Uint8Array {
  const row = new Uint8Array(width);
  for (let at = 0; at < width; at += 1) row[at] = filtered() + predict(row, above, at, 1, filter);
  return row;
}

const FORMATS: PixelFormat[] = ([1, 2, 3, 4] as const).flatMap((bands) => [
  { bands, depth: 8 },
  { bands, depth: 16 },
]);
const nameOf = ({ bands, depth }: PixelFormat) =>
  `${['grey', 'grey and alpha', 'RGB', 'RGBA'][bands - 1]} of ${depth} bits`;

describe('the PNG encoder', () => {
  before(async () => {
    modules = await compileModules();
    kernels = new Kernels(modules.kernels);
    ({ vips } = await startVips(modules));
  });

  for (const format of FORMATS)
    it(`keeps every sample of ${nameOf(format)}`, () => {
      const noise = () => random.integer(2 ** format.depth);
      for (const width of [1, 2, 3, 5, 8, 15, 16, 17, 40]) {
        encodeAndCheck(makePixels(format, width, 1 + random.integer(20), noise));
        encodeAndCheck(
          makePixels(format, width, 7, (band, x, y) => (x * 7 + y * 3 + band) % 200),
          { part: 5 },
        );
        encodeAndCheck(makePixels(format, width, 3, noise), { isPlain: true });
      }
      const steep = 2 ** (format.depth - 8);
      const { colourType } = encodeAndCheck(
        makePixels(
          format,
          700,
          400,
          (band, x, y) => (steep * ((x ^ y) + band * 9 + random.integer(5))) % 2 ** format.depth,
        ),
      );
      assert.equal(colourType, [0, 4, 2, 6][format.bands - 1]);
    });

  it('writes grey without colour, opaque without alpha, and 16 bits as 8 if nothing is lost', () => {
    const many = (_: number, x: number, y: number) => (x * y + x) % 256;
    const alpha = (value: number) => (band: number, x: number, y: number) =>
      band === 3 ? value : many(0, x, y) ^ ((band * x) & 255);
    assert.equal(encodeAndCheck(makePixels({ bands: 3, depth: 8 }, 90, 80, many)).colourType, 0);
    assert.equal(encodeAndCheck(makePixels({ bands: 4, depth: 8 }, 190, 180, alpha(255))).colourType, 2);
    const wideOne = makePixels(
      { bands: 3, depth: 16 },
      90,
      80,
      (band, x, y) => 257 * (many(0, x, y) ^ ((band * x) & 255)),
    );
    const wide = encodeAndCheck(wideOne);
    assert.deepEqual([wide.colourType, wide.depth], [2, 8]);
    wideOne.data[wideOne.data.length - 1]! ^= 1;
    const deep = encodeAndCheck(wideOne);
    assert.deepEqual([deep.colourType, deep.depth], [2, 16]);
  });

  it('checks the last pixel too', () => {
    // In the larger image, the pixels are not all checked in one pass.
    for (const height of [222, 555])
      for (const [place, type] of [
        [undefined, 0],
        [1, 4],
        [3, 2],
      ] as const) {
        const pixels = makePixels({ bands: 4, depth: 8 }, 333, height, (band, x, y) =>
          band === 3 ? 255 : (x * y) % 256,
        );
        if (place) pixels.data[pixels.data.length - place]! ^= 1;
        assert.equal(encodeAndCheck(pixels).colourType, type);
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
    it(`writes ${count} colours with ${bits} bits per pixel`, () => {
      for (const bands of [3, 4] as const)
        for (const width of [1, 7, 8, 9, 61]) {
          // At least 300 pixels, which contain every colour.
          const height = Math.ceil(300 / width);
          const pixels = makePixels({ bands, depth: 8 }, width, height, (band, x, y) => {
            const number = (y * width + x) % count;
            return [number, 255 - number, (number * 7) % 256, 255 - (number % 3)][band]!;
          });
          const { depth, colourType } = encodeAndCheck(pixels);
          assert.deepEqual([depth, colourType], [bits, 3], `${width}, ${bands} bands`);
        }
    });

  it('writes 257 colours without a palette', () => {
    const pixels = makePixels({ bands: 3, depth: 8 }, 257, 2, (band, x) => [x % 256, x >> 8, 9][band]!);
    assert.equal(encodeAndCheck(pixels).colourType, 2);
  });

  it('writes grey of few levels with few bits per pixel', () => {
    for (const [levels, bits] of [
      [[0, 255], 1],
      [[0, 85, 255], 2],
      [[0, 17, 34, 51, 255], 4],
    ] as const) {
      const pixels = makePixels({ bands: 3, depth: 8 }, 31, 9, (_, x, y) => levels[(x + y) % levels.length]!);
      const { depth, colourType } = encodeAndCheck(pixels);
      assert.deepEqual([depth, colourType], [bits, 0]);
    }
  });

  it('keeps grey as grey, and keeps colour if the profile needs it', () => {
    const grey = makePixels({ bands: 3, depth: 8 }, 90, 80, (_, x, y) => (x * y) % 256);
    assert.equal(encodeAndCheck(grey, { layout: { keepColour: true } }).colourType, 3);
    const few = makePixels({ bands: 1, depth: 8 }, 50, 40, (_, x) => [3, 9, 77][x % 3]!);
    assert.equal(encodeAndCheck(few).colourType, 0);
  });

  it('keeps alpha where it is needed, with and without a palette', () => {
    const few = makePixels({ bands: 4, depth: 8 }, 50, 40, (band, x) => [x % 3, 9, 77, 255][band]!);
    const { file } = encodeAndCheck(few, { layout: { keepAlpha: true } });
    assert.ok([...chunksOf(file)].some(({ name }) => name === 'tRNS'));
    assert.ok(![...chunksOf(encodeAndCheck(few).file)].some(({ name }) => name === 'tRNS'));
    const many = makePixels({ bands: 4, depth: 8 }, 50, 40, (band, x, y) => [x, y, x + y, 255][band]!);
    assert.deepEqual(
      [encodeAndCheck(many, { layout: { keepAlpha: true } }).colourType, encodeAndCheck(many).colourType],
      [6, 2],
    );
  });

  for (const [how, maxOptimalBytes] of [
    ['quickly', 0],
    ['optimally', 8 * 2 ** 20],
  ] as const) {
    it(`filters photos, and leaves drawings unfiltered, deflated ${how}`, () => {
      const filters = (pixels: Pixels) => filtersOf(encodeAndCheck(pixels, { maxOptimalBytes }).file, 1200);
      const photograph = makePixels({ bands: 3, depth: 8 }, 400, 300, (band, x, y) =>
        Math.floor(128 + 60 * Math.sin(x / 40 + band) + 50 * Math.cos(y / 33) + random.integer(6)),
      );
      assert.ok(filters(photograph).every((filter) => filter > 0));
      // The encoder looks at the middle first. It must not choose the filters by it alone.
      const middle = 140 * 1200;
      photograph.data.fill(255, middle, middle + 20 * 1200);
      assert.ok(
        filters(photograph)
          .slice(0, 140)
          .every((filter) => filter > 0),
      );
      const glyphs = Array.from({ length: 40 }, () => Array.from({ length: 80 }, () => random.integer(2)));
      const page = makePixels({ bands: 3, depth: 8 }, 400, 300, (band, x, y) => {
        const glyph = glyphs[(Math.floor(x / 8) * 7 + Math.floor(y / 10) * 11) % 40]!;
        return glyph[(x % 8) + 8 * (y % 10)] ? [30 + (x >> 3), 40 + 5 * Math.floor(y / 10), 9][band]! : 250;
      });
      assert.deepEqual([...new Set(filters(page))], [0]);
    });

    it(`writes several strips with matches between them, deflated ${how}`, () => {
      // Every row repeats the one before the last, which no filter uses. Its pixels resemble their neighbours.
      const rows = [0, 1].map(() => {
        const row = new Uint8Array(3 * 5000);
        for (let at = 3; at < row.length; at += 1) row[at] = row[at - 3]! + random.integer(8) - 3;
        return row;
      });
      const pixels = makePixels({ bands: 3, depth: 8 }, 5000, 200, (band, x, y) => rows[y % 2]![3 * x + band]!);
      const { file } = encodeAndCheck(pixels, { part: 100_001, maxOptimalBytes });
      assert.ok([...chunksOf(file)].filter(({ name }) => name === 'IDAT').length > 3);
      assert.ok(file.length < 60_000, `${file.length}`);
    });
  }

  it('deflates optimally up to a number of bytes, and only if there are enough matches', () => {
    const levels = (count: number) =>
      makePixels({ bands: 1, depth: 8 }, 300, 300, () => 5 + Math.floor((250 * random.integer(count)) / count));
    const size = (pixels: Pixels, maxOptimalBytes: number) => encodeAndCheck(pixels, { maxOptimalBytes }).file.length;
    const bytes = 300 * 301;
    const [few, many] = [levels(16), levels(40)];
    assert.ok(size(few, bytes) < size(few, bytes - 1));
    assert.equal(size(few, bytes - 1), size(few, 0));
    assert.equal(size(many, bytes), size(many, 0));
  });

  it('filters as the standard says, and chooses the filter of a row by sum or by bigrams', () => {
    for (const pixelBytes of [1, 2, 3, 4, 6, 8])
      for (const rowBytes of [pixelBytes, 2 * pixelBytes, 5 * pixelBytes, 16 * pixelBytes, 331 * pixelBytes])
        for (const top of [2, 9, 256]) {
          const rows = Array.from({ length: 6 }, () =>
            Uint8Array.from({ length: rowBytes }, () => random.integer(top)),
          );
          for (const filter of [0, 1, 2, 3, 4, -1, -2]) {
            const expectedRows = rows.map((row, y) => filteredRow(row, rows[y - 1], pixelBytes, filter));
            const isSame = Buffer.concat(filteredByKernels(rows, pixelBytes, filter)).equals(
              Buffer.concat(expectedRows),
            );
            assert.ok(isSame, `${filter}, ${rowBytes} bytes`);
          }
        }
  });

  const fixed = new Random(3);
  const spread = Array.from({ length: 64 }, () => fixed.integer(256));
  const small = Array.from({ length: 64 }, (_, index) => (index - 32) & 255);
  for (const [name, values, filterOf] of [
    ...[0, 1, 2, 3, 4].map((filter) => [`${filter} for all rows`, spread, () => filter] as const),
    ['that of each row with the smallest sum', small, (y: number) => y % 5],
    ['that of each row with the fewest bigrams', [96, 128, 160, 200], (y: number) => y % 5],
  ] as const)
    it(`chooses the best filter type: ${name}`, () => {
      const [width, height] = [60, 100];
      const rows: Uint8Array[] = [];
      for (let y = 0; y < height; y += 1)
        rows.push(unfilteredRow(width, rows[y - 1], filterOf(y), () => fixed.pick(values)));
      const { file } = encodeAndCheck({ bands: 1, depth: 8, width, height, data: Buffer.concat(rows) });
      // In the first rows, two filter types may give the same result.
      assert.deepEqual(
        filtersOf(file, width).slice(5).join(''),
        rows
          .map((_, y) => filterOf(y))
          .slice(5)
          .join(''),
      );
    });

  it('rejects an end before all rows have arrived', () => {
    const pixels = makePixels({ bands: 1, depth: 8 }, 4, 4, () => 9);
    assert.throws(() => encoded({ ...pixels, data: pixels.data.subarray(0, 12) }), RangeError);
  });
});

describe('encodePng', () => {
  before(async () => {
    modules = await compileModules();
    ({ vips } = await startVips(modules));
  });

  function written(pixels: Pixels, settings?: PngSettings): Uint8Array {
    const { data, width, height, bands, depth } = pixels;
    const format = depth === 8 ? vips.BandFormat.uchar : vips.BandFormat.ushort;
    const image = vips.Image.newFromMemory(data, width, height, bands, format);
    const file = encodePng({ vips, modules }, image.copy({ interpretation: bands < 3 ? 'b-w' : 'srgb' }), settings);
    assertShows(file, pixels);
    return file;
  }
  const memoryBytes = () => startKernels(modules).bytes(0, 0).buffer.byteLength;
  const noise = () => random.integer(256);

  it('leaves rows of more than 1 MiB to libvips, so that the kernel memory does not grow', () => {
    written(makePixels({ bands: 4, depth: 8 }, 600, 400, noise));
    const before = memoryBytes();
    const pixels = makePixels({ bands: 4, depth: 8 }, 262_200, 3, noise);
    assert.ok(4 * pixels.width > MAX_ROW_BYTES);
    written(pixels);
    assert.equal(memoryBytes(), before);
  });

  it('takes less than 10 MiB of kernel memory for rows of 1 MiB', () => {
    const pixels = makePixels({ bands: 4, depth: 8 }, 262_144, 3, noise);
    assert.equal(4 * pixels.width, MAX_ROW_BYTES);
    const file = written(pixels);
    assert.ok(memoryBytes() < 10 * 2 ** 20, `${memoryBytes()} bytes`);
    // One chunk for each row; libvips would write smaller chunks.
    assert.equal([...chunksOf(file)].filter(({ name }) => name === 'IDAT').length, 3);
  });

  it('uses a palette in a small image only if that is smaller', () => {
    const colourType = (pixels: Pixels) => written(pixels)[25];
    const colours = (count: number, side: number) =>
      makePixels(
        { bands: 3, depth: 8 },
        side,
        side,
        (band, x, y) => (((y * side + x) % count) * [1, 59, 101][band]!) % 256,
      );
    assert.equal(colourType(colours(250, 16)), 2);
    assert.equal(colourType(colours(20, 64)), 3);
    assert.equal(colourType(colours(250, 65)), 3);
  });

  it('keeps the pixel layout on request', () => {
    const grey = makePixels({ bands: 4, depth: 8 }, 80, 70, (band, x) => (band === 3 ? 255 : x));
    assert.equal(written(grey, { keepLayout: true })[25], 6);
    assert.equal(written(grey, { keepColour: true, keepAlpha: true })[25], 3);
    assert.equal(written(grey)[25], 0);
  });
});
