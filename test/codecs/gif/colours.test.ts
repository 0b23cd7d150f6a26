/** Palettes of animations with more colours than a palette can hold. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { writeGif } from '../../../codecs/gif/write.ts';
import { animationOf, countColours, decodeWithVips, frameOf, type Rgba, randomOf } from './animations.ts';

const [WIDTH, HEIGHT] = [160, 120];
const AREA = WIDTH * HEIGHT * 4;

const random = randomOf(11);
const grain = Uint8Array.from({ length: WIDTH * HEIGHT }, () => Math.floor(random() * 24));
/** Smooth on the left, noisy on the right, with some thousand colours. */
const backdrop = frameOf(WIDTH, HEIGHT, (x, y) => {
  const noise = x < 80 ? 0 : (grain[y * WIDTH + x] as number);
  return [40 + x + noise, 60 + y, 200 - y + noise, 255];
});

function withBall(step: number): Uint8Array {
  const frame = Uint8Array.from(backdrop);
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = 0; x < WIDTH; x += 1) {
      const distance = Math.hypot(x - 20 - step * 18, y - 60);
      if (distance < 12) frame.set([250 - distance * 8, 40, 30 + distance * 5, 255], 4 * (y * WIDTH + x));
    }
  }
  return frame;
}

const sameColour = (one: Uint8Array, other: Uint8Array, at: number) =>
  one[at] === other[at] && one[at + 1] === other[at + 1] && one[at + 2] === other[at + 2];

/** Returns the root mean square error of the averages of 8 x 8 blocks, which is how dithering looks from a distance. */
function blockError(one: Uint8Array, other: Uint8Array): number {
  let sum = 0;
  let count = 0;
  for (let top = 0; top < HEIGHT; top += 8) {
    for (let left = 0; left < WIDTH / 2; left += 8) {
      const error = [0, 0, 0];
      for (let y = top; y < top + 8; y += 1) {
        for (let x = left; x < left + 8; x += 1) {
          for (const axis of [0, 1, 2]) {
            const at = 4 * (y * WIDTH + x) + axis;
            error[axis] = (error[axis] as number) + ((one[at] as number) - (other[at] as number)) / 64;
          }
        }
      }
      for (const value of error) sum += value ** 2;
      count += 3;
    }
  }
  return Math.sqrt(sum / count);
}

describe('an animation with too many colours', () => {
  const steps = [0, 1, 2, 3, 4, 5, 6];
  const frames = steps.map(withBall);

  for (const dither of ['auto', 'ordered', 'none'] as const) {
    for (const colours of [256, 40, 16, 3, 2]) {
      test(`keeps unchanged pixels unchanged, with dither ${dither} and ${colours} colours`, async () => {
        const decoded = await decodeWithVips(writeGif(animationOf(WIDTH, HEIGHT, frames), { colours, dither }));
        for (const step of steps) {
          const shown = decoded.subarray(step * AREA, (step + 1) * AREA);
          assert.ok(countColours(shown) <= colours, `${countColours(shown)} colours in frame ${step}`);
          if (step === 0) continue;
          const before = decoded.subarray((step - 1) * AREA, step * AREA);
          for (let at = 0; at < AREA; at += 4) {
            const stays = sameColour(frames[step] as Uint8Array, frames[step - 1] as Uint8Array, at);
            if (stays) assert.ok(sameColour(shown, before, at), `pixel ${at / 4} of frame ${step} changes`);
          }
        }
      });
    }
  }

  test('is dithered where banding would be visible', async () => {
    const errorOf = async (dither: 'auto' | 'none') =>
      blockError(
        await decodeWithVips(writeGif(animationOf(WIDTH, HEIGHT, [backdrop]), { colours: 16, dither })),
        backdrop,
      );
    const [mixed, plain] = [await errorOf('auto'), await errorOf('none')];
    assert.ok(mixed < plain * 0.7, `${mixed} against ${plain}`);
  });

  test('is not dithered where it is noisy', async () => {
    const [mixed, plain] = await Promise.all(
      (['auto', 'none'] as const)
        .map((dither) => writeGif(animationOf(WIDTH, HEIGHT, [backdrop]), { colours: 16, dither }))
        .map(decodeWithVips),
    );
    let noisy = 0;
    let same = 0;
    for (let at = 0; at < AREA; at += 4) {
      if ((at / 4) % WIDTH <= 80) continue;
      noisy += 1;
      if (sameColour(mixed as Uint8Array, plain as Uint8Array, at)) same += 1;
    }
    assert.ok(same > noisy * 0.95, `${same} of ${noisy} pixels are the same`);
  });

  test('is closer to the original the more colours it may have', async () => {
    const errors = await Promise.all(
      [4, 16, 64, 256].map(async (colours) => {
        const decoded = await decodeWithVips(writeGif(animationOf(WIDTH, HEIGHT, frames), { colours, dither: 'none' }));
        const source = Buffer.concat(frames);
        return Math.sqrt(
          decoded.reduce((sum, value, at) => sum + (value - (source[at] as number)) ** 2, 0) / decoded.length,
        );
      }),
    );
    const [four, sixteen, sixtyFour, all] = errors as [number, number, number, number];
    assert.ok(four > sixteen && sixteen > sixtyFour && sixtyFour > all && all < 3.5, errors.join(' '));
  });
});

