import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Failure } from '../../../base/failure.ts';
import type { Bitmap } from '../../../codecs/bitmap.ts';
import type { MagickInput } from '../../../codecs/formats/registry.ts';
import { CODERS } from '../../../codecs/magick/coders.ts';
import { startMagick } from '../../../codecs/magick/engine.ts';
import { magickReader } from '../../../codecs/magick/read.ts';
import { wasmMemoryBytes } from '../../../codecs/memory.ts';
import { failureOf } from '../../support/failure.ts';
import { type WriteJob, writeWithMagick } from '../../support/magick-writer.ts';
import { decodeWith, probeWith, readBitmap, readDamaged, toRgba } from '../../support/readers.ts';
import { makeSamples } from '../../support/samples.ts';

const [WIDTH, HEIGHT] = [48, 32];

/** Draws an image that every codec keeps well: gradients with a different colour in each corner. */
function gradientImage<C extends 3 | 4>(channels: C) {
  const { data } = makeSamples('flat', WIDTH, HEIGHT, channels);
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      data.set([x * 5, y * 7, 255 - x * 4, 255 - y * 6].slice(0, channels), (y * WIDTH + x) * channels);
    }
  }
  return { data, width: WIDTH, height: HEIGHT, channels };
}

interface Case {
  id: MagickInput;
  format: string;
  channels: 3 | 4;
  /** Mean sample difference that the format's own compression explains. */
  loss: number;
  file?: Uint8Array;
}

const CASES: Case[] = [
  { id: 'aai', format: 'AAI', channels: 3, loss: 0 },
  { id: 'avs', format: 'AVS', channels: 4, loss: 0 },
  { id: 'miff', format: 'MIFF', channels: 3, loss: 0 },
  { id: 'miff', format: 'MIFF', channels: 4, loss: 0 },
  { id: 'mtv', format: 'MTV', channels: 3, loss: 0 },
  { id: 'viff', format: 'VIFF', channels: 4, loss: 0 },
  { id: 'psd', format: 'PSD', channels: 3, loss: 0 },
  { id: 'dpx', format: 'DPX', channels: 3, loss: 1 },
  { id: 'dpx', format: 'DPX', channels: 4, loss: 1 },
  { id: 'dds', format: 'DDS', channels: 4, loss: 6 },
  { id: 'jp2', format: 'JP2', channels: 3, loss: 2 },
  { id: 'jp2', format: 'J2K', channels: 3, loss: 2 },
  { id: 'jng', format: 'JNG', channels: 3, loss: 8 },
  { id: 'jng', format: 'JNG', channels: 4, loss: 8 },
  { id: 'mng', format: 'MNG', channels: 4, loss: 0 },
  { id: 'tiff', format: 'TIFF', channels: 3, loss: 0 },
];

/** Multiplies by alpha, because some formats drop the colour of transparent pixels. */
function premultiplied(bitmap: Bitmap): Uint8Array {
  const rgba = toRgba(bitmap);
  for (let at = 0; at < rgba.length; at += 4) {
    for (let channel = 0; channel < 3; channel++) rgba[at + channel]! *= rgba[at + 3]! / 255;
  }
  return rgba;
}

const frame = (level: number) => ({ ...makeSamples('flat', 8, 6, 3), data: new Uint8Array(8 * 6 * 3).fill(level) });

let written: Uint8Array[] = [];
let frames: Uint8Array;
let animation: Uint8Array;

before(async () => {
  const jobs: WriteJob[] = CASES.map(({ format, channels }) => ({ format, frames: [gradientImage(channels)] }));
  const several = [frame(10), frame(90), frame(200)];
  const files = await writeWithMagick([
    ...jobs,
    { format: 'MIFF', frames: several },
    { format: 'MNG', frames: several },
  ]);
  written = files.slice(0, CASES.length);
  [frames, animation] = files.slice(CASES.length) as [Uint8Array, Uint8Array];
});

test('reads the size, transparency and colours of every format that ImageMagick writes', async () => {
  for (const [index, { id, format, channels, loss }] of CASES.entries()) {
    const bitmap = await readBitmap(magickReader(id), written[index]!);
    assert.deepEqual([bitmap.width, bitmap.height], [WIDTH, HEIGHT], format);
    const [seen, made] = [premultiplied(bitmap), premultiplied(gradientImage(channels))];
    let sum = 0;
    for (const [at, value] of made.entries()) sum += Math.abs(value - seen[at]!);
    assert.ok(sum / made.length <= loss, `${format} ${channels}: ${sum / made.length}`);
    assert.equal(bitmap.channels % 2 === 0, channels === 4, format);
  }
});

test('reads the images of a file as pages, and none after the last', async () => {
  for (const [id, file] of [
    ['miff', frames],
    ['mng', animation],
  ] as const) {
    const reader = magickReader(id);
    assert.equal((await probeWith(reader, file)).pages, 3);
    for (const [page, level] of [
      [1, 10],
      [2, 90],
      [3, 200],
    ] as const) {
      assert.equal((await readBitmap(reader, file, { page })).data[0], level, `${id} ${page}`);
    }
    const failure = await failureOf('page_out_of_range', () => probeWith(reader, file, { page: 4 }));
    assert.match(failure.message, /1 to 3/);
    await failureOf('page_out_of_range', () => decodeWith(reader, file, { page: 4 }));
  }
});

