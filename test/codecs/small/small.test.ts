import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { reader as calsReader } from '../../../codecs/formats/cals/read.ts';
import { loadCodec } from '../../../codecs/formats/codecs.ts';
import { reader as sfwReader } from '../../../codecs/formats/sfw/read.ts';
import { bufferOf } from '../../../codecs/metadata/bytes.ts';
import { failureOf } from '../../support/failure.ts';
import { decodeWith, probeWith, readBitmap, readDamaged } from '../../support/readers.ts';

const artReader = (await loadCodec('art')).reader!;
const palmReader = (await loadCodec('palm')).reader!;
const rgfReader = (await loadCodec('rgf')).reader!;
const sixelReader = (await loadCodec('sixel')).reader!;

const ascii = (value: string) => Buffer.from(value, 'latin1');

test('1st Publisher: reads the highest bit first, and rows of an even length', async () => {
  const file = Buffer.from([0, 0, 9, 0, 0, 0, 2, 0, 0b10000001, 0b10000000, 0b01111110, 0]);
  const { data } = await readBitmap(artReader, file);
  assert.deepEqual([...data.slice(0, 9)], [255, 0, 0, 0, 0, 0, 0, 255, 255]);
  assert.deepEqual([...data.slice(9)], [0, 255, 255, 255, 255, 255, 255, 0, 0]);
  const cut = await readBitmap(artReader, file.subarray(0, 10));
  assert.deepEqual([cut.truncated, cut.data[10]], [true, 0]);
});

test('EV3: reads the lowest bit first, and 1 as black', async () => {
  const file = Buffer.from([9, 1, 0b00000101, 1]);
  assert.deepEqual([...(await readBitmap(rgfReader, file)).data], [0, 255, 0, 255, 255, 255, 255, 255, 0]);
  await failureOf('corrupt_image', () => readBitmap(rgfReader, file.subarray(0, 2)));
});

/** In sixels, `~` is a column of six pixels and `@` the topmost of them. */
test('sixel: reads colours, repeats, returns and new lines', async () => {
  const file = ascii('\x1bPq"1;1;4;7#1;2;100;0;0#2;2;0;100;0#1!3~$#2!3?~-#2!4@\x1b\\');
  const bitmap = await readBitmap(sixelReader, file);
  assert.deepEqual([bitmap.width, bitmap.height, bitmap.channels, bitmap.truncated], [4, 7, 3, false]);
  assert.deepEqual([...bitmap.data.slice(0, 12)], [255, 0, 0, 255, 0, 0, 255, 0, 0, 0, 255, 0]);
  assert.deepEqual([...bitmap.data.slice(6 * 12, 6 * 12 + 3)], [0, 255, 0]);
});

test('sixel: uses the painted area as the size if none is declared', async () => {
  const { width, height } = await probeWith(sixelReader, ascii('\x90q#1!5B-?A\x9c'));
  assert.deepEqual([width, height], [5, 8]);
});

test('sixel: makes unpainted pixels transparent if the background is', async () => {
  const bitmap = await readBitmap(sixelReader, ascii('\x1bP0;1q#1;2;0;0;100@?@\x1b\\'));
  assert.deepEqual([...bitmap.data], [0, 0, 255, 255, 0, 0, 0, 0, 0, 0, 255, 255]);
});

test('sixel: measures hue from blue', async () => {
  for (const [hue, colour] of [
    [0, [0, 0, 255]],
    [120, [255, 0, 0]],
    [240, [0, 255, 0]],
  ] as const) {
    const { data } = await readBitmap(sixelReader, ascii(`\x1bPq#5;1;${hue};50;100@\x1b\\`));
    assert.deepEqual([...data], colour);
  }
});