test('does not dither flat graphics', async () => {
  const tones: readonly Rgba[] = Array.from({ length: 40 }, (_, index) => [
    index * 6,
    255 - index * 5,
    (index * 37) % 256,
    255,
  ]);
  const chart = frameOf(WIDTH, HEIGHT, (x) => tones[Math.floor(x / 4)] as Rgba);
  const decoded = await decodeWithVips(writeGif(animationOf(WIDTH, HEIGHT, [chart]), { colours: 12 }));
  for (let bar = 0; bar < 40; bar += 1) {
    const at = 4 * (bar * 4);
    for (let y = 0; y < HEIGHT; y += 1) {
      for (let x = 0; x < 4; x += 1) {
        assert.deepEqual(
          [...decoded.subarray(4 * (y * WIDTH + bar * 4 + x), 4 * (y * WIDTH + bar * 4 + x) + 4)],
          [...decoded.subarray(at, at + 4)],
        );
      }
    }
  }
});

test('keeps white paper white', async () => {
  const noise = randomOf(2);
  const page = frameOf(WIDTH, HEIGHT, (x, y) => {
    if ((x + y) % 3 > 0) return [255, 255, 255, 255];
    return y > 100 ? [Math.floor(noise() * 200), 0, 0, 255] : [230 + Math.floor(noise() * 25), 255, 240, 255];
  });
  const decoded = await decodeWithVips(writeGif(animationOf(WIDTH, HEIGHT, [page]), { colours: 3 }));
  for (let at = 0; at < AREA; at += 4) {
    if (page[at] === 255) assert.deepEqual([...decoded.subarray(at, at + 3)], [255, 255, 255]);
  }
});

test('gives scenes without common colours their own palettes', async () => {
  const noise = randomOf(4);
  const cloud = (channel: number) =>
    frameOf(WIDTH, HEIGHT, () => {
      const colour: [number, number, number, number] = [0, 0, 0, 255];
      colour[channel] = 130 + Math.floor(noise() * 120);
      colour[(channel + 1) % 3] = Math.floor(noise() * 100);
      return colour;
    });
  const frames = [cloud(0), cloud(1), cloud(2)];
  const decoded = await decodeWithVips(writeGif(animationOf(WIDTH, HEIGHT, frames), { colours: 16, dither: 'none' }));
  assert.ok(countColours(decoded) > 32, 'one palette of 16 for all');
  for (const [index, frame] of frames.entries()) {
    const shown = decoded.subarray(index * AREA, (index + 1) * AREA);
    assert.ok(countColours(shown) <= 16);
    const error = Math.sqrt(shown.reduce((sum, value, at) => sum + (value - (frame[at] as number)) ** 2, 0) / AREA);
    assert.ok(error < 14, `${error}`);
  }
});

