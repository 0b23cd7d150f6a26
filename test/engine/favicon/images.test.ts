/** How the image is placed on the icons, checked pixel by pixel. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { nightlyOnly } from '../../support/nightly.ts';
import { decode, difference, flat, pattern, pixel, png, type RawImage } from '../../support/test-images.ts';
import { findProgram, skipWithout } from '../../support/tool.ts';
import { verifies } from '../../support/verifies.ts';
import { boxOf, makePack, maxRadius, visible } from './pack.ts';

const TRANSPARENT_ICONS = [
  ['favicon-16x16.png', 16],
  ['favicon-32x32.png', 32],
  ['favicon-48x48.png', 48],
  ['icon-192.png', 192],
  ['icon-512.png', 512],
] as const;
const APPLE = 'apple-touch-icon.png';
const MASKABLE = 'icon-maskable-512.png';
const SAFE_RADIUS = 0.4 * 512;

/** Draws a flat image with a frame of another colour, which no icon may cut off. */
function framed(width: number, height: number, frame: number): RawImage {
  const image = flat(width, height, 255, 0, 0, 255);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (x >= frame && y >= frame && x < width - frame && y < height - frame) continue;
      image.data.set([0, 0, 255, 255], (y * width + x) * 4);
    }
  }
  return image;
}

/** Draws a disc of one colour on a transparent background. The disc touches all four edges. */
function disc(side: number): RawImage {
  const image = flat(side, side, 20, 60, 110, 0);
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      const inside = Math.hypot(x + 0.5 - side / 2, y + 0.5 - side / 2) <= side / 2;
      image.data[(y * side + x) * 4 + 3] = inside ? 255 : 0;
    }
  }
  return image;
}

const isColour =
  (red: number, green: number, blue: number) =>
  ([r, g, b]: number[]): boolean =>
    Math.max(Math.abs(r! - red), Math.abs(g! - green), Math.abs(b! - blue)) <= 2;

