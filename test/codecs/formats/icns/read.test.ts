import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { Failure } from '../../../../base/failure.ts';
import type { Bitmap } from '../../../../codecs/bitmap.ts';
import type { Probe, ReaderContext } from '../../../../codecs/format-reader.ts';
import { reader as icnsReader } from '../../../../codecs/formats/icns/read.ts';
import { damaged, makeRandom, TRIED_PART } from '../../../support/damage.ts';

// The reader uses nothing from the context.
const context = {} as ReaderContext;

const probe = (bytes: Uint8Array, page = 1) => icnsReader.probe(bytes, { page, extension: '' }, context) as Probe;

const decode = (bytes: Uint8Array, page = 1) =>
  icnsReader.decode(bytes, { page, extension: '', maxPixels: 100_000, scale: 1 }, context) as Awaited<
    ReturnType<typeof icnsReader.decode>
  >;

function read(bytes: Uint8Array, page = 1): Bitmap {
  const content = decode(bytes, page);
  assert.ok('bitmap' in content);
  const { width, height, channels } = content.bitmap;
  const probed = probe(bytes, page);
  assert.deepEqual([probed.width, probed.height, probed.hasAlpha], [width, height, channels === 4]);
  return content.bitmap;
}

const element = (type: string, ...parts: (Uint8Array | readonly number[])[]): Buffer => {
  const data = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const header = Buffer.alloc(8);
  header.write(type, 'latin1');
  header.writeUInt32BE(data.length + 8, 4);
  return Buffer.concat([header, data]);
};

const icon = (...elements: Uint8Array[]): Buffer => element('icns', ...elements);

const random = makeRandom(3);
const noise = (count: number, below: number) => Array.from({ length: count }, () => random(below));

/** Packs runs of three bytes or more; the other bytes are literals. */
function packRuns(bytes: readonly number[]): number[] {
  const out: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    let run = 1;
    while (run < 130 && bytes[at + run] === bytes[at] && at + run < bytes.length) run++;
    if (run >= 3) {
      out.push(run + 125, bytes[at]!);
      at += run;
    } else {
      const literal = bytes.slice(at, at + 1 + random(Math.min(127, bytes.length - at)));
      out.push(literal.length - 1, ...literal);
      at += literal.length;
    }
  }
  return out;
}

/** Makes pixels with runs of many lengths in each channel. */
function runs(pixels: number, channels: number): number[][] {
  return Array.from({ length: channels }, () => {
    const plane: number[] = [];
    while (plane.length < pixels) plane.push(...Array<number>(1 + random(random(4) === 0 ? 150 : 3)).fill(random(256)));
    return plane.slice(0, pixels);
  });
}

const interleave = (...planes: readonly (readonly number[])[]) =>
  planes[0]!.flatMap((_, pixel) => planes.map((plane) => plane[pixel]!));

const bits = (values: readonly number[]) =>
  Array.from({ length: values.length / 8 }, (_, byte) =>
    values.slice(byte * 8, byte * 8 + 8).reduce((sum, bit) => sum * 2 + bit, 0),
  );

test('reads packed channels with 8-bit masks', () => {
  for (const [type, mask, side] of [
    ['is32', 's8mk', 16],
    ['il32', 'l8mk', 32],
    ['ih32', 'h8mk', 48],
    ['it32', 't8mk', 128],
  ] as const) {
    const planes = runs(side * side, 3);
    const alpha = noise(side * side, 256);
    const body = planes.flatMap(packRuns);
    const rgb = element(type, type === 'it32' ? [0, 0, 0, 0] : [], body);
    assert.deepEqual([...read(icon(rgb)).data], interleave(...planes), type);
    const masked = read(icon(element(mask, alpha), rgb));
    assert.deepEqual([...masked.data], interleave(...planes, alpha), type);
    assert.equal(masked.truncated, false);
  }
});

test('reads unpacked channels', () => {
  const planes = runs(256, 3);
  assert.deepEqual([...read(icon(element('is32', interleave(...planes)))).data], interleave(...planes));
  const padded = element('is32', interleave(noise(256, 256), ...planes));
  assert.deepEqual([...read(icon(padded)).data], interleave(...planes));
});

