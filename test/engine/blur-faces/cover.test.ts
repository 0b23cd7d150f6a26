/** How blur-faces changes the pixels of given areas: where, how much detail remains, and at which strength. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wasmMemoryBytes } from '../../../codecs/memory.ts';
import { compileModules } from '../../../codecs/modules.ts';
import { startVips } from '../../../codecs/vips.ts';
import { cover } from '../../../engine/operations/blur-faces/cover.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { assertSameBytes as same } from '../../support/readers.ts';
import { decode, difference, flat, pattern, pixel, png, type RawImage, sharpOf } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { type BlurOptions, blurFaces } from './support.ts';

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const formatBoxes = (boxes: readonly Box[]) =>
  boxes.map((box) => [box.x, box.y, box.width, box.height].join(',')).join(';');

/** Covers the boxes of an image and decodes the lossless result. */
async function covered(image: RawImage, boxes: readonly Box[], options: BlurOptions = {}): Promise<RawImage> {
  return decode((await blurFaces(await png(image), { boxes: formatBoxes(boxes), ...options })).bytes);
}

/** Returns the distance from the centre of the smallest ellipse of the box's shape around it. 1 is on the ellipse. */
function distance({ x, y, width, height }: Box, column: number, row: number): number {
  const across = (column + 0.5 - x - width / 2) / ((width / 2) * Math.SQRT2);
  const down = (row + 0.5 - y - height / 2) / ((height / 2) * Math.SQRT2);
  return Math.sqrt(across * across + down * down);
}

/** The distance at which the soft edge ends. */
const SOFT_EDGE_END = 1.12;
/** Returns the samples of all pixels for which a rule holds. */
function samplesInside(image: RawImage, holds: (x: number, y: number) => boolean): number[] {
  const samples: number[] = [];
  for (let y = 0; y < image.height; y += 1) {
    for (let x = 0; x < image.width; x += 1) {
      if (!holds(x, y)) continue;
      const at = (y * image.width + x) * image.channels;
      for (let channel = 0; channel < image.channels; channel += 1) samples.push(image.data[at + channel]!);
    }
  }
  return samples;
}
const inside = (image: RawImage, box: Box) => samplesInside(image, (x, y) => distance(box, x, y) <= 1);
const outside = (image: RawImage, boxes: readonly Box[]) =>
  samplesInside(image, (x, y) => boxes.every((box) => distance(box, x, y) >= SOFT_EDGE_END));

/** Returns the share of the pixels inside the ellipse that differ. */
function changedShare(result: RawImage, source: RawImage, box: Box): number {
  const [before, after] = [inside(source, box), inside(result, box)];
  let changed = 0;
  for (let at = 0; at < after.length; at += 3) {
    if ([0, 1, 2].some((band) => before[at + band] !== after[at + band])) changed += 1;
  }
  return changed / (after.length / 3);
}

/** Returns the mean difference between neighbours inside the ellipse. */
function meanNeighbourDifference(image: RawImage, box: Box): number {
  let sum = 0;
  let count = 0;
  for (let y = box.y; y < box.y + box.height; y += 1) {
    for (let x = box.x; x + 1 < box.x + box.width; x += 1, count += 1) {
      sum += Math.abs((pixel(image, x, y)[0] as number) - (pixel(image, x + 1, y)[0] as number));
    }
  }
  return sum / count;
}

/** Draws stripes of two greys around 128, each `period / 2` wide. */
function stripes(width: number, height: number, period: number, phase: number, contrast: number): RawImage {
  const data = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const bright = (x + phase) % period < period / 2;
      data.fill(bright ? 128 + contrast : 128 - contrast, (y * width + x) * 3, (y * width + x) * 3 + 3);
    }
  }
  return { data, width, height, channels: 3 };
}

/** The covered area is 160 pixels wide and high: at strength 60, four blocks of 40. */
const FACE = { x: 100, y: 100, width: 100, height: 100 };
const CANVAS = [300, 300] as const;
const EFFECTS = ['blur', 'pixelate'] as const;