test('CALS: converts a group 4 page to a TIFF with its size and orientation', async () => {
  // 8 x 2 white pixels: two vertical codes of distance 0 and the end-of-block code (ITU-T T.6).
  const strip = Buffer.from([0b11000000, 0b00000100, 0b00000000, 0b01000000]);
  const header = (orientation: string) =>
    ascii(
      ['srcdocid: NONE', 'rtype: 1', `rorient: ${orientation}`, 'rpelcnt: 000008,000002', 'rdensty: 0200']
        .map((record) => record.padEnd(128))
        .join('')
        .padEnd(2048),
    );
  for (const [orientation, tag, size] of [
    ['000,270', 1, [8, 2]],
    ['270,180', 6, [2, 8]],
    ['180,090', 3, [8, 2]],
  ] as const) {
    const file = Buffer.concat([header(orientation), strip]);
    const { width, height } = await probeWith(calsReader, file);
    assert.deepEqual([width, height], size);
    const content = await decodeWith(calsReader, file);
    assert.ok('embedded' in content && content.embedded.format === 'tiff');
    const { info, data } = await sharp(content.embedded.bytes)
      .toColourspace('b-w')
      .raw()
      .toBuffer({ resolveWithObject: true });
    const metadata = await sharp(content.embedded.bytes).metadata();
    assert.deepEqual([info.width, info.height, metadata.orientation, metadata.density], [8, 2, tag, 200]);
    assert.ok(data.every((value) => value === 255));
  }
  const group3 = Buffer.concat([ascii('rtype: 2'.padEnd(128).concat('rpelcnt: 8,2').padEnd(2048)), strip]);
  await failureOf('unsupported_format', () => probeWith(calsReader, group3));
});

/** Writes a JPEG with the standard Huffman tables in the form that Seattle FilmWorks stored. */
async function sfw(width: number, height: number): Promise<Buffer> {
  const raw = { width, height, channels: 3 as const };
  const top = Buffer.alloc(width * height * 3, 20);
  top.fill(230, 0, top.length / 2);
  const jpeg = await sharp(top, { raw }).jpeg({ optimiseCoding: false, chromaSubsampling: '4:2:0' }).toBuffer();
  const parts: Buffer[] = [Buffer.from([0xff, 0xc8, 0xff, 0xd0, 0, 16]), ascii('SFW94\0\0\0\0\x01\0\x01\0\0')];
  const markers = new Map([
    [0xdb, 0xcb],
    [0xc0, 0xa0],
    [0xda, 0xca],
  ]);
  for (let at = 2; ; ) {
    const marker = jpeg[at + 1]!;
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    if (marker !== 0xc4) {
      const segment = Buffer.from(jpeg.subarray(at, end));
      segment[1] = markers.get(marker)!;
      parts.push(segment);
    }
    if (marker === 0xda)
      return Buffer.concat([
        ascii('SFW94A'),
        Buffer.alloc(50),
        ...parts,
        jpeg.subarray(end, -2),
        Buffer.from([0xff, 0xc9]),
      ]);
    at = end;
  }
}

test('Seattle FilmWorks: restores markers, tables and the order of the rows', async () => {
  const file = await sfw(32, 16);
  assert.deepEqual(await probeWith(sfwReader, file), { width: 32, height: 16, pages: 1, depth: 8, hasAlpha: false });
  const content = await decodeWith(sfwReader, file);
  assert.ok('embedded' in content);
  const { data } = await sharp(content.embedded.bytes).rotate().raw().toBuffer({ resolveWithObject: true });
  assert.ok(data[0]! < 60 && data[data.length - 1]! > 190);
});

test('Seattle FilmWorks: reads the pages of an album', async () => {
  const album = Buffer.concat([ascii('SFW95'), await sfw(32, 16), await sfw(48, 16)]);
  const { width, pages } = await probeWith(sfwReader, album, { page: 2 });
  assert.deepEqual([width, pages], [48, 2]);
  await failureOf('page_out_of_range', () => probeWith(sfwReader, album, { page: 3 }));
});