function assertNear(actual: number, expected: number, tolerance: number, what: string): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what}: ${actual} is not within ${tolerance} of ${expected}`);
}

describe('an image that is not square', () => {
  for (const [width, height] of [
    [600, 300],
    [300, 600],
  ] as const) {
    it(`of ${width} x ${height} is centred and complete on every icon`, async () => {
      verifies('favicon.pack.centred');
      const pack = await makePack(await png(framed(width, height, 50)));
      for (const [name, side] of TRANSPARENT_ICONS) {
        const icon = await pack.icon(name);
        const [long, short] = [side, side / 2];
        const expected =
          width > height
            ? { left: 0, top: short / 2, width: long, height: short }
            : { left: short / 2, top: 0, width: short, height: long };
        assert.deepEqual(boxOf(icon, visible), expected, name);
        // The frame is visible on all four sides.
        const { left, top } = expected;
        const [right, bottom] = [left + expected.width - 1, top + expected.height - 1];
        for (const [x, y] of [
          [left, side / 2],
          [right, side / 2],
          [side / 2, top],
          [side / 2, bottom],
        ] as const) {
          const [red, , blue] = pixel(icon, x, y) as [number, number, number];
          assert.ok(blue > red, `${name} at ${x}, ${y}`);
        }
        assert.deepEqual(pixel(icon, side / 2, side / 2).slice(0, 3), [255, 0, 0], name);
      }
      const white = isColour(255, 255, 255);
      const apple = boxOf(await pack.icon(APPLE), (samples) => !white(samples));
      assert.deepEqual([apple.width, apple.height].sort(), [180, 90].sort());
      assert.deepEqual([apple.left, apple.top], [(180 - apple.width) / 2, (180 - apple.height) / 2]);
    });
  }

  it('may be very narrow, but not a single line', async () => {
    const pack = await makePack(await png(flat(2000, 2, 10, 20, 30)));
    assert.deepEqual(boxOf(await pack.icon('favicon-16x16.png'), visible), { left: 0, top: 7, width: 16, height: 1 });
    for (const [width, height] of [
      [1, 600],
      [600, 1],
      [1, 1],
    ] as const) {
      await assert.rejects(makePack(await png(flat(width, height, 10, 20, 30))), {
        code: 'unsupported_output',
        param: 'image',
        message: `Expected an image of at least 2 x 2 pixels for image but received ${width} x ${height} pixels.`,
      });
    }
  });
});

describe('transparency', () => {
  it('is kept on tab and app icons and painted on the Apple and the maskable icon', async () => {
    verifies('favicon.pack.opaque', 'favicon.background');
    const image = flat(600, 600, 0, 0, 0, 0);
    for (let y = 200; y < 400; y += 1) {
      for (let x = 200; x < 400; x += 1) image.data.set([0, 0, 255, x < 300 ? 255 : 128], (y * 600 + x) * 4);
    }
    const pack = await makePack(await png(image), { background: '#ff8000' });
    for (const [name, side] of TRANSPARENT_ICONS) {
      const icon = await pack.icon(name);
      assert.deepEqual(pixel(icon, 0, 0), [0, 0, 0, 0], name);
      const [, , blue, alpha] = pixel(icon, Math.floor(side * 0.57), side / 2) as [number, number, number, number];
      assert.equal(blue, 255, name);
      assertNear(alpha, 128, side < 48 ? 40 : 6, name);
    }
    for (const name of [APPLE, MASKABLE]) {
      const icon = await pack.icon(name);
      assert.equal(icon.channels, 3, name);
      assert.deepEqual(pixel(icon, 0, 0), [255, 128, 0], name);
      assert.deepEqual(pixel(icon, icon.width / 2 - 10, icon.height / 2), [0, 0, 255], name);
      const [red, green, blue] = pixel(icon, icon.width / 2 + 10, icon.height / 2) as [number, number, number];
      for (const [value, wanted] of [
        [red, 127],
        [green, 64],
        [blue, 128],
      ] as const) {
        assertNear(value, wanted, 2, name);
      }
    }
  });

  it('is white by default', async () => {
    verifies('favicon.pack.opaque', 'favicon.background');
    const pack = await makePack(await png(flat(600, 600, 90, 90, 90, 0)));
    for (const name of [APPLE, MASKABLE]) {
      const { data, channels } = await pack.icon(name);
      assert.equal(channels, 3);
      assert.ok(
        data.every((sample) => sample === 255),
        name,
      );
    }
  });

  it('leaves no fringe in the hidden colour of transparent pixels', async () => {
    const image = flat(600, 600, 0, 255, 0, 0);
    for (let y = 0; y < 600; y += 1) {
      for (let x = 0; x < 317; x += 1) image.data.set([255, 0, 0, 255], (y * 600 + x) * 4);
    }
    const pack = await makePack(await png(image));
    for (const [name] of TRANSPARENT_ICONS) {
      const icon = await pack.icon(name);
      const seen = new Set<string>();
      for (let x = 0; x < icon.width; x += 1) {
        const [red, green, , alpha] = pixel(icon, x, icon.height / 2);
        if (alpha! > 0) seen.add(`${red},${green}`);
      }
      assert.deepEqual([...seen], ['255,0'], name);
    }
  });
});

describe('padding', () => {
  it('defaults to 0: the image fills the icon', async () => {
    verifies('favicon.padding');
    const pack = await makePack(await png(flat(600, 600, 200, 0, 0, 255)));
    for (const [name, side] of TRANSPARENT_ICONS) {
      assert.deepEqual(boxOf(await pack.icon(name), visible), { left: 0, top: 0, width: side, height: side }, name);
    }
  });

  for (const [padding, margins] of [
    [1, { 16: 0, 32: 0, 48: 0, 180: 2, 192: 2, 512: 5 }],
    [25, { 16: 4, 32: 8, 48: 12, 180: 45, 192: 48, 512: 128 }],
    [40, { 16: 6, 32: 13, 48: 19, 180: 72, 192: 77, 512: 205 }],
  ] as const) {
    const skip = padding === 25 && nightlyOnly;
    it(`of ${padding} keeps that percentage of the side clear along each edge`, { skip }, async () => {
      verifies('favicon.padding', 'favicon.padding.bounds');
      const pack = await makePack(await png(flat(600, 600, 200, 0, 0)), { padding });
      const box = (side: keyof typeof margins) => {
        const margin = margins[side];
        return { left: margin, top: margin, width: side - 2 * margin, height: side - 2 * margin };
      };
      for (const [name, side] of TRANSPARENT_ICONS)
        assert.deepEqual(boxOf(await pack.icon(name), visible), box(side), name);
      const red = isColour(200, 0, 0);
      assert.deepEqual(boxOf(await pack.icon(APPLE), red), box(180));
      const maskable = boxOf(await pack.icon(MASKABLE), red);
      // The safe zone may require more padding than requested.
      if (padding >= 25) assert.deepEqual(maskable, box(512));
      else assertNear(maskable.width, SAFE_RADIUS * Math.SQRT2, 3, 'width');
    });
  }
});

describe('the maskable icon', () => {
  const white = isColour(255, 255, 255);
  const drawn = (samples: number[]) => !white(samples);

  for (const [width, height] of [
    [520, 520],
    [800, 200],
    [173, 520],
  ] as const) {
    it(`fits ${width} x ${height} pixels into its safe zone, as large as possible`, async () => {
      verifies('favicon.pack.maskable', 'favicon.pack.centred');
      const pack = await makePack(await png(flat(width, height, 10, 20, 30)));
      const icon = await pack.icon(MASKABLE);
      const reach = maxRadius(icon, drawn);
      assert.ok(reach <= SAFE_RADIUS, `${reach}`);
      assert.ok(reach > SAFE_RADIUS - 4, `${reach}`);
    });
  }

  it('lets a round image fill the zone, because its corners are empty, and the background the rest', async () => {
    const pack = await makePack(await png(disc(900)), { background: '#abcdef' });
    const icon = await pack.icon(MASKABLE);
    const ground = isColour(0xab, 0xcd, 0xef);
    assert.ok(maxRadius(icon, (samples) => !ground(samples)) <= SAFE_RADIUS);
    assertNear(boxOf(icon, (samples) => !ground(samples)).width, 2 * SAFE_RADIUS, 5, 'width');
    for (const [x, y] of [
      [0, 0],
      [511, 0],
      [0, 511],
      [511, 511],
      [256, 0],
    ] as const) {
      assert.deepEqual(pixel(icon, x, y), [0xab, 0xcd, 0xef]);
    }
  });
});

describe('a small image', () => {
  for (const [width, height] of [
    [40, 24],
    [16, 16],
    [2, 300],
  ] as const) {
    it(`of ${width} x ${height} fills every icon`, async () => {
      verifies('favicon.source-small');
      const pack = await makePack(await png(flat(width, height, 200, 30, 60)));
      assert.deepEqual(pack.result.warnings, ['source_small']);
      const boxes = (side: number) => {
        const factor = side / Math.max(width, height);
        const [w, h] = [width, height].map((length) => Math.max(1, Math.round(length * factor))) as [number, number];
        return { left: Math.floor((side - w) / 2), top: Math.floor((side - h) / 2), width: w, height: h };
      };
      const red = isColour(200, 30, 60);
      for (const [name, side] of [...TRANSPARENT_ICONS, [APPLE, 180]] as const)
        assert.deepEqual(boxOf(await pack.icon(name), red), boxes(side), name);
      assertNear(maxRadius(await pack.icon(MASKABLE), red), SAFE_RADIUS, 4, 'radius');
    });
  }

  it('keeps its edges where they are, without an outline, and its transparency', async () => {
    const image = flat(32, 32, 255, 255, 255, 0);
    for (let y = 8; y < 24; y += 1)
      for (let x = 8; x < 24; x += 1)
        image.data.set(x < 16 ? [255, 255, 255, 255] : [20, 40, 90, 255], (y * 32 + x) * 4);
    const icon = await (await makePack(await png(image))).icon('icon-512.png');
    const row = Array.from({ length: 512 }, (_, x) => pixel(icon, x, 256));
    const alpha = row.map((samples) => samples[3]!);
    assert.deepEqual([alpha[0], alpha[110], alpha[400], alpha[511]], [0, 0, 0, 0]);
    assertNear(alpha.filter((value) => value >= 128).length, 256, 4, 'width of the shape');
    // No sample is darker than the dark half or, beside it, than the light half.
    for (const [red, green, blue, opacity] of row)
      if (opacity! > 0) assert.ok(red! >= 19 && green! >= 39 && blue! >= 89, `${[red, green, blue]}`);
    const edge = row.findIndex(([red], x) => x > 140 && red! < 190);
    assertNear(edge, 256, 3, 'edge between the halves');
  });

  it('has a longer side of less than 512 pixels', async () => {
    verifies('favicon.source-small');
    for (const [width, height, small] of [
      [511, 511, true],
      [512, 512, false],
      [512, 100, false],
      [2, 2, true],
    ] as const) {
      const { result } = await makePack(await png(flat(width, height, 1, 2, 3)));
      assert.deepEqual(result.warnings, small ? ['source_small'] : [], `${width} x ${height}`);
    }
  });
});

describe('resizing', () => {
  it('averages linear light, not samples', async () => {
    const board = flat(1024, 1024, 0, 0, 0);
    for (let at = 0; at < 1024 * 1024; at += 1) {
      if ((at + (at >> 10)) % 2 === 0) board.data.fill(255, at * 3, at * 3 + 3);
    }
    const pack = await makePack(await png(board));
    for (const [name, side] of TRANSPARENT_ICONS) {
      const icon = await pack.icon(name);
      // Half the light of white is sRGB 188 (IEC 61966-2-1). Half of the sample value would be 128.
      for (const value of pixel(icon, side / 2, side / 2)) assertNear(value, 188, 1, name);
    }
  });

  it('causes no ringing beside the edges of a drawing on black', async () => {
    const image = flat(1024, 1024, 0, 0, 0);
    for (let y = 0; y < 1024; y += 1) image.data.fill(255, (y * 1024 + 512) * 3, (y * 1024 + 1024) * 3);
    const icon = await (await makePack(await png(image))).icon('favicon-32x32.png');
    const row = Array.from({ length: 32 }, (_, x) => pixel(icon, x, 16)[0]!);
    // Only the two pixels at the edge may be mixed.
    assert.deepEqual(row.slice(0, 15), Array(15).fill(0));
    assert.deepEqual(row.slice(17), Array(15).fill(255));
  });

  it('agrees with ImageMagick in linear light on a photograph', {
    skip: skipWithout('convert') || nightlyOnly,
  }, async () => {
    const source = await png(pattern(1400, 1100, 4));
    const pack = await makePack(source);
    for (const [side, height] of [
      [16, 13],
      [32, 25],
      [48, 38],
      [192, 151],
      [512, 402],
    ] as const) {
      const args = ['png:-', '-colorspace', 'RGB', '-filter', 'Lanczos2', '-resize', `${side}x${height}!`];
      const reference = await decode(
        execFileSync(findProgram('convert')!, [...args, '-colorspace', 'sRGB', '-depth', '8', 'png32:-'], {
          input: source,
        }),
      );
      const name = side < 192 ? `favicon-${side}x${side}.png` : `icon-${side}.png`;
      const area = { left: 0, top: Math.floor((side - height) / 2), width: side, height };
      const icon = await decode(await sharp(pack.bytes(name)).ensureAlpha().extract(area).png().toBuffer());
      const { mean } = difference(icon, reference);
      assert.ok(mean < 1.5, `${name}: ${mean}`);
    }
  });
});
