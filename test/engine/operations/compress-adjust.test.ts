/** Adjustments, circle and border, each checked by its effect on pixels. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Failure } from '../../../base/failure.ts';
import { corpus } from '../../support/corpus.ts';
import type { CompressOptions } from '../../support/engine.ts';
import { compress } from '../../support/engine.ts';
import {
  decode,
  difference,
  flat,
  jpeg,
  pattern,
  pixel,
  png,
  type RawImage,
  sharpOf,
} from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';

const LOSSLESS = { format: 'png', mode: 'lossless' } as const;

async function run(source: RawImage, options: CompressOptions, watermark?: Uint8Array): Promise<RawImage> {
  return decode((await compress(await png(source), { ...LOSSLESS, ...options }, watermark)).bytes);
}

const grey = (level: number) => flat(40, 30, level, level, level);
const level = async (source: RawImage, options: CompressOptions) =>
  pixel(await run(source, options), 20, 15)[0] as number;

/** Returns the standard deviation of the first channel, a measure of structure. */
function deviation({ data, channels }: RawImage): number {
  const values = data.filter((_, index) => index % channels === 0);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}

/** Draws black and white stripes; a pair is 20 pixels wide at scale 1. */
function stripes(scale: number): RawImage {
  const raw = flat(100 * scale, 100 * scale, 0, 0, 0);
  for (let at = 0; at < raw.data.length; at += 1) {
    const x = Math.floor(at / 3) % raw.width;
    raw.data[at] = Math.floor(x / (10 * scale)) % 2 ? 255 : 0;
  }
  return raw;
}

/**
 * Draws shapes with edges of every contrast, and structure of every size with the amplitudes of a photograph: as large
 * as the structure.
 */
function scene(): RawImage {
  const side = 400;
  const raw = flat(side, side, 0, 0, 0);
  const noise = (x: number, y: number, size: number) => {
    const at = (column: number, row: number) =>
      ((Math.imul((column + 1) * 73_856_093 + size, 0x45d9f3b) ^ Math.imul((row + 1) * 19_349_663, 0x27d4eb2d)) >>> 8) /
      2 ** 24;
    const [left, top] = [Math.floor(x / size), Math.floor(y / size)];
    const [u, v] = [x / size - left, y / size - top];
    const mix = (row: number) => at(left, row) * (1 - u) + at(left + 1, row) * u;
    return mix(top) * (1 - v) + mix(top + 1) * v - 0.5;
  };
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      const structure = [3, 9, 27, 81].reduce((sum, size) => sum + noise(x, y, size) * 9 * size ** 0.5, 0);
      const shapes = 60 * Number(Math.hypot(x - 120, y - 150) < 80) - 45 * Number(Math.abs(x - y) < 50);
      raw.data.fill(
        Math.min(255, Math.max(0, 30 + x / 2 + 1.3 * structure + shapes)),
        (y * side + x) * 3,
        (y * side + x) * 3 + 3,
      );
    }
  }
  return raw;
}

