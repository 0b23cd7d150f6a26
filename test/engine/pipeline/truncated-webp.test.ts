/** WebP files that end early: the rows that are there are kept, and nothing is invented for the others. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WebpOptions } from 'sharp';
import { chunksOf, write } from '../../../codecs/metadata/webp.ts';
import { failureOf } from '../../support/failure.ts';
import { decode, grainyPattern, type RawImage, sharpOf } from '../../support/test-images.ts';
import { pipeline, type RawStep } from './support.ts';

const SIZE = 160;
const TO_PNG: RawStep[] = [{ op: 'convert', params: { format: 'png', mode: 'lossless' } }];
const GREY = [128, 128, 128];

const webp = (image: RawImage, options: WebpOptions): Promise<Buffer> => sharpOf(image).webp(options).toBuffer();

/** An image with a transparent corner. */
function withTransparency(): RawImage {
  const { data } = grainyPattern(SIZE, SIZE);
  const pixels = Buffer.alloc(SIZE * SIZE * 4);
  for (let at = 0; at < SIZE * SIZE; at++) {
    data.copy(pixels, at * 4, at * 3, at * 3 + 3);
    pixels[at * 4 + 3] = at % SIZE < 20 ? 0 : 255;
  }
  return { data: pixels, width: SIZE, height: SIZE, channels: 4 };
}

const rowOf = ({ data, width, channels }: RawImage, y: number): Buffer =>
  Buffer.from(data.buffer, data.byteOffset + y * width * channels, width * channels);

/** Rows after those that are kept, which smoothing mixes with missing ones. */
const MAX_MIXED_ROWS = 2;

/** Returns how many rows from the top are those of the complete file, and checks that the others are empty. */
async function keptRows(source: Buffer, share: number, empty: readonly number[]): Promise<number> {
  const ran = await pipeline(source.subarray(0, source.length * share), TO_PNG);
  assert.deepEqual(ran.warnings, ['truncated_source']);
  assert.deepEqual([ran.width, ran.height], [SIZE, SIZE]);
  const result = await decode(ran.bytes);
  const complete = await decode((await pipeline(source, TO_PNG)).bytes);
  assert.equal(result.channels, empty.length);
  const rows = Array.from({ length: SIZE }, (_, y) => y);
  const kept = rows.findIndex((y) => !rowOf(result, y).equals(rowOf(complete, y)));
  const blank = Buffer.from(Array.from({ length: SIZE }, () => empty).flat());
  const shown = rows.findLastIndex((y) => !rowOf(result, y).equals(blank)) + 1;
  assert.ok(shown <= kept + MAX_MIXED_ROWS, `${shown} rows are shown, ${kept} are those of the file`);
  return kept;
}

describe('a WebP that ends early', () => {
  it('keeps the rows of a lossy image', async () => {
    const source = await webp(grainyPattern(SIZE, SIZE), { quality: 80 });
    const kept = await keptRows(source, 0.5, GREY);
    // The modes of all rows are stored before the first row.
    assert.ok(kept > SIZE * 0.2 && kept < SIZE * 0.5, `${kept} rows`);
    assert.ok((await keptRows(source, 0.9, GREY)) > SIZE * 0.7);
  });

  it('keeps the rows of a lossless image', async () => {
    const source = await webp(grainyPattern(SIZE, SIZE), { lossless: true });
    const kept = await keptRows(source, 0.5, GREY);
    assert.ok(kept > SIZE * 0.3 && kept < SIZE * 0.6, `${kept} rows`);
  });

  it('leaves missing rows transparent where the image has transparency', async () => {
    const source = await webp(withTransparency(), { quality: 80 });
    const kept = await keptRows(source, 0.6, [0, 0, 0, 0]);
    assert.ok(kept > 16 && kept < SIZE * 0.7, `${kept} rows`);
  });

  it('keeps all pixels if only metadata are cut', async () => {
    const plain = await webp(grainyPattern(SIZE, SIZE), { quality: 80 });
    const source = write(plain, { xmp: Buffer.alloc(2000, ' ') });
    const ran = await pipeline(source.subarray(0, source.length - 1000), TO_PNG);
    assert.deepEqual(ran.warnings, ['truncated_source']);
    assert.deepEqual(await decode(ran.bytes), await decode((await pipeline(plain, TO_PNG)).bytes));
  });

  it('is scaled like any other', async () => {
    const source = await webp(grainyPattern(SIZE, SIZE), { quality: 80 });
    const half: RawStep = { op: 'resize', params: { percent: 50 } };
    const ran = await pipeline(source.subarray(0, source.length / 2), [half, ...TO_PNG]);
    const result = await decode(ran.bytes);
    assert.deepEqual([...rowOf(result, SIZE / 2 - 1).subarray(0, 3)], GREY);
    assert.notDeepEqual([...rowOf(result, 0).subarray(0, 3)], GREY);
  });

  it('is refused if it ends before its pixels', async () => {
    const source = await webp(withTransparency(), { quality: 80 });
    const alpha = [...chunksOf(source)].find(({ name }) => name === 'ALPH')!.data;
    const end = alpha.byteOffset - source.byteOffset + alpha.length / 2;
    await failureOf('corrupt_image', () => pipeline(source.subarray(0, end), TO_PNG));
  });
});
