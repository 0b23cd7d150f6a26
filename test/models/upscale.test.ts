/** Input and output of the upscaler, with the network of the package. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type LoadedModel, Models } from '../../models/runtime.ts';
import { type Samples, type Tiling, upscale } from '../../models/upscale.ts';
import { MODELS_FOLDER } from '../support/models.ts';
import { nightlyOnly } from '../support/nightly.ts';
import { scene } from '../support/scenes.ts';

const models = new Models({ folder: `${MODELS_FOLDER}/none`, threads: 1 });
const network = () => models.open('upscale');

/** A tile larger than any image here. */
const SINGLE_TILE: Tiling = { side: 4096, overlap: 9, multiple: 1 };

function photo(width: number, height: number): Samples {
  return { ...scene('photo', width, height), channels: 3 };
}

function filled(width: number, height: number, colour: readonly number[]): Samples {
  const data = new Uint8Array(width * height * colour.length).map((_, at) => colour[at % colour.length] as number);
  return { data, width, height, channels: colour.length as 1 | 3 };
}

function largestDifference(one: Uint8Array, other: Uint8Array): number {
  assert.equal(one.length, other.length);
  return one.reduce((largest, value, at) => Math.max(largest, Math.abs(value - (other[at] as number))), 0);
}

/** Checks that no sample differs by more than one level. */
function assertEqual(one: Uint8Array, other: Uint8Array): void {
  const largest = largestDifference(one, other);
  assert.ok(largest <= 1, `largest difference ${largest}`);
}

/** Opens the network and records the width and height of each of its inputs. */
async function openWithRecordedInputs(): Promise<{ model: LoadedModel; seen: [number, number][] }> {
  const model = await network();
  const seen: [number, number][] = [];
  const run: LoadedModel['run'] = (input) => {
    const [, , height, width] = input.shape as [number, number, number, number];
    seen.push([width, height]);
    return model.run(input);
  };
  return { model: { ...model, run }, seen };
}

describe('an image in tiles', () => {
  it('gives the same result as in one piece', { skip: nightlyOnly }, async () => {
    const model = await network();
    const image = photo(201, 97);
    const whole = await upscale(model, image, SINGLE_TILE);
    assertEqual(await upscale(model, image, { side: 48, overlap: 9, multiple: 1 }), whole);
    assertEqual(await upscale(model, image, { side: 72, overlap: 16, multiple: 8 }), whole);
    const narrow = largestDifference(await upscale(model, image, { side: 48, overlap: 1, multiple: 1 }), whole);
    assert.ok(narrow > 3, `with less overlap the largest difference is ${narrow}`);
  });

  it('gives the same result as in one piece with the default tiles', async () => {
    const { model, seen } = await openWithRecordedInputs();
    const image = photo(1250, 40);
    const tiled = await upscale(model, image);
    assert.equal(seen.length, 3);
    assertEqual(tiled, await upscale(model, image, SINGLE_TILE));
  });

  it('is passed to the network in tiles of one size, no longer than allowed', async () => {
    for (const [width, height, tiling] of [
      [201, 97, { side: 48, overlap: 8, multiple: 1 }],
      [201, 97, { side: 48, overlap: 8, multiple: 8 }],
      [3, 130, { side: 64, overlap: 16, multiple: 8 }],
    ] as const) {
      const { model, seen } = await openWithRecordedInputs();
      await upscale(model, photo(width, height), tiling);
      assert.equal(new Set(seen.map(String)).size, 1);
      const [sides] = seen as [[number, number]];
      assert.ok(
        sides.every((side) => side <= tiling.side && side % tiling.multiple === 0),
        String(sides),
      );
    }
  });
});