describe('adjustments', () => {
  test('brightness moves grey up and down, and 0 changes no pixel', async () => {
    verifies('compress.brightness');
    assert.ok((await level(grey(100), { brightness: 50 })) > 140);
    assert.ok((await level(grey(100), { brightness: -50 })) < 60);
    assert.equal(difference(await run(pattern(40, 30), { brightness: 0 }), pattern(40, 30)).max, 0);
  });

  test('contrast spreads values around the middle; at -100 all is middle grey', async () => {
    verifies('compress.contrast');
    assert.ok((await level(grey(80), { contrast: 50 })) < 70);
    assert.ok((await level(grey(180), { contrast: 50 })) > 190);
    assert.ok(Math.abs((await level(grey(20), { contrast: -100 })) - 128) <= 1);
  });

  test('exposure works in linear light: 100 multiplies the light by four', async () => {
    verifies('compress.exposure', 'compress.exposure.two-stops');
    // sRGB 64 is 0.0513 in linear light. Four times that is 0.2051, which is sRGB 125.
    assert.ok(Math.abs((await level(grey(64), { exposure: 100 })) - 125) <= 1);
    assert.ok(Math.abs((await level(grey(125), { exposure: -100 })) - 64) <= 1);
  });

  test('saturation -100 gives grey of the same luminance, 100 gives stronger colour', async () => {
    verifies('compress.saturation');
    const red = flat(20, 20, 200, 100, 100);
    const [r, g, b] = pixel(await run(red, { saturation: -100 }), 5, 5);
    assert.ok(r === g && g === b && Math.abs((r as number) - 121) <= 1, `${r} ${g} ${b}`);
    const [strong, weak] = pixel(await run(red, { saturation: 100 }), 5, 5) as [number, number];
    assert.ok(strong > 200 && weak < 100);
  });

  test('grayscale removes colour', async () => {
    verifies('compress.grayscale');
    const { bytes } = await compress(await png(pattern(40, 30)), { ...LOSSLESS, grayscale: true });
    assert.equal((await decode(bytes)).channels >= 1, true);
    const { data, channels } = await decode(bytes);
    if (channels >= 3) for (let at = 0; at < data.length; at += channels) assert.equal(data[at], data[at + 1]);
  });

  test('blur removes detail, more at higher strength, relative to the size', async () => {
    verifies('compress.blur', 'compress.blur.relative');
    const left: number[] = [];
    for (const blur of [0, 20, 60, 100]) left.push(deviation(await run(stripes(1), { blur })));
    assert.ok(
      left.every((value, index) => index === 0 || value < (left[index - 1] as number)),
      left.join(' '),
    );
    const large = deviation(await run(stripes(3), { blur: 40 }));
    assert.ok(Math.abs(large - deviation(await run(stripes(1), { blur: 40 }))) < 8);
  });

  test('enhance stretches the levels to the full range', async () => {
    verifies('compress.enhance.levels');
    const dull = pattern(120, 80);
    for (let at = 0; at < dull.data.length; at += 1) dull.data[at] = 100 + (dull.data[at] as number) / 5;
    assert.ok(deviation(await run(dull, { enhance: true })) > 2 * deviation(dull));
  });

  test('enhance raises local contrast when the levels already have the full range', async () => {
    verifies('compress.enhance.local-contrast');
    const scene = pattern(200, 200);
    for (let y = 0; y < 200; y += 1) {
      for (let x = 0; x < 200; x += 1) {
        const ground = x < 100 ? 20 : 235;
        scene.data.fill((x + y) % 8 < 4 ? ground - 15 : ground + 15, (y * 200 + x) * 3, (y * 200 + x) * 3 + 3);
      }
    }
    const half = (raw: RawImage): RawImage => ({
      ...raw,
      width: 50,
      height: 1,
      data: raw.data.subarray(100 * 200 * 3 + 60, 100 * 200 * 3 + 60 + 150),
    });
    assert.ok(deviation(half(await run(scene, { enhance: true }))) > 1.05 * deviation(half(scene)));
  });

  test('sharpen steepens edges', async () => {
    verifies('compress.sharpen');
    const soft = await sharpOf(stripes(1)).blur(2).linear(0.6, 50).png().toBuffer();
    const more: number[] = [];
    for (const sharpen of [0, 30, 100])
      more.push(deviation(await decode((await compress(soft, { ...LOSSLESS, sharpen })).bytes)));
    assert.ok(
      more.every((value, index) => index === 0 || value > (more[index - 1] as number) + 0.5),
      more.join(' '),
    );
  });

  for (const [name, least, sign] of [
    ['sharpen', 2, 1],
    ['blur', 8, 1],
    ['denoise', 3, 1],
    ['contrast', 20, 1],
    ['contrast', 20, -1],
  ] as const) {
    test(`the effect of ${name} grows evenly up to ${sign * 100}`, async () => {
      const source = scene();
      const effects = await Promise.all(
        [0, 25, 50, 75, 100].map(
          async (strength) => difference(await run(source, { [name]: sign * strength }), source).mean,
        ),
      );
      const total = effects.at(-1)!;
      assert.ok(total > least, `${name} changes ${total} levels`);
      const quarters = effects.slice(1).map((effect, at) => (effect - effects[at]!) / total);
      assert.ok(
        quarters.every((share) => share > 0.1 && share < 0.38),
        quarters.map((share) => share.toFixed(2)).join(' '),
      );
    });
  }

  test('sharpen at 33 is the default of sharp', async () => {
    const sharpened = await run(scene(), { sharpen: 33 });
    const reference = await decode(await sharpOf(scene()).sharpen({ sigma: 1, x1: 2 }).png().toBuffer());
    assert.ok(difference(sharpened, reference).mean < 0.2, JSON.stringify(difference(sharpened, reference)));
  });

  test('the weakest blur has an effect on a small image', async () => {
    assert.ok(difference(await run(pattern(40, 30), { blur: 1 }), pattern(40, 30)).mean > 0);
  });

  test('denoise is a median filter: it removes single wrong pixels completely', async () => {
    verifies('compress.denoise');
    const noisy = flat(41, 41, 120, 120, 120);
    for (const at of [205, 731, 1300]) noisy.data.fill(255, at * 3, at * 3 + 3);
    const clean = await run(noisy, { denoise: 20 });
    assert.ok(clean.data.every((value, index) => index % clean.channels === 3 || value === 120));
  });

  test('denoise accepts images that are smaller than its window', async () => {
    verifies('compress.denoise');
    for (const [width, height] of [
      [1, 1],
      [5, 2],
      [2, 40],
    ] as const) {
      const clean = await run(flat(width, height, 120, 60, 30), { denoise: 100 });
      assert.deepEqual([clean.width, clean.height, ...pixel(clean, 0, 0).slice(0, 3)], [width, height, 120, 60, 30]);
    }
  });

  test('hidden colours of transparent pixels do not affect their neighbours', async () => {
    const half = flat(64, 64, 255, 255, 255, 255);
    for (let y = 0; y < 64; y += 1) for (let x = 32; x < 64; x += 1) half.data.set([0, 0, 0, 0], (y * 64 + x) * 4);
    for (const options of [{ width: 21 }, { blur: 40 }, { rotate: 33 }]) {
      const { data } = await run(half, options);
      for (let at = 0; at < data.length; at += 4) {
        if ((data[at + 3] as number) > 24)
          assert.ok((data[at] as number) >= 240, `a dark fringe of ${data[at]} with ${JSON.stringify(options)}`);
      }
    }
  });
});