test('uses the 1-bit mask if there is no 8-bit mask', () => {
  const planes = runs(256, 3);
  const mask = noise(256, 2);
  const mono = element('ics#', bits(noise(256, 2)), bits(mask));
  const expected = interleave(
    ...planes,
    mask.map((bit) => bit * 255),
  );
  assert.deepEqual([...read(icon(mono, element('is32', planes.flatMap(packRuns)))).data], expected);
  // A truncated mask hides nothing.
  const short = element('s8mk', noise(255, 256));
  assert.deepEqual([...read(icon(short, element('is32', planes.flatMap(packRuns)))).data], interleave(...planes));
});

test('reads packed alpha, red, green and blue', () => {
  for (const [type, side] of [
    ['ic04', 16],
    ['ic05', 32],
    ['icsb', 18],
    ['icsB', 36],
    ['sb24', 24],
    ['SB24', 48],
  ] as const) {
    const [alpha, red, green, blue] = runs(side * side, 4) as [number[], number[], number[], number[]];
    const file = icon(element(type, Buffer.from('ARGB'), [alpha, red, green, blue].flatMap(packRuns)));
    assert.deepEqual([...read(file).data], interleave(red, green, blue, alpha), type);
  }
});

test('reads 1-bit images as black on white, with or without a mask', () => {
  const image = noise(1024, 2);
  const mask = noise(1024, 2);
  const grey = image.map((bit) => (bit ? 0 : 255));
  assert.deepEqual([...read(icon(element('ICON', bits(image)))).data], interleave(grey, grey, grey));
  const masked = icon(element('ICN#', bits(image), bits(mask)));
  assert.deepEqual(
    [...read(masked).data],
    interleave(
      grey,
      grey,
      grey,
      mask.map((bit) => bit * 255),
    ),
  );
  const flat = icon(element('icm#', bits(image.slice(0, 192)), bits(mask.slice(0, 192))));
  assert.deepEqual([read(flat).width, read(flat).height], [16, 12]);
  const request = { page: 1, extension: '', maxPixels: 191, scale: 1 };
  assert.throws(() => icnsReader.decode(flat, request, context), { code: 'image_too_large' });
});

test('reads indices of four and eight bits with the system colours', () => {
  const every = Array.from({ length: 256 }, (_, index) => index);
  const { data } = read(icon(element('ics8', every)));
  const colour = (index: number) => [...data.subarray(index * 3, index * 3 + 3)];
  // Corners of the colour cube and ends of the ramps.
  assert.deepEqual([0, 1, 5, 30, 35, 180, 214].map(colour), [
    [255, 255, 255],
    [255, 255, 204],
    [255, 255, 0],
    [255, 0, 255],
    [255, 0, 0],
    [0, 255, 255],
    [0, 0, 51],
  ]);
  assert.deepEqual([215, 224, 225, 235, 245, 254, 255].map(colour), [
    [238, 0, 0],
    [17, 0, 0],
    [0, 238, 0],
    [0, 0, 238],
    [238, 238, 238],
    [17, 17, 17],
    [0, 0, 0],
  ]);
  const nibbles = Array.from({ length: 128 }, (_, at) => (at % 2 === 0 ? 0x03 : 0x9f));
  const four = [...read(icon(element('ics4', nibbles))).data].slice(0, 12);
  assert.deepEqual(four, [255, 255, 255, 0xdd, 0x08, 0x06, 0x00, 0x64, 0x11, 0, 0, 0]);
  const mask = noise(2304, 2);
  const masked = read(icon(element('ich#', bits(mask), bits(mask)), element('ich8', noise(2304, 256))));
  assert.deepEqual(
    [...masked.data].filter((_, at) => at % 4 === 3),
    mask.map((bit) => bit * 255),
  );
});

const png = (side: number, channels: 3 | 4 = 4) =>
  sharp({ create: { width: side, height: side, channels, background: '#33669980' } })
    .png()
    .toBuffer();

/** Writes the header of a JPEG 2000 file. The reader looks at nothing else. */
function jp2(width: number, height: number, components: number): Buffer {
  const box = (type: string, ...parts: Uint8Array[]) => {
    const header = Buffer.alloc(8);
    header.writeUInt32BE(8 + parts.reduce((sum, part) => sum + part.length, 0));
    header.write(type, 4, 'latin1');
    return Buffer.concat([header, ...parts]);
  };
  const size = Buffer.alloc(14);
  size.writeUInt32BE(height, 0);
  size.writeUInt32BE(width, 4);
  size.writeUInt16BE(components, 8);
  return Buffer.concat([
    box('jP  ', Buffer.from('\r\n\x87\n', 'latin1')),
    box('ftyp', Buffer.from('jp2 \0\0\0\0jp2 ')),
    box('jp2h', box('ihdr', size)),
  ]);
}