describe('an upscaled image', () => {
  it('has doubled sides, whatever they are', async () => {
    const model = await network();
    for (const [width, height] of [
      [1, 1],
      [1, 2],
      [7, 1],
      [1, 500],
      [391, 1],
      [33, 17],
    ] as const) {
      const result = await upscale(model, photo(width, height));
      assert.equal(result.length, width * height * 12, `${width} x ${height}`);
    }
  });

  it('has the colours of the source in flat areas, up to the edges', async () => {
    const { model, seen } = await openWithRecordedInputs();
    for (const colour of [[0], [200], [255], [0, 255, 255], [255, 0, 255], [30, 60, 200], [255, 255, 255]]) {
      for (const [width, height] of [
        [1, 1],
        [2, 9],
        [20, 20],
      ] as const) {
        const result = await upscale(model, filled(width, height, colour));
        assert.ok(
          result.every((value, at) => value === colour[at % colour.length]),
          `${colour} at ${width} x ${height}`,
        );
      }
    }
    assert.deepEqual(seen, [], 'flat tiles need no network');
  });

  it('keeps flat colours at the edges beside other content', async () => {
    const model = await network();
    for (const colour of [
      [0, 255, 255],
      [255, 0, 255],
    ]) {
      const image = filled(40, 40, colour);
      // A black dot in the middle, farther from the edges than the receptive field of the network.
      image.data.fill(0, (20 * 40 + 20) * 3, (20 * 40 + 21) * 3);
      const result = await upscale(model, image);
      for (let pixel = 0; pixel < 80; pixel += 1)
        for (const place of [pixel, pixel * 80, pixel * 80 + 79, 79 * 80 + pixel])
          for (const [channel, value] of colour.entries())
            assert.ok(Math.abs((result[place * 3 + channel] as number) - value) <= 1, `${colour} at ${place}`);
    }
  });

  it('is computed at the edges as if the image were mirrored', async () => {
    const model = await network();
    const image: Samples = { ...scene('grain', 30, 21), channels: 3 };
    const border = 12;
    const [width, height] = [image.width + 2 * border, image.height + 2 * border];
    const turned = (at: number, length: number) => (at < 0 ? -1 - at : at < length ? at : 2 * length - 1 - at);
    const data = new Uint8Array(width * height * 3);
    for (let y = 0; y < height; y += 1)
      for (let x = 0; x < width; x += 1) {
        const from = turned(y - border, image.height) * image.width + turned(x - border, image.width);
        data.set(image.data.subarray(from * 3, from * 3 + 3), (y * width + x) * 3);
      }
    const extended = await upscale(model, { data, width, height, channels: 3 }, SINGLE_TILE);
    const cut = Uint8Array.from({ length: image.data.length * 4 }, (_, at) => {
      const row = Math.floor(at / (image.width * 6));
      return extended[(row + 2 * border) * width * 6 + border * 6 + (at % (image.width * 6))] as number;
    });
    assertEqual(await upscale(model, image), cut);
  });

  it('of a grey source is the luma of the upscaled colour image', async () => {
    const model = await network();
    const { data, width, height } = photo(50, 40);
    const grey = data.filter((_, at) => at % 3 === 1);
    const result = await upscale(model, { data: grey, width, height, channels: 1 });
    const colour = Uint8Array.from({ length: grey.length * 3 }, (_, at) => grey[Math.floor(at / 3)] as number);
    const inColour = await upscale(model, { data: colour, width, height, channels: 3 });
    const luma = result.map((_, at) => {
      const [red, green, blue] = inColour.subarray(at * 3, at * 3 + 3) as unknown as [number, number, number];
      return Math.round(0.299 * red + 0.587 * green + 0.114 * blue);
    });
    assertEqual(result, luma);
  });

  it('is not shifted', async () => {
    const model = await network();
    const { data, width, height } = photo(64, 48);
    const result = await upscale(model, { data, width, height, channels: 3 });
    let sum = 0;
    for (let y = 0; y < height; y += 1)
      for (let x = 0; x < width; x += 1)
        for (let channel = 0; channel < 3; channel += 1) {
          const at = (row: number, column: number) =>
            result[((2 * y + row) * 2 * width + 2 * x + column) * 3 + channel] as number;
          const mean = (at(0, 0) + at(0, 1) + at(1, 0) + at(1, 1)) / 4;
          sum += Math.abs(mean - (data[(y * width + x) * 3 + channel] as number));
        }
    assert.ok(sum / data.length < 1.5, `mean difference ${sum / data.length}`);
  });
});