describe('the area that blur-faces covers', () => {
  it('is the ellipse around the box, including its corners; no pixel beyond the soft edge changes', async () => {
    verifies('blur-faces.endpoint', 'blur-faces.boxes');
    const source = pattern(...CANVAS);
    for (const effect of EFFECTS) {
      for (const box of [FACE, { x: 40, y: 150, width: 60, height: 90 }]) {
        const result = await covered(source, [box], { effect });
        same(outside(result, [box]), outside(source, [box]), effect);
        assert.ok(
          changedShare(result, source, box) > 0.95,
          `${effect}: ${changedShare(result, source, box)} of the pixels`,
        );
      }
    }
  });

  it('has a soft edge', async () => {
    const white = flat(...CANVAS, 255, 255, 255);
    const dot = { left: 130, top: 130, width: 40, height: 40 };
    const black = await sharpOf(flat(dot.width, dot.height, 0, 0, 0))
      .png()
      .toBuffer();
    const source = await decode(
      await sharpOf(white)
        .composite([{ input: black, ...dot }])
        .png()
        .toBuffer(),
    );
    const result = await covered(source, [FACE], { strength: 100 });
    // From the centre to the right: one colour, then gradually nearer to white.
    const row = Array.from({ length: 150 }, (_, x) => pixel(result, 150 + x, 150)[0] as number);
    const rim = Math.floor((FACE.width / 2) * Math.SQRT2);
    assert.equal(new Set(row.slice(0, rim)).size, 1);
    const edge = row.slice(rim, Math.ceil((FACE.width / 2) * Math.SQRT2 * SOFT_EDGE_END) + 1);
    assert.deepEqual(
      edge,
      edge.toSorted((one, other) => one - other),
    );
    assert.ok(new Set(edge).size >= 6, edge.join());
    assert.equal(row.at(-1), 255);
  });

  it('is clipped to the image, and is not counted when none of it is left', async () => {
    const source = pattern(...CANVAS);
    // Boxes, each with the part of it that is inside the image.
    const cut = [
      [
        { x: -30, y: -30, width: 60, height: 60 },
        { x: 0, y: 0, width: 30, height: 30 },
      ],
      [
        { x: 250, y: 120, width: 999_999, height: 40 },
        { x: 250, y: 120, width: 50, height: 40 },
      ],
      [
        { x: 100, y: 299, width: 50, height: 999_999 },
        { x: 100, y: 299, width: 50, height: 1 },
      ],
    ] as const;
    const away = [
      { x: 300, y: 0, width: 10, height: 10 },
      { x: 0, y: 300, width: 10, height: 10 },
      { x: -10, y: 5, width: 10, height: 10 },
      { x: 5, y: -10, width: 10, height: 10 },
      { x: 999_999, y: 999_999, width: 999_999, height: 999_999 },
    ];
    for (const effect of EFFECTS) {
      const boxes = formatBoxes([...cut.map(([given]) => given), ...away]);
      const { bytes, faces } = await blurFaces(await png(source), { boxes, effect });
      assert.equal(faces, cut.length);
      const left = cut.map(([, rest]) => rest);
      const result = await decode(bytes);
      assert.deepEqual(result.data, (await covered(source, left, { effect })).data);
      same(outside(result, left), outside(source, left));
      for (const box of left)
        assert.ok(changedShare(result, source, box) > 0.9, `${effect}: ${changedShare(result, source, box)}`);
    }
  });

  it('may overlap another: only the two areas are covered', async () => {
    const source = pattern(...CANVAS);
    const boxes = [FACE, { x: 150, y: 120, width: 90, height: 70 }];
    for (const effect of EFFECTS) {
      const result = await covered(source, boxes, { effect });
      same(outside(result, boxes), outside(source, boxes));
      for (const box of boxes) assert.ok(changedShare(result, source, box) > 0.95, effect);
      const few = await covered(stripes(...CANVAS, 4, 0, 100), boxes, { effect });
      for (const box of boxes)
        assert.ok(meanNeighbourDifference(few, box) < 8, `${effect}: ${meanNeighbourDifference(few, box)}`);
    }
  });

  it('may be one pixel, or the whole image', { skip: nightlyOnly }, async () => {
    const source = stripes(...CANVAS, 2, 0, 100);
    for (const effect of EFFECTS) {
      for (const size of [1, 2, 3, 5]) {
        const box = { x: 150, y: 150, width: size, height: size };
        const result = await covered(source, [box], { effect });
        same(outside(result, [box]), outside(source, [box]));
        assert.ok(
          meanNeighbourDifference(result, { ...box, width: Math.max(2, size) }) <
            meanNeighbourDifference(source, FACE) / 2,
          `${effect} ${size}`,
        );
      }
      const whole = { x: 0, y: 0, width: 300, height: 300 };
      assert.ok(meanNeighbourDifference(await covered(source, [whole], { effect }), whole) < 1, effect);
    }
  });

  it('is hidden equally well in each of 200 boxes', async () => {
    const source = stripes(640, 320, 2, 0, 100);
    const boxes = Array.from({ length: 200 }, (_, index) => ({
      x: (index % 20) * 32 + 8,
      y: Math.floor(index / 20) * 32 + 8,
      width: 16,
      height: 16,
    }));
    const { faces, bytes } = await blurFaces(await png(source), { boxes: formatBoxes(boxes) });
    assert.equal(faces, 200);
    const result = await decode(bytes);
    for (const box of boxes)
      assert.ok(meanNeighbourDifference(result, box) < 4, `${box.x},${box.y}: ${meanNeighbourDifference(result, box)}`);
  });
});

