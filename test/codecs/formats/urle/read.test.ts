import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadCodec } from '../../../../codecs/formats/codecs.ts';
import { recognise } from '../../../../codecs/recognise.ts';
import { TRIED_PART } from '../../../support/damage.ts';
import { decodeWith, readBitmap, readDamaged } from '../../../support/readers.ts';

const reader = (await loadCodec('urle')).reader!;

const [SKIP_LINES, SET_COLOUR, SKIP_PIXELS, BYTES, RUN, END] = [1, 2, 3, 5, 6, 7];
const LONG = 0x40;

interface Recipe {
  width: number;
  height: number;
  colours?: number;
  alpha?: boolean;
  /** One level of each channel. */
  background?: number[];
  /** Levels of each channel of the map. */
  map?: number[][];
  comment?: string;
  /** From the lowest line. */
  operations: number[];
}

/** Writes a file by "Design of the Utah RLE Format". */
function urle({ width, height, colours = 3, alpha = false, background, map = [], comment, operations }: Recipe) {
  const flags = (background ? 0 : 2) | (alpha ? 4 : 0) | (comment === undefined ? 0 : 8);
  const header = Buffer.alloc(15);
  header.writeUInt16LE(0xcc52, 0);
  header.writeUInt16LE(width, 6);
  header.writeUInt16LE(height, 8);
  header.set([flags, colours, 8, map.length, map.length > 0 ? Math.log2(map[0]!.length) : 0], 10);
  const filled = background ? [...background, ...(colours % 2 ? [] : [0])] : [0];
  const text =
    comment === undefined ? [] : [comment.length, 0, ...Buffer.from(comment), ...(comment.length % 2 ? [0] : [])];
  const levels = map.flat().flatMap((level) => [0, level]);
  return Buffer.concat([header, Buffer.from([...filled, ...levels, ...text, ...operations])]);
}

test('reads runs and bytes of three channels, the lowest line first', async () => {
  const operations = [
    ...[SET_COLOUR, 0, RUN, 1, 10, 0],
    ...[SET_COLOUR, 1, BYTES, 0, 20, 0],
    ...[SET_COLOUR, 2, SKIP_PIXELS, 1, BYTES, 0, 30, 0],
    ...[SKIP_LINES, 1, SET_COLOUR, 0, BYTES, 1, 1, 2],
    ...[END, 0],
  ];
  const file = urle({ width: 2, height: 2, operations });
  assert.deepEqual(recognise(file), { format: 'urle' });
  const { data, channels, truncated } = await readBitmap(reader, file);
  assert.deepEqual([channels, truncated], [3, false]);
  assert.deepEqual([...data], [1, 0, 0, 2, 0, 0, 10, 20, 0, 10, 0, 30]);
});

test('reads operands of 16 bits, the background and comments', async () => {
  const operations = [SET_COLOUR, 0, RUN | LONG, 0, 255, 0, 7, 0, END, 0];
  const file = urle({ width: 300, height: 1, background: [1, 2, 3], comment: 'abc', operations });
  const { data } = await readBitmap(reader, file);
  assert.deepEqual([...data.subarray(255 * 3, 257 * 3)], [7, 2, 3, 1, 2, 3]);
});

test('reads alpha, grey and maps', async () => {
  const operations = [SET_COLOUR, 255, RUN, 0, 99, 0, SET_COLOUR, 0, RUN, 1, 1, 0, END, 0];
  const grey = await readBitmap(reader, urle({ width: 2, height: 1, colours: 1, alpha: true, operations }));
  assert.deepEqual([grey.channels, ...grey.data], [2, 1, 99, 1, 0]);
  const map = [
    [0, 11],
    [0, 22],
    [0, 33],
  ];
  const mapped = await readBitmap(reader, urle({ width: 2, height: 1, colours: 1, alpha: true, map, operations }));
  assert.deepEqual([mapped.channels, ...mapped.data], [4, 11, 22, 33, 99, 11, 22, 33, 0]);
});

test('keeps the lines that are there, and draws nothing outside the image', async () => {
  const line = [SET_COLOUR, 0, RUN, 200, 5, 0, BYTES, 1, 6, 6, SKIP_LINES, 1];
  const cut = await readBitmap(reader, urle({ width: 2, height: 3, colours: 1, operations: line }));
  assert.deepEqual([cut.truncated, ...cut.data], [true, 0, 0, 0, 0, 5, 5]);
  const whole = await readBitmap(reader, urle({ width: 2, height: 1, colours: 1, operations: line }));
  assert.deepEqual([whole.truncated, ...whole.data], [false, 5, 5]);
});

test('refuses what is no image, and a size over the limit', async () => {
  const rejected = (file: Uint8Array, code: string) =>
    assert.rejects(async () => await decodeWith(reader, file), { code });
  await rejected(urle({ width: 2, height: 1, operations: [] }), 'corrupt_image');
  await rejected(urle({ width: 2, height: 1, colours: 2, operations: [END, 0] }), 'corrupt_image');
  await rejected(urle({ width: 65_535, height: 65_535, operations: [END, 0] }), 'image_too_large');
  const operations = [SET_COLOUR, 0, RUN, 7, 5, 0, SKIP_LINES, 1, BYTES, 3, 1, 2, 3, 4, SKIP_LINES, 1, END, 0];
  const map = [
    [1, 2],
    [3, 4],
    [5, 6],
  ];
  const file = urle({ width: 8, height: 2, map, operations });
  assert.ok((await readDamaged(reader, [file], 1000)) > 300 * TRIED_PART);
});
