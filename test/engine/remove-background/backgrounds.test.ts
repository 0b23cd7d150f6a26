/** The background behind the subject, the position of the subject, and the encoding of the result. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { failureOf } from '../../support/failure.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { decode, flat, pattern, pixel, png, type RawImage } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { type CutOptions, cut, type Disc, discImage } from './support.ts';

const SUBJECT = [240, 200, 40] as const;

async function painted(
  { photo, mask }: Disc,
  options: CutOptions,
  background?: Uint8Array,
): Promise<RawImage & { warnings: string[] }> {
  const parts = { mask: await png(mask), ...(background ? { background } : {}) };
  const { bytes, warnings } = await cut(await png(photo), { feather: 0, ...options }, parts);
  return { ...(await decode(bytes)), warnings };
}

function close(actual: readonly number[], expected: readonly number[], tolerance = 2): void {
  const far = actual.length !== expected.length || actual.some((s, at) => Math.abs(s - expected[at]!) > tolerance);
  assert.ok(!far, `${actual} instead of ${expected}`);
}

describe('backgrounds', () => {
  const scene = discImage({ width: 320, height: 240 });

  it('transparent removes everything except the subject', { skip: nightlyOnly }, async () => {
    verifies('remove-background.background.transparent');
    const result = await painted(scene, {});
    assert.equal(result.channels, 4);
    assert.deepEqual(pixel(result, 0, 0), [0, 0, 0, 0]);
    close(pixel(result, 160, 120), [...SUBJECT, 255], 0);
    assert.deepEqual(result.data, (await painted(scene, { background: 'transparent' })).data);
  });

  it('a colour is painted behind the subject', async () => {
    verifies('remove-background.background.colour');
    for (const background of ['#12c8fe', '12C8FE']) {
      const result = await painted(scene, { background });
      assert.equal(result.channels, 3);
      assert.deepEqual(pixel(result, 3, 200), [0x12, 0xc8, 0xfe]);
      close(pixel(result, 160, 120), SUBJECT, 0);
    }
  });

  it('a gradient runs from its first colour at the top to its second at the bottom', async () => {
    verifies('remove-background.background.gradient');
    const result = await painted(scene, { background: 'gradient', gradient_from: '#ff0000', gradient_to: '#0000ff' });
    close(pixel(result, 0, 0), [255, 0, 0], 0);
    close(pixel(result, 319, 239), [0, 0, 255], 0);
    close(pixel(result, 5, 120), [127, 0, 128], 1);
    close(pixel(result, 160, 120), SUBJECT, 0);
    const plain = await painted(scene, { background: 'gradient' });
    close(pixel(plain, 0, 0), [255, 255, 255], 0);
    close(pixel(plain, 0, 239), [0xc8, 0xcc, 0xd4], 0);
  });

  it('blur blurs the original background by the given amount, and leaves the subject sharp', async () => {
    verifies('remove-background.background.blur', 'remove-background.blur');
    const stripes = discImage({ width: 320, height: 240 });
    for (let at = 0; at < stripes.mask.data.length; at += 1) {
      const level = Math.floor((at % 320) / 8) % 2 === 0 ? 40 : 220;
      if (stripes.mask.data[at] === 0) stripes.photo.data.fill(level, 3 * at, 3 * at + 3);
    }
    const contrast = async (options: CutOptions) => {
      const result = await painted(stripes, { background: 'blur', ...options });
      close(pixel(result, 160, 120), SUBJECT, 0);
      const row = Array.from({ length: 60 }, (_, x) => pixel(result, x, 20)[0]!);
      return Math.max(...row) - Math.min(...row);
    };
    const [least, middle, standard, most] = [
      await contrast({ blur: 1 }),
      await contrast({ blur: 20 }),
      await contrast({}),
      await contrast({ blur: 100 }),
    ];
    assert.ok(
      least > 170 && least > middle && middle > standard && standard >= most,
      `${[least, middle, standard, most]}`,
    );
    assert.equal(standard, await contrast({ blur: 40 }));
    assert.ok(most < 20, `${most}`);
  });

  it('blur contains nothing of the subject', { skip: nightlyOnly }, async () => {
    for (const blur of [1, 40, 100]) {
      const result = await painted(scene, { background: 'blur', blur });
      // Just outside the disc, and at the disc's old position after a frame has moved the subject.
      close(pixel(result, 160 - 76, 120), [30, 60, 160], 3);
      const framed = await painted(scene, { background: 'blur', blur, frame: '320x240', subject_fill: 10 });
      close(pixel(framed, 160, 150), [30, 60, 160], 3);
    }
  });

  it('an image covers the whole canvas', async () => {
    verifies('remove-background.background.image');
    const halves = flat(400, 100, 255, 0, 0);
    for (let y = 0; y < 100; y += 1) halves.data.fill(Buffer.from([0, 255, 0]), (y * 400 + 200) * 3, (y + 1) * 1200);
    for (const options of [{ background: 'image' }, {}]) {
      const result = await painted(scene, options, await png(halves));
      assert.equal(result.channels, 3);
      close(pixel(result, 0, 0), [255, 0, 0], 0);
      close(pixel(result, 0, 239), [255, 0, 0], 0);
      close(pixel(result, 319, 239), [0, 255, 0], 0);
      close(pixel(result, 160, 120), SUBJECT, 0);
    }
    const clear = await painted(scene, {}, await png(flat(20, 20, 0, 0, 0, 0)));
    close(pixel(clear, 0, 0), [255, 255, 255], 0);
  });

  it('an unreadable image is named in the error', async () => {
    const image = await png(scene.photo);
    const parts = { mask: await png(scene.mask), background: Buffer.from('no image') };
    const { param, message } = await failureOf('unsupported_format', () => cut(image, {}, parts));
    assert.equal(param, 'background_image');
    assert.match(message, /for background_image/);
    const broken = { ...parts, background: (await png(pattern(90, 90))).subarray(0, 300) };
    assert.equal((await failureOf('corrupt_image', () => cut(image, {}, broken))).param, 'background_image');
  });
});

describe('frame', () => {
  const scene = discImage({ width: 500, height: 300, radius: 0.2 });

  function box({ data, width, height, channels }: RawImage) {
    const xs: number[] = [];
    const ys: number[] = [];
    for (let at = 0; at < width * height; at += 1) {
      if (data[at * channels + channels - 1]! < 128) continue;
      xs.push(at % width);
      ys.push(Math.floor(at / width));
    }
    const reach = (values: number[]) => {
      const from = values.reduce((least, value) => Math.min(least, value));
      const to = values.reduce((most, value) => Math.max(most, value));
      return { from, size: to - from + 1 };
    };
    return { x: reach(xs), y: reach(ys) };
  }

  it('centres the subject on a canvas at its given share, smaller and larger', async () => {
    verifies('remove-background.frame', 'remove-background.subject-fill');
    for (const [frame, fill] of [
      ['400x200', undefined],
      ['200x1000', 10],
      ['900x700', 100],
      ['64x64', 50],
    ] as const) {
      const [width = 0, height = 0] = frame.split('x').map(Number);
      const result = await painted(scene, { frame, ...(fill === undefined ? {} : { subject_fill: fill }) });
      assert.deepEqual([result.width, result.height], [width, height]);
      const { x, y } = box(result);
      const expected = (Math.min(width, height) * (fill ?? 85)) / 100;
      for (const [side, at, whole] of [
        [x.size, x.from, width],
        [y.size, y.from, height],
      ] as const) {
        assert.ok(Math.abs(side - expected) <= 2, `${side} instead of ${expected} in ${frame}`);
        assert.ok(Math.abs(at + side / 2 - whole / 2) <= 1.5, `${at} + ${side} in ${frame}`);
      }
    }
  });

  it('moves a subject that is not centred', async () => {
    const shifted = discImage({ width: 500, height: 300, radius: 0.2 });
    const at = { left: 0, top: 0, width: 330, height: 200 };
    const [photo, mask] = await Promise.all(
      [shifted.photo, shifted.mask].map(async (raw) =>
        decode(
          await sharp(await png(raw))
            .extract(at)
            .png()
            .toBuffer(),
        ),
      ),
    );
    const result = await painted({ photo: photo!, mask: mask! }, { frame: '300x300' });
    const { x, y } = box(result);
    // The disc is cut off on the right and at the bottom. It must still fill the frame to its edges.
    assert.ok(Math.abs(2 * x.from + x.size - 300) <= 3 && Math.abs(2 * y.from + y.size - 300) <= 3);
  });

  it('uses backgrounds at the size of the canvas', async () => {
    const gradient = await painted(scene, { frame: '100x400', background: 'gradient', gradient_to: '#000000' });
    close(pixel(gradient, 0, 399), [0, 0, 0], 0);
    const blurred = await painted(scene, { frame: '100x400', background: 'blur' });
    close(pixel(blurred, 5, 5), [30, 60, 160], 3);
  });

  it('must not exceed the maximum size of a result', async () => {
    const parts = { mask: await png(scene.mask) };
    const image = await png(scene.photo);
    await failureOf('image_too_large', () => cut(image, { frame: '20000x20000' }, parts));
    // The mask ignores the frame.
    await cut(image, { frame: '20000x20000', mask: true }, parts);
  });
});

describe('formats', () => {
  it('writes PNG, WebP and JPEG', { skip: nightlyOnly }, async () => {
    verifies('remove-background.format');
    const { photo, mask } = discImage({ width: 200, height: 150 });
    const image = await png(photo);
    const parts = { mask: await png(mask) };
    for (const [format, background, alpha] of [
      ['png', 'transparent', true],
      ['webp', 'transparent', true],
      ['png', 'blur', false],
      ['webp', '#ffffff', false],
      ['jpeg', 'gradient', false],
    ] as const) {
      const result = await cut(image, { format, background }, parts);
      const { format: written, hasAlpha, width } = await sharp(result.bytes).metadata();
      assert.deepEqual([result.format, written, hasAlpha, width], [format, format, alpha, 200]);
    }
    assert.equal((await cut(image, {}, parts)).format, 'png');
    await failureOf('conflicting_parameters', () => cut(image, { format: 'jpeg' }, parts));
    const tall = discImage({ width: 60, height: 20_000 });
    await cut(await png(tall.photo), { background: 'blur', refine: true }, { mask: await png(tall.mask) });
    const wide = { mask: await png(tall.mask) };
    await failureOf('unsupported_output', async () => cut(await png(tall.photo), { format: 'webp' }, wide));
  });
});