function codestream(width: number, height: number, components: number): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.writeUInt32BE(0xff4fff51, 0);
  for (const [i, value] of [width + 3, height + 5, 3, 5].entries()) bytes.writeUInt32BE(value, 8 + i * 4);
  bytes.writeUInt16BE(components, 40);
  return bytes;
}

test('returns embedded PNG and JPEG 2000 with their own size, under any type', async () => {
  const palette = await sharp(await png(64))
    .png({ palette: true })
    .toBuffer();
  const images = [
    ['ic07', 'png', await png(128), 128, 128, true],
    ['ic12', 'png', palette, 64, 64, true],
    ['ic08', 'png', await png(100, 3), 100, 100, false],
    ['il32', 'png', await png(32), 32, 32, true],
    ['ic09', 'jp2', jp2(512, 256, 4), 512, 256, true],
    ['ic10', 'jp2', jp2(64, 64, 3), 64, 64, false],
    ['icp6', 'jp2', codestream(60, 61, 2), 60, 61, true],
  ] as const;
  for (const [type, format, bytes, width, height, hasAlpha] of images) {
    const file = icon(element(type, bytes));
    assert.deepEqual(probe(file), { width, height, pages: 1, depth: 8, hasAlpha }, type);
    const content = decode(file.subarray(0));
    assert.ok('embedded' in content);
    assert.equal(content.embedded.format, format);
    assert.deepEqual(Buffer.from(content.embedded.bytes), Buffer.from(bytes));
  }
});

test('takes the largest image as page 1, and of those the deepest', async () => {
  const file = icon(
    element('TOC ', noise(16, 256)),
    element('ICN#', bits(noise(2048, 2))),
    element('il32', runs(1024, 3).flatMap(packRuns)),
    element('icl8', noise(1024, 256)),
    element('l8mk', noise(1024, 256)),
    element('icp5', await png(32)),
    element('ic07', await png(128)),
    element('is32', runs(256, 3).flatMap(packRuns)),
    element('name', Buffer.from('icon')),
    element('info', noise(40, 256)),
  );
  const sizes = [1, 2, 3, 4, 5, 6].map((page) => probe(file, page).width);
  assert.deepEqual(sizes, [128, 32, 32, 32, 32, 16]);
  assert.equal(probe(file).pages, 6);
  assert.deepEqual(
    [1, 2, 3].map((page) => 'embedded' in decode(file, page)),
    [true, true, false],
  );
  assert.throws(() => probe(file, 7), {
    code: 'page_out_of_range',
    message: 'Expected a page from 1 to 6 for page but received 7.',
  });
  assert.throws(() => decode(file, 7), { code: 'page_out_of_range' });
});

test('keeps the rows of an icon that ends early', () => {
  const planes = runs(1024, 3);
  const file = icon(element('il32', planes.flatMap(packRuns)));
  const { data, truncated } = read(file.subarray(0, file.length - 200));
  assert.equal(truncated, true);
  assert.equal(data[0], planes[0]![0]);
});

test('rejects an icon without images as corrupt', () => {
  for (const file of [
    icon(),
    icon(element('name', Buffer.from('icon'))),
    icon(element('ic04', noise(50, 256))),
    icon(element('is32')),
    icon(element('ic07', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))),
    Buffer.from('icns'),
    new Uint8Array(),
  ]) {
    assert.throws(() => probe(file), { code: 'corrupt_image' });
    assert.throws(() => decode(file), { code: 'corrupt_image' });
  }
});

test('throws nothing but a Failure on damaged files', async () => {
  const file = icon(
    element('ics#', bits(noise(512, 2))),
    element('is32', runs(256, 3).flatMap(packRuns)),
    element('s8mk', noise(256, 256)),
    element('ic04', Buffer.from('ARGB'), runs(256, 4).flatMap(packRuns)),
    element('ic07', await png(20)),
    element('ic08', jp2(20, 20, 4)),
  );
  let decoded = 0;
  for (const [index, bytes] of [...damaged(file, 1000, 4)].entries()) {
    try {
      const request = { page: 1 + (index % 5), extension: 'icns', maxPixels: 100_000, scale: 1 };
      icnsReader.probe(bytes, request, context);
      icnsReader.decode(bytes, request, context);
      decoded++;
    } catch (error) {
      assert.ok(error instanceof Failure, String((error as Error).stack));
    }
  }
  assert.ok(decoded > 300 * TRIED_PART, `${decoded} were read`);
});
