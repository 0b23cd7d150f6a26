/** Compares masks that are computed only where they vary with masks that are computed everywhere. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startKernels } from '../../../codecs/kernels/kernels.ts';
import { compileModule } from '../../../codecs/modules.ts';
import {
  enlargeAlphaMask,
  minimumFilter,
  type Shares,
  shrinkAlphaMask,
  soften,
} from '../../../engine/operations/remove-background/alpha-mask.ts';
import { TileMap } from '../../../engine/operations/remove-background/tile-map.ts';
import { isNightly, nightlyOnly } from '../../support/nightly.ts';

const kernels = startKernels({ kernels: await compileModule('kernels') });

/** Draws a disc with a soft edge, a hole in it, and a distant speck. */
function discOf(width: number, height: number): Shares {
  const data = new Uint8ClampedArray(width * height);
  const unit = Math.min(width, height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const distance = Math.hypot(x - width / 2, y - height / 2);
      const inHole = Math.hypot(x - width / 2, y - height / 2 + unit / 8) < 3;
      data[y * width + x] = inHole ? 90 : (unit * 0.4 - distance) * 40;
    }
  data[2 * width + 1] = 130;
  return { data: new Uint8Array(data.buffer), width, height };
}

const SIZES = [
  [1, 1],
  [7, 3],
  [16, 16],
  [17, 33],
  [200, 131],
  [131, 300],
] as const;

const clamp = (value: number, most: number): number => Math.min(Math.max(value, 0), most);
const at = ({ data, width, height }: Shares, x: number, y: number): number =>
  data[clamp(y, height - 1) * width + clamp(x, width - 1)]!;

function assertNear(
  actual: Uint8Array,
  expected: (x: number, y: number) => number,
  width: number,
  label: string,
): void {
  for (let pixel = 0; pixel < actual.length; pixel += 1) {
    const wanted = clamp(expected(pixel % width, Math.floor(pixel / width)), 255);
    assert.ok(Math.abs(actual[pixel]! - wanted) <= 1.01, `${label}, pixel ${pixel}: ${actual[pixel]} for ${wanted}`);
  }
}

describe('tiles', () => {
  it('are uniform only where everything around has the same value', () => {
    for (const [width, height] of SIZES)
      for (const reach of [1, 20]) {
        const shares = discOf(width, height);
        const cells = new TileMap(shares, reach);
        for (let y = 0; y < height; y += 1)
          for (let x = 0; x < width; x += 1) {
            const value = cells.at(x, y);
            if (value === undefined) continue;
            for (const [dx, dy] of [
              [0, 0],
              [reach, 0],
              [-reach, reach],
              [0, -reach],
              [reach, reach],
            ] as const)
              assert.equal(at(shares, x + dx, y + dy), value);
          }
      }
  });

  it('cover each row with their runs, and most of a mask is uniform', () => {
    const shares = discOf(600, 500);
    const cells = new TileMap(shares, 4);
    let settled = 0;
    for (let top = 0; top < 500; top += cells.side) {
      let left = 0;
      for (const run of cells.runs(top)) {
        assert.equal(run.left, left);
        left = run.right;
        if (run.value !== undefined) settled += (run.right - run.left) * Math.min(cells.side, 500 - top);
      }
      assert.equal(left, 600);
    }
    assert.ok(settled > 0.6 * 600 * 500, `${settled} pixels`);
  });
});

describe('a blur', () => {
  it('matches a Gaussian curve at every pixel', () => {
    for (const [width, height] of SIZES)
      for (const sigma of [0.8, 2.5, 14]) {
        // The reference takes a second.
        if (!isNightly && sigma > 10 && width * height > 10_000) continue;
        const shares = discOf(width, height);
        const before = { ...shares, data: shares.data.slice() };
        soften(kernels, shares, sigma);
        const weights = [1];
        for (let weight = Math.exp(-1 / (2 * sigma ** 2)); weight >= 0.2; ) {
          weights.push(weight);
          weight = Math.exp(-(weights.length ** 2) / (2 * sigma ** 2));
        }
        const sum = 2 * weights.reduce((total, weight) => total + weight) - 1;
        const blurred = (x: number, y: number): number => {
          let total = 0;
          for (let down = 1 - weights.length; down < weights.length; down += 1)
            for (let across = 1 - weights.length; across < weights.length; across += 1)
              total += weights[Math.abs(down)]! * weights[Math.abs(across)]! * at(before, x + across, y + down);
          return total / sum ** 2;
        };
        assertNear(shares.data, blurred, width, `${width} x ${height}, ${sigma}`);
      }
  });
});

describe('enlarging', () => {
  it('is cubic between the pixel centres, and keeps the levels', { skip: nightlyOnly }, () => {
    for (const [width, height] of SIZES) {
      const mask = discOf(width, height);
      for (const [low, high] of [
        [0, 255],
        [102, 178],
      ] as const) {
        const size = { width: 3 * width + 1, height: 2 * height };
        const { data } = enlargeAlphaMask(kernels, mask, size, [low, high]);
        const weight = (distance: number): number => {
          const far = Math.abs(distance);
          if (far >= 2) return 0;
          return far < 1 ? 1.5 * far ** 3 - 2.5 * far ** 2 + 1 : -0.5 * far ** 3 + 2.5 * far ** 2 - 4 * far + 2;
        };
        const enlarged = (x: number, y: number): number => {
          const across = ((x + 0.5) * width) / size.width - 0.5;
          const down = ((y + 0.5) * height) / size.height - 0.5;
          let total = 0;
          for (let row = Math.floor(down) - 1; row <= Math.floor(down) + 2; row += 1)
            for (let column = Math.floor(across) - 1; column <= Math.floor(across) + 2; column += 1)
              total += weight(row - down) * weight(column - across) * at(mask, column, row);
          return ((total - low) / (high - low)) * 255;
        };
        assertNear(data, enlarged, size.width, `${width} x ${height}, ${low} to ${high}`);
      }
    }
  });
});

describe('shrinking', () => {
  it('uses the mean of the pixels that fall into each one', () => {
    const shares = discOf(400, 300);
    const small = shrinkAlphaMask(shares, new TileMap(shares, 4), { width: 100, height: 75 });
    const mean = (x: number, y: number): number => {
      let total = 0;
      for (let pixel = 0; pixel < 16; pixel += 1)
        total += at(shares, 4 * x + (pixel % 4), 4 * y + Math.floor(pixel / 4));
      return total / 16;
    };
    assertNear(small.data, mean, 100, 'a quarter');
    assert.deepEqual(shrinkAlphaMask(shares, new TileMap(shares, 4), { width: 400, height: 300 }).data, shares.data);
  });
});

describe('the minimum filter', () => {
  it('uses the square around each pixel', () => {
    for (const [width, height] of SIZES)
      for (const radius of [1, 3]) {
        const shares = discOf(width, height);
        const least = minimumFilter(shares, radius);
        for (let y = 0; y < height; y += 1)
          for (let x = 0; x < width; x += 1) {
            let wanted = 255;
            for (let down = -radius; down <= radius; down += 1)
              for (let across = -radius; across <= radius; across += 1)
                wanted = Math.min(wanted, at(shares, x + across, y + down));
            assert.equal(least[y * width + x], wanted);
          }
      }
  });
});
