/** Detail, colours and transparency of an upscaled image, compared with sharp and with the original before halving. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { scene } from '../../support/scenes.ts';
import { decode, difference, flat, png, type RawImage, sharpOf } from '../../support/test-images.ts';
import { upscale } from './support.ts';

const raw = async (image: Sharp): Promise<RawImage> => decode(await image.png().toBuffer());

/** Returns the peak signal-to-noise ratio in dB. */
function psnr(one: RawImage, other: RawImage): number {
  const sum = one.data.reduce((total, value, at) => total + (value - (other.data[at] as number)) ** 2, 0);
  return 10 * Math.log10(255 ** 2 / (sum / one.data.length));
}

/**
 * Doubles an image with libvips' bicubic interpolation, without a shift. `resize` would shift it by a quarter of a
 * pixel.
 */
const bicubic = (image: RawImage): Promise<RawImage> =>
  raw(
    sharpOf(image).affine([2, 0, 0, 2], { odx: 0.5, ody: 0.5, interpolator: 'bicubic', extendWith: 'copy' } as object),
  );

function mean({ data, channels }: RawImage, channel: number): number {
  let sum = 0;
  for (let at = channel; at < data.length; at += channels) sum += data[at] as number;
  return sum / (data.length / channels);
}

/** Halves an image and doubles it again. */
async function halveAndDouble(whole: RawImage): Promise<{ small: RawImage; doubled: RawImage }> {
  const small = await raw(sharpOf(whole).resize(whole.width / 2, whole.height / 2, { kernel: 'cubic' }));
  return { small, doubled: await decode((await upscale(await png(small))).bytes) };
}

function assertBetter(whole: RawImage, doubled: RawImage, smooth: RawImage, gain: number, name: string): void {
  const [ours, theirs] = [psnr(doubled, whole), psnr(smooth, whole)];
  assert.ok(ours > theirs + gain, `${name}: ${ours} dB, bicubic ${theirs} dB`);
}

function assertSameColours(small: RawImage, doubled: RawImage, name: string): void {
  for (const channel of [0, 1, 2]) {
    const shift = mean(doubled, channel) - mean(small, channel);
    assert.ok(Math.abs(shift) < 0.3, `${name}: channel ${channel} is shifted by ${shift}`);
  }
}

describe('detail', () => {
  it('of drawn scenes is closer to the original than with bicubic interpolation', { skip: nightlyOnly }, async () => {
    for (const [kind, gain] of [
      ['photo', 0.3],
      ['print', 1],
    ] as const) {
      const whole = scene(kind, 240, 160);
      const { small, doubled } = await halveAndDouble(whole);
      assertBetter(whole, doubled, await bicubic(small), gain, kind);
    }
  });

  it('of photographs is closer to the original, and the colours are kept', {
    skip: corpusSkipReason || nightlyOnly,
  }, async () => {
    for (const path of [
      'faces/scikit-image--astronaut.png',
      'faces/scikit-image--chelsea.png',
      'faces/scikit-image--coffee.png',
      'subject/rembg--car-1.jpg',
      'jpeg/exif-samples--DSCN0021.jpg',
    ]) {
      const { width = 0, height = 0 } = await sharp(corpus(path)).metadata();
      const [left, top] = [Math.floor(width / 4), Math.floor(height / 4)];
      const side = { width: Math.min(200, width - left) & ~1, height: Math.min(160, height - top) & ~1 };
      const whole = await raw(sharp(corpus(path)).extract({ left, top, ...side }));
      const { small, doubled } = await halveAndDouble(whole);
      assertBetter(whole, doubled, await bicubic(small), 0.3, path);
      assertSameColours(small, doubled, path);
    }
  });
});

