/** The edge of a cut-out: its position, softness and colours, on composites whose parts are all known. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { nightlyOnly } from '../../support/nightly.ts';
import { decode, flat, pixel, png, type RawImage } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { cut, discImage } from './support.ts';

/** Returns the opacity along the middle row, from the left side to the centre. */
function opacities(image: RawImage): number[] {
  const y = image.height >> 1;
  return Array.from({ length: image.width >> 1 }, (_, x) => pixel(image, x, y)[3]!);
}

const between = (values: readonly number[], low: number, high: number) =>
  values.filter((value) => value > low && value < high).length;

describe('feather', () => {
  it('softens the edge, more at each step; 0 keeps the edge of the mask', async () => {
    verifies('remove-background.feather');
    const { photo, mask } = discImage({ width: 1200, height: 900 });
    const parts = { mask: await png(mask) };
    const image = await png(photo);
    const widths: number[] = [];
    for (const feather of [0, 1, 2, 3])
      widths.push(between(opacities(await decode((await cut(image, { feather }, parts)).bytes)), 8, 247));
    const [crisp = 0, ...soft] = widths;
    assert.ok(crisp <= 1, `${widths}`);
    for (const [step, width] of soft.entries()) assert.ok(width > (widths[step] ?? 0), `${widths}`);
    assert.ok(widths[3]! < 20, `${widths}`);
    const { bytes } = await cut(image, {}, parts);
    assert.equal(between(opacities(await decode(bytes)), 8, 247), widths[1]);
  });

  it('keeps the subject opaque inside, in images of every size', async () => {
    for (const height of [1000, 1600, 2200, 2400]) {
      const mask = await png(flat(100, height, 255, 255, 255));
      const { bytes } = await cut(await png(flat(100, height, 90, 120, 60)), { feather: 3 }, { mask });
      const seen = opacities(await decode(bytes));
      assert.deepEqual([Math.min(...seen), Math.max(...seen)], [255, 255], `${height} pixels`);
    }
  });

  it('is equally soft in a larger image, relative to its size', async () => {
    const widths = await Promise.all(
      [1, 3].map(async (scale) => {
        const { photo, mask } = discImage({ width: 600 * scale, height: 450 * scale });
        const { bytes } = await cut(await png(photo), { feather: 3 }, { mask: await png(mask) });
        return between(opacities(await decode(bytes)), 8, 247);
      }),
    );
    assert.ok(widths[1]! >= 2 * widths[0]! && widths[1]! <= 5 * widths[0]!, `${widths}`);
  });
});

describe('refine', () => {
  it('moves a misplaced mask edge onto the edge in the photo', { skip: nightlyOnly }, async () => {
    verifies('remove-background.refine');
    const { photo, mask } = discImage({ width: 900, height: 700, radius: 0.3 });
    const wrong = discImage({ width: 900, height: 700, radius: 0.307 }).mask;
    const image = await png(photo);
    const missed = async (refine: boolean) => {
      const { bytes } = await cut(image, { refine, feather: 0 }, { mask: await png(wrong) });
      const { data } = await sharp(bytes).extractChannel(3).raw().toBuffer({ resolveWithObject: true });
      return mask.data.reduce((sum, share, at) => sum + Math.abs(share - data[at]!), 0) / 255;
    };
    const [asSent, refined] = [await missed(false), await missed(true)];
    assert.ok(refined < asSent / 4, `${asSent} pixels without, ${refined} with`);
  });
});

describe('colours at the edge', () => {
  const subject = [230, 220, 60] as const;
  const background = [20, 40, 200] as const;

  it('are those of the subject, without the old background', async () => {
    const { photo, mask } = discImage({ width: 500, height: 400, edge: 14, subject, background });
    const { bytes } = await cut(await png(photo), { feather: 0 }, { mask: await png(mask) });
    const result = await decode(bytes);
    let seen = 0;
    for (let at = 0; at < mask.data.length; at += 1) {
      const alpha = result.data[4 * at + 3]!;
      if (alpha < 40 || alpha > 215) continue;
      seen += 1;
      for (const channel of [0, 1, 2] as const) {
        const error = Math.abs(result.data[4 * at + channel]! - subject[channel]);
        assert.ok(error < 12, `${error} at opacity ${alpha}`);
      }
    }
    assert.ok(seen > 1000);
  });

  it('leave no halo on another background, also where the mask is too large', async () => {
    const { photo } = discImage({ width: 500, height: 400, edge: 3, subject, background });
    const mask = discImage({ width: 500, height: 400, radius: 0.303, edge: 1 }).mask;
    const { bytes } = await cut(await png(photo), { feather: 0, background: '#ffffff' }, { mask: await png(mask) });
    const result = await decode(bytes);
    // A halo of the old blue background would have little red and green.
    for (let at = 0; at < mask.data.length; at += 1) {
      const [red = 0, green = 0] = result.data.subarray(3 * at, 3 * at + 2);
      assert.ok(red > 150 && green > 150, `${red}, ${green} at ${at % 500}, ${Math.floor(at / 500)}`);
    }
  });

  it('do not change inside the subject', async () => {
    const { photo, mask } = discImage({ width: 300, height: 300 });
    const noisy = { ...photo, data: Buffer.from(photo.data.map((sample, at) => sample ^ (at % 7))) };
    const { bytes } = await cut(await png(noisy), {}, { mask: await png(mask) });
    const result = await decode(bytes);
    for (let y = 100; y < 200; y += 1)
      for (let x = 100; x < 200; x += 1) assert.deepEqual(pixel(result, x, y), [...pixel(noisy, x, y), 255]);
  });
});

describe('a cut-out', () => {
  it('has the full size and detail of the photo, not of its mask', { skip: nightlyOnly }, async () => {
    const { photo, mask } = discImage({ width: 1600, height: 1200 });
    const small = await sharp(await png(mask))
      .resize(320, 240)
      .png()
      .toBuffer();
    const result = await cut(await png(photo), { refine: true, feather: 0 }, { mask: small });
    assert.deepEqual([result.width, result.height, result.format, result.outcome], [1600, 1200, 'png', 'done']);
    assert.ok(between(opacities(await decode(result.bytes)), 8, 247) <= 4);
  });

  it('has its edge where the mask has it, whatever the size of the mask', async () => {
    const { photo, mask } = discImage({ width: 1600, height: 1200 });
    const image = await png(photo);
    for (const width of [200, 400, 1600]) {
      const sent = await sharp(await png(mask))
        .resize(width)
        .png()
        .toBuffer();
      const { bytes } = await cut(image, { feather: 0 }, { mask: sent });
      const row = await decode(bytes);
      const left = opacities(row).findIndex((alpha) => alpha >= 128);
      const right = Array.from({ length: 1600 }, (_, x) => pixel(row, 1599 - x, 600)[3]!).findIndex((a) => a >= 128);
      // 1600 / 2 - 0.3 x 1200. libvips' own enlarging would be off by 3.5 pixels, in the same direction on both sides.
      assert.ok(Math.abs(left - 440) <= 1 && Math.abs(right - 440) <= 1, `${left} and ${right} of ${width}`);
    }
  });
});