test('makes no new palette for a moving camera', async () => {
  const noise = randomOf(9);
  // Every pixel changes, and each frame has its own shades of the same colours.
  const views = [0, 1, 2, 3].map((step) =>
    frameOf(WIDTH, HEIGHT, (x, y) => {
      const tile = (Math.floor(x / 10) * 7 + Math.floor(y / 10) * 5) % 16;
      const shade = step * 8 + Math.floor(noise() * 2);
      return [(tile & 3) * 64 + shade, (tile >> 2) * 64 + shade, shade, 255];
    }),
  );
  const decoded = await decodeWithVips(writeGif(animationOf(WIDTH, HEIGHT, views), { colours: 16, dither: 'none' }));
  assert.ok(countColours(decoded) <= 16, `${countColours(decoded)} colours`);
});

test('gives a transparent pixel one of the colours', async () => {
  const holed = Uint8Array.from(backdrop);
  for (let at = 3; at < AREA; at += 40) holed[at] = 0;
  for (const colours of [2, 16, 256]) {
    const decoded = await decodeWithVips(writeGif(animationOf(WIDTH, HEIGHT, [holed, backdrop, holed]), { colours }));
    for (let frame = 0; frame < 3; frame += 1) {
      const shown = decoded.subarray(frame * AREA, (frame + 1) * AREA);
      assert.ok(countColours(shown) <= colours);
      assert.equal(shown[3], frame === 1 ? 255 : 0);
    }
  }
});

describe('a tolerance', () => {
  const noise = randomOf(7);
  const flicker = (shades: number, by: number) =>
    [0, 1, 2, 3].map(() =>
      frameOf(WIDTH, HEIGHT, (x) => [(x % shades) * 8 + Math.floor(noise() * by), Math.floor(noise() * by), 9, 255]),
    );

  for (const [kind, frames, colours, tolerance, reach] of [
    ['few colours', flicker(4, 2), 256, 3, 2],
    [
      'few colours of their own in each frame',
      flicker(16, 2).map((frame, index) => frame.fill(100 + index, 2, 3)),
      66,
      3,
      3,
    ],
    ['many colours', flicker(20, 8), 64, 9, 14],
  ] as const) {
    test(`leaves out small changes between frames of ${kind}, and keeps large ones`, async () => {
      const animation = animationOf(WIDTH, HEIGHT, frames);
      const [exact, tolerant] = [0, tolerance].map((far) =>
        writeGif(animation, { colours, tolerance: far, dither: 'none' }),
      );
      assert.ok(exact && tolerant && tolerant.length < exact.length * 0.7, `${tolerant?.length} of ${exact?.length}`);
      const decoded = await decodeWithVips(tolerant);
      for (const [index, frame] of frames.entries()) {
        assert.ok(countColours(decoded.subarray(index * AREA, (index + 1) * AREA)) <= colours);
        for (let at = 0; at < AREA; at += 1) {
          const off = Math.abs((decoded[index * AREA + at] as number) - (frame[at] as number));
          assert.ok(off <= reach, `off by ${off} in frame ${index}`);
        }
      }
    });
  }

  test('is a distance between colours', async () => {
    const frames = [
      frameOf(2, 1, () => [100, 100, 100, 255]),
      frameOf(2, 1, (x) => (x === 0 ? [103, 100, 100, 255] : [102, 102, 102, 255])),
    ];
    const decoded = await decodeWithVips(writeGif(animationOf(2, 1, frames), { colours: 8, tolerance: 3 }));
    assert.deepEqual([...decoded.subarray(8)], [100, 100, 100, 255, 102, 102, 102, 255]);
  });

  test('gives no frame more colours than allowed', async () => {
    const frames = [0, 3, 6, 9].map((shift) =>
      frameOf(WIDTH, HEIGHT, (x) => [(x % 4) * 40 + shift + Math.floor(noise() * 4), Math.floor(noise() * 4), 9, 255]),
    );
    const gif = writeGif(animationOf(WIDTH, HEIGHT, frames), { colours: 66, tolerance: 3 });
    assert.ok(Buffer.compare(await decodeWithVips(gif), Buffer.concat(frames)) === 0);
  });
});