describe('what remains under a cover of strength 60', () => {
  it('is the means of a few blocks: images with equal means give the same pixels', { skip: nightlyOnly }, async () => {
    const grey = flat(...CANVAS, 128, 128, 128);
    for (const effect of EFFECTS) {
      const plain = inside(await covered(grey, [FACE], { effect }), FACE);
      for (const [period, phase, contrast] of [
        [2, 0, 127],
        [4, 1, 100],
        [8, 3, 60],
        [20, 0, 100],
        [40, 7, 127],
      ] as const) {
        const result = await covered(stripes(...CANVAS, period, phase, contrast), [FACE], { effect });
        same(inside(result, FACE), plain, `${effect}, stripes of ${period}`);
      }
      // Structure that is coarser than a block does show.
      assert.notDeepEqual(inside(await covered(stripes(...CANVAS, 160, 0, 60), [FACE], { effect }), FACE), plain);
    }
  });

  it('is as little for a face of any size', { skip: nightlyOnly }, async () => {
    verifies('blur-faces.strength');
    for (const size of [20, 60, 200, 400]) {
      const box = { x: size, y: size, width: size, height: Math.round(size * 1.3) };
      const source = stripes(size * 3, size * 4, Math.max(2, 2 * Math.round(size / 16)), 0, 120);
      const result = await covered(source, [box], { effect: 'pixelate' });
      // Distinct values where the cover is opaque. There are no more of them than blocks.
      const colours = new Set(inside(result, box));
      assert.ok(colours.size <= 25, `${colours.size} values in a face ${size} wide`);
    }
  });
});