/** Writes two rows of two pixels. */
function palm(
  bits: number,
  flags: number,
  data: number[],
  { transparent = 0, compression = 255, rowBytes = 2 } = {},
): Buffer {
  return Buffer.from([0, 2, 0, 2, 0, rowBytes, flags >> 8, 0, bits, 2, 0, 0, transparent, compression, 0, 0, ...data]);
}

test('Palm: reads greys from white on, the system palette and palettes of the file', async () => {
  const greys = await readBitmap(palmReader, palm(2, 0, [0b00011000, 0, 0b11000000, 0]));
  assert.deepEqual(
    [...greys.data].filter((_, at) => at % 3 === 0),
    [255, 170, 0, 255],
  );
  const system = await readBitmap(palmReader, palm(8, 0, [0, 1, 6, 125]));
  assert.deepEqual([...system.data], [255, 255, 255, 255, 204, 255, 255, 255, 204, 255, 0, 0]);
  const own = await readBitmap(palmReader, palm(8, 0x4000, [0, 2, 0, 1, 2, 3, 1, 4, 5, 6, 0, 1, 1, 0]));
  assert.deepEqual([...own.data.slice(0, 6)], [1, 2, 3, 4, 5, 6]);
});

test('Palm: reads a transparent index, and 16 bits as five, six and five', async () => {
  const seen = await readBitmap(palmReader, palm(8, 0x2000, [7, 0, 0, 7], { transparent: 7 }));
  assert.deepEqual(
    [...seen.data].filter((_, at) => at % 4 === 3),
    [0, 255, 255, 0],
  );
  const direct = palm(16, 0x0400, [5, 6, 5, 0, 0, 0, 0, 0, 0xf8, 0, 0x07, 0xe0, 0, 0x1f, 0xff, 0xff], { rowBytes: 4 });
  assert.deepEqual([...(await readBitmap(palmReader, direct)).data], [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]);
});

test('Palm: reads lines, runs and PackBits, with and without a length field', async () => {
  const expected = await readBitmap(palmReader, palm(8, 0, [9, 9, 9, 8]));
  for (const [compression, packed] of [
    [0, [0xff, 9, 9, 0x40, 8]],
    [1, [3, 9, 1, 8]],
    [2, [0xfe, 9, 0, 8]],
  ] as const) {
    for (const size of [[], [0, packed.length], [0, packed.length + 2]]) {
      const bitmap = await readBitmap(palmReader, palm(8, 0x8000, [...size, ...packed], { compression }));
      assert.deepEqual(bitmap.data, expected.data, `${compression} ${size.length}`);
    }
  }
});

test('Palm: reads the deepest image of a family', async () => {
  const shallow = palm(1, 0, [0xff, 0, 0xff, 0]);
  shallow[11] = shallow.length / 4;
  const { data } = await readBitmap(palmReader, Buffer.concat([shallow, palm(8, 0, [125, 125, 125, 125])]));
  assert.deepEqual([...data.slice(0, 3)], [255, 0, 0]);
});

test('returns a failure or an image of the declared size for damaged files', async () => {
  await readDamaged(artReader, [Buffer.from([0, 0, 16, 0, 0, 0, 2, 0, 1, 2, 3, 4])], 100);
  await readDamaged(
    palmReader,
    [palm(8, 0x8000, [3, 9, 1, 8], { compression: 1 }), palm(8, 0x4000, [0, 1, 0, 1, 2, 3, 0, 0, 0, 0])],
    200,
  );
  await readDamaged(rgfReader, [Buffer.from([16, 2, 1, 2, 3, 4])], 100);
  await readDamaged(sixelReader, [ascii('\x1bP0;1q"1;1;4;7#1;2;100;0;0#1!3~$#2!3?~-#2!4@\x1b\\')], 300);
  await readDamaged(calsReader, [ascii('rtype: 1'.padEnd(128).concat('rpelcnt: 8,2').padEnd(2060))], 100);
  await readDamaged(sfwReader, [bufferOf(await sfw(16, 16))], 100);
});