/** Draws shapes with librsvg, with antialiased edges and alpha. */
const drawn = (side: number, shapes: string): Promise<RawImage> =>
  decodeAlpha(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="0 0 48 48">${shapes}</svg>`,
    ),
  );

async function decodeAlpha(bytes: Uint8Array): Promise<RawImage> {
  const { data, info } = await sharp(bytes)
    .ensureAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: 4 };
}

const alphaOf = ({ data, width, height }: RawImage): RawImage => ({
  data: Buffer.from(data.filter((_, at) => at % 4 === 3)),
  width,
  height,
  channels: 1,
});

/** Returns the same image with other colours in its transparent pixels. */
function withHiddenColours(image: RawImage, colour: (pixel: number) => number): RawImage {
  const data = Buffer.from(image.data);
  for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 0) data.fill(colour(at / 4), at, at + 3);
  return { ...image, data };
}

const COLOUR = [0xc0, 0x20, 0x10];
const DISC = '<circle cx="24" cy="24" r="17" fill="#c02010"/>';
const RING = '<circle cx="24" cy="24" r="16" fill="none" stroke="#1040c0" stroke-width="7"/>';

describe('transparency', () => {
  it('shows no hidden colour at any edge', async () => {
    const disc = await drawn(48, DISC);
    for (const hidden of [0, 255]) {
      const result = await decodeAlpha((await upscale(await png(withHiddenColours(disc, () => hidden)))).bytes);
      for (let at = 0; at < result.data.length; at += 4) {
        const found = [...result.data.subarray(at, at + 4)];
        const [, , , alpha] = found as [number, number, number, number];
        assert.ok(
          COLOUR.every((value, channel) => (Math.abs(value - (found[channel] as number)) * alpha) / 255 <= 3),
          `${found} over ${hidden}`,
        );
      }
    }
  });

  it('is the same for every hidden colour', async () => {
    const ring = await drawn(48, RING);
    const [black, noisy] = await Promise.all(
      [() => 0, (pixel: number) => (pixel * 37) % 256].map(async (colour) =>
        upscale(await png(withHiddenColours(ring, colour))),
      ),
    );
    assert.deepEqual(black?.bytes, noisy?.bytes);
  });

  it('keeps its shape better than with bicubic interpolation', async () => {
    const whole = alphaOf(await drawn(96, RING));
    const small = await drawn(48, RING);
    const doubled = alphaOf(await decodeAlpha((await upscale(await png(small))).bytes));
    const smooth = alphaOf(
      await decodeAlpha(
        await sharpOf(small)
          .affine([2, 0, 0, 2], { odx: 0.5, ody: 0.5, interpolator: 'bicubic', extendWith: 'copy' } as object)
          .png()
          .toBuffer(),
      ),
    );
    const [ours, theirs] = [difference(doubled, whole).mean, difference(smooth, whole).mean];
    assert.ok(ours < theirs * 0.7, `mean difference ${ours}, bicubic ${theirs}`);
  });

  it('keeps opaque areas opaque, and clear areas clear', async () => {
    const square: RawImage = flat(40, 30, 30, 90, 200, 0);
    for (let y = 0; y < 30; y += 1) for (let x = 0; x < 20; x += 1) square.data[(y * 40 + x) * 4 + 3] = 255;
    const { data, width } = await decodeAlpha((await upscale(await png(square))).bytes);
    for (let y = 0; y < 60; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const alpha = data[(y * width + x) * 4 + 3];
        if (x < 38) assert.equal(alpha, 255, `${x}, ${y}`);
        if (x > 41) assert.equal(alpha, 0, `${x}, ${y}`);
      }
    }
  });

  it('is kept when it is the same everywhere', async () => {
    for (const alpha of [255, 0, 120]) {
      const source = scene('photo', 24, 18);
      const pixels = await sharpOf(source).joinChannel(Buffer.alloc(24 * 18, alpha), {
        raw: { width: 24, height: 18, channels: 1 },
      });
      const { bytes } = await upscale(await pixels.png().toBuffer());
      const result = await decodeAlpha(bytes);
      assert.ok(
        alphaOf(result).data.every((value) => value === alpha),
        `alpha ${alpha}`,
      );
    }
  });

  it('of a grey image is kept', async () => {
    const disc = await drawn(32, '<circle cx="24" cy="24" r="17" fill="#808080"/>');
    const source = await sharpOf(disc).toColourspace('b-w').png().toBuffer();
    assert.equal((await sharp(source).metadata()).channels, 2);
    const { bytes } = await upscale(source);
    const found = await sharp(bytes).metadata();
    assert.deepEqual([found.width, found.height, found.channels], [64, 64, 2]);
    const { data } = await decodeAlpha(bytes);
    assert.deepEqual([...data.subarray(0, 4)].at(3), 0);
    assert.deepEqual([...data.subarray((32 * 64 + 32) * 4, (32 * 64 + 32) * 4 + 4)], [128, 128, 128, 255]);
  });

  it('is painted white, with a warning, in a format without transparency', async () => {
    const { bytes, warnings } = await upscale(await png(await drawn(24, DISC)), { format: 'jpeg' });
    assert.deepEqual(warnings, ['alpha_flattened']);
    const { data } = await decode(bytes);
    assert.ok(Math.min(...data.subarray(0, 3)) > 250, String(data.subarray(0, 3)));
  });
});