describe('circle and border', () => {
  test('circle clears everything outside the ellipse and nothing inside', async () => {
    verifies('compress.crop-shape.circle', 'compress.crop-shape.rect');
    const round = await run(flat(100, 60, 10, 200, 30), { crop_shape: 'circle' });
    assert.equal(pixel(round, 0, 0)[3], 0);
    assert.equal(pixel(round, 99, 59)[3], 0);
    assert.deepEqual(pixel(round, 50, 30), [10, 200, 30, 255]);
    assert.equal(pixel(round, 50, 1)[3], 255, 'the ellipse touches the sides');
    assert.deepEqual(pixel(await run(flat(100, 60, 10, 200, 30), { crop_shape: 'rect' }), 0, 0), [10, 200, 30]);
  });

  test('circle in a JPEG uses the background, white by default', async () => {
    verifies('compress.background.jpeg', 'compress.background.default');
    const source = await png(flat(100, 100, 200, 0, 0));
    const corner = async (options: CompressOptions) =>
      pixel(await decode((await compress(source, { crop_shape: 'circle', quality: 95, ...options })).bytes), 1, 1);
    assert.ok((await corner({ format: 'jpeg' })).every((value) => value > 250));
    const [r, g, b] = (await corner({ format: 'jpeg', background: '#0000FF' })) as [number, number, number];
    assert.ok(r < 12 && g < 12 && b > 240);
  });

  test('border adds its width on each side, in its colour', async () => {
    verifies('compress.border', 'compress.border-color', 'compress.border-color.default');
    const framed = await run(flat(20, 10, 0, 0, 255), { border: 3, border_color: '#ff0000' });
    assert.deepEqual([framed.width, framed.height], [26, 16]);
    assert.deepEqual(pixel(framed, 0, 0), [255, 0, 0]);
    assert.deepEqual(pixel(framed, 2, 8), [255, 0, 0]);
    assert.deepEqual(pixel(framed, 3, 3), [0, 0, 255]);
    assert.deepEqual(pixel(framed, 25, 15), [255, 0, 0]);
    assert.deepEqual(pixel(await run(flat(20, 10, 0, 0, 255), { border: 1 }), 0, 0), [255, 255, 255]);
  });

  test('a transparent border stays transparent where the format allows it, and is painted otherwise', async () => {
    verifies('compress.border-color.transparent');
    assert.deepEqual(
      pixel(await run(flat(20, 10, 0, 0, 255), { border: 2, border_color: 'transparent' }), 0, 0),
      [0, 0, 0, 0],
    );
    const { bytes } = await compress(await png(flat(64, 64, 0, 0, 255)), {
      border: 8,
      border_color: 'transparent',
      background: '#ff0000',
      format: 'jpeg',
      quality: 95,
    });
    const [r, g, b] = pixel(await decode(bytes), 0, 0) as [number, number, number];
    assert.ok(r > 240 && g < 16 && b < 16, `${r} ${g} ${b}`);
  });

  test('a grey image can have a coloured border', async () => {
    const source = await sharpOf(flat(20, 20, 90, 90, 90))
      .toColourspace('b-w')
      .png()
      .toBuffer();
    const framed = await decode((await compress(source, { ...LOSSLESS, border: 2, border_color: '#00ff00' })).bytes);
    assert.deepEqual(
      [pixel(framed, 0, 0), pixel(framed, 10, 10)],
      [
        [0, 255, 0],
        [90, 90, 90],
      ],
    );
  });
});