describe('effect and strength', () => {
  it('blurs to a smooth surface by default, or pixelates', async () => {
    verifies('blur-faces.effect.blur', 'blur-faces.effect.pixelate', 'blur-faces.effect.values');
    const source = pattern(...CANVAS);
    const blur = await covered(source, [FACE]);
    assert.deepEqual(await covered(source, [FACE], { effect: 'blur' }), blur);
    const blocks = await covered(source, [FACE], { effect: 'pixelate' });
    const steps = (image: RawImage) => {
      const row = Array.from({ length: 100 }, (_, x) => pixel(image, 100 + x, 150)[0] as number);
      return row.slice(1).map((value, index) => Math.abs(value - (row[index] as number)));
    };
    // A gradient of the source stays a gradient in the blur, in steps of one level. Blocks jump.
    assert.ok(Math.max(...steps(blur)) <= 2, steps(blur).join());
    assert.ok(Math.max(...steps(blocks)) > 10, steps(blocks).join());
    assert.ok(steps(blocks).filter((step) => step > 0).length <= 4, steps(blocks).join());
  });

  it('covers more as strength grows from 1 to 100', { skip: nightlyOnly }, async () => {
    verifies('blur-faces.strength', 'blur-faces.strength.bounds');
    const source = pattern(...CANVAS);
    const fine = stripes(...CANVAS, 10, 0, 100);
    for (const effect of EFFECTS) {
      const left: number[] = [];
      const colours: number[] = [];
      for (const strength of [1, 20, 40, 60, 80, 100]) {
        const result = await covered(fine, [FACE], { effect, strength });
        left.push(difference(result, flat(...CANVAS, 128, 128, 128)).mean);
        colours.push(new Set(inside(await covered(source, [FACE], { effect, strength }), FACE)).size);
      }
      assert.deepEqual(
        left,
        left.toSorted((one, other) => other - one),
        effect,
      );
      assert.deepEqual(
        colours,
        colours.toSorted((one, other) => other - one),
        effect,
      );
      assert.ok((colours.at(0) as number) > 100, colours.join());
      // One colour has three values.
      assert.ok((colours.at(-1) as number) <= 3, `${colours}`);
    }
    const byDefault = await covered(source, [FACE]);
    assert.deepEqual(await covered(source, [FACE], { strength: 60 }), byDefault);
  });

  it('scales the blocks with the face, for the same strength', async () => {
    verifies('blur-faces.strength');
    const widest = async (size: number) => {
      const box = { x: size, y: size, width: size, height: size };
      const result = await covered(pattern(size * 3, size * 3), [box], { effect: 'pixelate' });
      const row = Array.from({ length: size }, (_, x) => pixel(result, size + x, size + size / 2).join());
      return Math.max(...row.map((value) => row.filter((other) => other === value).length)) / size;
    };
    const [small, large] = [await widest(40), await widest(320)];
    assert.ok(Math.abs(small - large) < 0.1, `${small} and ${large} of the face`);
  });
});

describe('transparency under a cover', () => {
  it('is kept, and hidden colours of transparent pixels do not show', async () => {
    const [width, height] = [120, 120];
    const data = Buffer.alloc(width * height * 4);
    for (let at = 0; at < width * height; at += 1) {
      const shown = at % width < 60;
      data.set(shown ? [200, 40, 40, 255] : [0, 255, 0, 0], at * 4);
    }
    const source = { data, width, height, channels: 4 };
    for (const effect of EFFECTS) {
      const result = await covered(source, [{ x: 40, y: 40, width: 40, height: 40 }], { effect, strength: 100 });
      assert.equal(result.channels, 4);
      for (let y = 0; y < height; y += 1) {
        for (let x = 0; x < width; x += 1) {
          const [red, green, blue, alpha] = pixel(result, x, y);
          assert.equal(alpha, x < 60 ? 255 : 0);
          if (alpha === 255) assert.deepEqual([red, green, blue], [200, 40, 40]);
        }
      }
    }
  });
});

describe('an area as large as the image', () => {
  it('is covered completely, and further areas take no more memory', async () => {
    const modules = await compileModules();
    const { vips, releaseHandles } = await startVips(modules);
    // More pixels than are copied at a time.
    const [width, height] = [2400, 1600];
    const image = pattern(width, height);
    const frame = vips.Image.newFromMemory(image.data, width, height, 3, vips.BandFormat.uchar).copyMemory();
    const coverAll = () =>
      cover({ vips, modules }, frame, { x: 0, y: 0, width, height }, { effect: 'blur', strength: 100 });
    assert.ok(coverAll());
    const held = wasmMemoryBytes();
    for (let count = 0; count < 3; count += 1) coverAll();
    assert.equal(wasmMemoryBytes(), held);
    const shown = frame.writeToMemory() as Uint8Array;
    const means = [0, 1, 2].map((band) => {
      let sum = 0;
      for (let at = band; at < image.data.length; at += 3) sum += image.data[at]!;
      return sum / (width * height);
    });
    const other = shown.findIndex((sample, at) => Math.abs(sample - means[at % 3]!) > 1);
    assert.equal(other, -1, `${other}: ${shown[other]} instead of ${means[other % 3]}`);
    releaseHandles();
  });
});
