import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readChunk, readForm } from '../../../../codecs/formats/djvu/chunks.ts';
import { decodeIw44, readIw44Header } from '../../../../codecs/formats/djvu/iw44.ts';
import { Kernels } from '../../../../codecs/kernels/kernels.ts';
import { compileModule } from '../../../../codecs/modules.ts';
import { COLOUR_PHOTO, colourAt, GREY_PHOTO, greyAt, HALF_COLOUR_PHOTO, PHOTO_SIZE } from './photos.ts';

const kernels = new Kernels(await compileModule('kernels'));

function chunksOf(file: Uint8Array): Uint8Array[] {
  const { chunks } = readForm(readChunk(file, 4)!)!;
  return chunks.filter(({ id }) => id === 'BG44').map(({ data }) => data);
}

function decode(chunks: readonly Uint8Array[]) {
  return decodeIw44(kernels, readIw44Header(chunks[0]!)!, chunks);
}

/** Returns the mean and the largest difference from an image. */
function compare({ data, width, channels }: ReturnType<typeof decode>, at: (x: number, y: number) => number[]) {
  let [sum, most] = [0, 0];
  for (let pixel = 0; pixel < data.length / channels; pixel++) {
    for (const [channel, sample] of at(pixel % width, Math.floor(pixel / width)).entries()) {
      const difference = Math.abs(data[pixel * channels + channel]! - sample);
      sum += difference;
      most = Math.max(most, difference);
    }
  }
  return { mean: sum / data.length, most };
}

describe('IW44', () => {
  it('decodes a grey image of three chunks to the exact encoded samples', () => {
    const image = decode(chunksOf(GREY_PHOTO));
    assert.deepEqual([image.width, image.height, image.channels], [45, 37, 1]);
    assert.deepEqual(
      compare(image, (x, y) => [greyAt(x, y)]),
      { mean: 0, most: 0 },
    );
    assert.equal(image.truncated, false);
  });

  it('gets closer to the original with each chunk', () => {
    const chunks = chunksOf(GREY_PHOTO);
    const means = [1, 2, 3].map((count) => compare(decode(chunks.slice(0, count)), (x, y) => [greyAt(x, y)]).mean);
    assert.ok(means[0]! > means[1]! && means[1]! > means[2]! && means[0]! < 16, String(means));
  });

  it('decodes colour at full and half size', () => {
    const full = decode(chunksOf(COLOUR_PHOTO));
    assert.deepEqual([full.width, full.height, full.channels], [PHOTO_SIZE.width, PHOTO_SIZE.height, 3]);
    const { mean, most } = compare(full, colourAt);
    assert.ok(mean < 0.6 && most <= 4, `${mean} ${most}`);

    const half = compare(decode(chunksOf(HALF_COLOUR_PHOTO)), colourAt);
    assert.ok(half.mean < 4.5 && half.most <= 19, `${half.mean} ${half.most}`);
  });

  it('returns a part of the image when data end early', () => {
    const [first] = chunksOf(COLOUR_PHOTO);
    const means = [30, 60, 90].map((bytes) => compare(decode([first!.subarray(0, bytes)]), colourAt).mean);
    assert.ok(means[0]! < 40 && means[1]! < 16 && means[2]! < 8, String(means));
  });

  it('stops at a missing chunk', () => {
    const [first, , third] = chunksOf(GREY_PHOTO);
    const image = decode([first!, third!]);
    assert.equal(image.truncated, true);
    assert.deepEqual(image.data, decode([first!]).data);
  });

  it('rejects a header of another version, of a later chunk or without a size', () => {
    const header = chunksOf(GREY_PHOTO)[0]!.subarray(0, 9);
    assert.ok(readIw44Header(header));
    const changes = [
      [0, 1],
      [2, 0x82],
      [5, 0],
      [7, 0],
    ] as const;
    for (const [at, value] of changes) {
      const changed = Uint8Array.from(header);
      changed[at] = value;
      assert.equal(readIw44Header(changed), undefined, `byte ${at}`);
    }
    assert.equal(readIw44Header(header.subarray(0, 7)), undefined);
  });
});