test('crop_gravity=attention keeps the subject, centre does not', async (context) => {
  verifies('compress.crop-gravity.attention', 'compress.crop-gravity.centre', 'compress.crop-ratio');
  // A colourful detail at the right end of a dull image.
  const scene = flat(300, 100, 128, 128, 128);
  for (let y = 30; y < 70; y += 1)
    for (let x = 250; x < 290; x += 1) scene.data.set([255, (x * 37) % 256, (y * 91) % 256], (y * 300 + x) * 3);
  const structure = async (crop_gravity: 'attention' | 'centre') =>
    deviation(await run(scene, { crop_ratio: '1:1', crop_gravity }));
  assert.ok((await structure('attention')) > 10);
  assert.equal(await structure('centre'), 0);
  const photo = corpus('faces/scikit-image--astronaut.png');
  if (!photo) return context.skip('no corpus here');
  const { width, height } = await compress(photo, { crop_ratio: '3:1', crop_gravity: 'attention', format: 'jpeg' });
  assert.deepEqual([width, height], [512, 171]);
});

test('a crop outside the image is rejected, and the error names the parameter', async () => {
  verifies('compress.crop');
  const source = await jpeg(pattern(50, 40));
  const inside = await compress(source, { crop: '10,10,40,30' });
  assert.deepEqual([inside.width, inside.height], [40, 30]);
  for (const crop of ['11,10,40,30', '0,0,51,1', '50,0,1,1']) {
    await assert.rejects(
      compress(source, { crop }),
      (error) => error instanceof Failure && error.code === 'invalid_parameter' && error.param === 'crop',
    );
  }
});