test('rejects an image of more pixels than allowed before it is decoded', async () => {
  await failureOf('image_too_large', () => decodeWith(magickReader('miff'), frames, { maxPixels: 47 }));
});

test('rejects headers that declare too many pixels to process', async () => {
  const header =
    'id=ImageMagick  version=1.0\nclass=DirectClass  matte=False\ncolumns=60000  rows=60000  depth=8\n\f\n:\x1a';
  const file = Buffer.from(header, 'latin1');
  await failureOf('image_too_large', () => decodeWith(magickReader('miff'), file, { maxPixels: 2 ** 40 }));
});

/** Scripts and addresses that ImageMagick would follow if it guessed the format. */
const HOSTILE = [
  'push graphic-context\nviewbox 0 0 9 9\nimage over 0,0 0,0 "/xml/policy.xml"\npop graphic-context\n',
  '<?xml version="1.0"?><image><read filename="/xml/policy.xml"/></image>',
  '@/xml/policy.xml',
  'text:/xml/policy.xml',
  'http://127.0.0.1/a.png',
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="/xml/policy.xml"/></svg>',
].map((text) => Buffer.from(text));

test('runs no coder but its own, whatever the bytes are', async () => {
  for (const id of Object.keys(CODERS) as MagickInput[]) {
    for (const bytes of HOSTILE) await failureOf('corrupt_image', () => decodeWith(magickReader(id), bytes));
  }
});

test('switches off the coders that read other files, addresses and programs', async () => {
  const magick = await startMagick();
  const refused = (work: () => unknown) =>
    assert.throws(work, (error) => error instanceof magick.MagickError && /NotAuthorized/.test(error.message));
  for (const format of ['MVG', 'MSL', 'TXT', 'SVG', 'HTTP', 'FILE', 'INLINE', 'XC', 'CAPTION', 'LABEL'] as const) {
    refused(() =>
      magick.ImageMagick.read(HOSTILE[0]!, new magick.MagickReadSettings({ format: format as never }), () => {}),
    );
  }
  refused(() => magick.ImageMagick.read('text:/xml/policy.xml', () => {}));
  refused(() => magick.ImageMagick.read('mvg:/xml/policy.xml', () => {}));
});

test('counts the memory of ImageMagick as part of its worker', async () => {
  await startMagick();
  assert.ok(wasmMemoryBytes() > 16_000_000);
});

test('returns a failure or an image of the declared size for damaged files', async () => {
  const byFormat = new Map<MagickInput, Uint8Array[]>();
  for (const [index, { id }] of CASES.entries()) byFormat.set(id, [...(byFormat.get(id) ?? []), written[index]!]);
  for (const [id, seeds] of byFormat) await readDamaged(magickReader(id), seeds, 12);
});

/** Writes a Photoshop document without palette, resources and layers. Its merged image is run-length coded. */
function photoshop(version: 1 | 2, side: number, merged: number): Buffer {
  const file = Buffer.alloc(26 + 8 + (version === 1 ? 4 : 8) + 2 + merged);
  file.write('8BPS', 'latin1');
  for (const [at, value] of [4, 12, 22, 24].map((at, index) => [at, [version, 3, 8, 3][index]!] as const))
    file.writeUInt16BE(value, at);
  file.writeUInt32BE(side, 14);
  file.writeUInt32BE(side, 18);
  file.writeUInt16BE(1, file.length - merged - 2);
  return file;
}

test('rejects a Photoshop document with missing row lengths, and one that declares too many pixels', async () => {
  const psd = magickReader('psd');
  for (const [version, bytesPerRow] of [[1, 2] as const, [2, 4] as const]) {
    const lengths = 100 * 3 * bytesPerRow;
    const failure = await failureOf('corrupt_image', () => probeWith(psd, photoshop(version, 100, lengths - 1)));
    assert.match(String(failure.cause), /bytes of the merged image/);
    assert.equal((await probeWith(psd, photoshop(version, 100, lengths))).width, 100);
    const claims = photoshop(version, 30_000, 30_000 * 3 * bytesPerRow);
    assert.match((await failureOf('image_too_large', () => probeWith(psd, claims))).message, /900000000 pixels/);
  }
});

test('rejects a JPEG 2000 file whose tiles take too much memory', async () => {
  const codestream = (side: number) => {
    const header = Buffer.from(
      'ff4fff51002900000000000000000000000000000000000000000000000000000000000000000001070101',
      'hex',
    );
    for (const at of [8, 12]) header.writeUInt32BE(side, at);
    for (const at of [24, 28]) header.writeUInt32BE(10, at);
    return header;
  };
  const { message } = await failureOf('image_too_large', () => probeWith(magickReader('jp2'), codestream(910)));
  assert.match(message, /at most 8192 tiles .* received 8281 tiles/);
  // The header is accepted, but no image data follow it.
  await failureOf('corrupt_image', () => probeWith(magickReader('jp2'), codestream(900)));
});

test('reports an error as a Failure with its cause', async () => {
  const failure = await failureOf('corrupt_image', () => probeWith(magickReader('psd'), Buffer.from('8BPS')));
  assert.ok(failure instanceof Failure && failure.cause instanceof Error);
});
