import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Kernels } from '../../codecs/kernels/kernels.ts';
import { compileModule } from '../../codecs/modules.ts';
import { Random } from '../support/random.ts';

const random = new Random(11);
const samples = (count: number) => Uint8Array.from({ length: count }, () => random.integer(256));
const four = <T>(value: (index: number) => T): [T, T, T, T] => [value(0), value(1), value(2), value(3)];
const weights = () => Float32Array.from(four(() => random.integer(1000) / 2000));

/** Counts with every remainder that vectors of 8 can leave. */
const COUNTS = [1, 3, 7, 8, 9, 15, 16, 17, 300];

function near(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  assert.equal(actual.length, expected.length);
  for (let at = 0; at < actual.length; at += 1) {
    assert.ok(Math.abs(actual[at]! - expected[at]!) < 1e-3, `${at}: ${actual[at]} instead of ${expected[at]}`);
  }
}

describe('the kernels', () => {
  let kernels: Kernels;

  before(async () => {
    kernels = new Kernels(await compileModule('kernels'));
  });

  for (const count of COUNTS) {
    it(`blend four rows of ${count} samples, or of as many floats`, () => {
      for (const [name, make] of [
        ['blendSamples', samples],
        ['blendFloats', (length: number) => Float32Array.from(samples(length), (value) => value / 3)],
      ] as const) {
        kernels.free();
        const rows = four(() => make(count));
        const share = weights();
        const [a, b, c, d] = four((index) => kernels.place(rows[index]!));
        const shares = kernels.place(share);
        const to = kernels.reserve(count * 4);
        kernels.run[name](to, count, a, b, c, d, shares);
        near(
          kernels.floats(to, count),
          Array.from({ length: count }, (_, at) => rows.reduce((sum, row, index) => sum + row[at]! * share[index]!, 0)),
        );
      }
    });

    it(`convert ${count} samples to floats, and ${count} pixels to planes`, () => {
      kernels.free();
      const row = samples(count * 3);
      const from = kernels.place(row);
      const [floats, red, green, blue] = four(() => kernels.reserve(count * 4));
      kernels.run.toFloats(floats, count, from);
      near(kernels.floats(floats, count), row.subarray(0, count));
      kernels.run.toPlanes(red, green, blue, count, from);
      for (const [band, plane] of [red, green, blue].entries()) {
        near(
          kernels.floats(plane, count),
          row.filter((_, at) => at % 3 === band),
        );
      }
    });
  }

  it('blend four pixels of a line into each pixel of a row', () => {
    kernels.free();
    const [pixels, count] = [9, 20];
    const line = Float32Array.from(samples(pixels * 3));
    const taps = Int32Array.from({ length: count * 4 }, () => random.integer(pixels));
    const shares = Float32Array.from({ length: count * 4 }, () => random.integer(1000) / 1000);
    const [red, green, blue] = four(() => kernels.reserve(count * 4));
    kernels.run.blendPixels(
      red,
      green,
      blue,
      count,
      kernels.place(line),
      kernels.place(taps.map((pixel) => pixel * 3 * 4)),
      kernels.place(shares),
    );
    for (const [band, plane] of [red, green, blue].entries()) {
      const expected = Array.from({ length: count }, (_, place) =>
        four((tap) => line[taps[place * 4 + tap]! * 3 + band]! * shares[place * 4 + tap]!).reduce((a, b) => a + b),
      );
      near(kernels.floats(plane, count), expected);
    }
  });

  for (const count of COUNTS) {
    it(`make ${count} pixels opaque, and write nothing beyond them`, () => {
      kernels.free();
      const row = samples(count * 3);
      const rgb = kernels.place(row);
      const rgba = kernels.reserve((count + 1) * 4);
      kernels.bytes(rgba, (count + 1) * 4).fill(9);
      kernels.run.addAlpha(rgba, count, rgb);
      const expected = Array.from({ length: count }, (_, pixel) => [...row.subarray(pixel * 3, pixel * 3 + 3), 255]);
      assert.deepEqual([...kernels.bytes(rgba, (count + 1) * 4)], [...expected.flat(), 9, 9, 9, 9]);
    });

    it(`blur ${count} samples with their neighbours, and write nothing beyond them`, () => {
      for (const radius of [0, 1, 5]) {
        kernels.free();
        const share = Float32Array.from({ length: radius + 1 }, () => 1 / (2 * radius + 1));
        const step = count + 3;
        const rows = samples(step * (2 * radius + 1));
        const from = kernels.place(rows) + radius * step;
        const to = kernels.place(new Uint8Array(count + 8).fill(9));
        kernels.run.soften(to, count, from, step, radius, kernels.place(share));
        const result = kernels.bytes(to, count + 8);
        for (let at = 0; at < count; at += 1) {
          let sum = 0;
          for (let row = 0; row <= 2 * radius; row += 1) sum += rows[row * step + at]!;
          assert.ok(Math.abs(result[at]! - sum / (2 * radius + 1)) <= 0.5 + 1e-3, `${at}: ${result[at]}`);
        }
        assert.ok(result.subarray(count).every((value) => value === 9));
      }
    });
  }

  it('remove the background from the colours of an edge next to the subject', () => {
    for (const [values, next] of [
      [1, 0],
      [6, 1],
    ] as const) {
      kernels.free();
      const [count, trust] = [50, 0.4];
      const floats = (length: number) => Float32Array.from(samples(length), (value) => value / 255);
      const [foreground, background, purity] = [floats(values * 3), floats(values * 3), floats(values)];
      purity[0] = 1;
      const first = Int32Array.from({ length: count }, () => random.integer(Math.max(1, values - 1)));
      const share = Float32Array.from({ length: count }, () => (next === 0 ? 0 : random.integer(100) / 100));
      const [rgb, shares] = [samples(count * 3), samples(count)];
      shares[3] = 0;
      const rgba = kernels.place(new Uint8Array(count * 4).fill(9));
      kernels.run.unmix(
        rgba,
        kernels.place(rgb),
        kernels.place(shares),
        count,
        kernels.place(first),
        kernels.place(share),
        next,
        kernels.place(foreground),
        kernels.place(background),
        kernels.place(purity),
        trust,
      );
      const result = kernels.bytes(rgba, count * 4);
      for (let pixel = 0; pixel < count; pixel += 1) {
        const between = (line: Float32Array, bands: number, band: number) => {
          const [left, right] = [first[pixel]!, first[pixel]! + next].map((at) => line[at * bands + band]!) as [
            number,
            number,
          ];
          return left + share[pixel]! * (right - left);
        };
        const visible = shares[pixel]! / 255;
        const pure = between(purity, 1, 0);
        for (const band of [0, 1, 2]) {
          const seen = rgb[pixel * 3 + band]!;
          const own = between(foreground, 3, band) * 255;
          const mixed = visible * own + (1 - visible) * between(background, 3, band) * 255;
          const expected = pure === 1 ? seen : own + visible * (trust + (1 - trust) * pure) * (seen - mixed);
          const clamped = visible === 0 ? 9 : Math.min(255, Math.max(0, expected));
          assert.ok(
            Math.abs(result[pixel * 4 + band]! - clamped) < 0.51,
            `${pixel}: ${result[pixel * 4 + band]} instead of ${clamped}`,
          );
        }
        assert.equal(result[pixel * 4 + 3], visible === 0 ? 9 : shares[pixel]);
      }
    }
  });

  it('compute the mean of a block, with alpha of its visible pixels', () => {
    for (const [bands, colours] of [
      [1, 1],
      [2, 1],
      [3, 3],
      [4, 3],
    ] as const) {
      kernels.free();
      const [width, height, pitch] = [7, 5, 60];
      const block = samples(pitch * height);
      const means = kernels.reserve(colours * 4);
      kernels.run.meansOf(means, kernels.place(block), pitch, width, height, bands, colours);
      const expected = Array.from({ length: colours }, (_, band) => {
        let [sum, total] = [0, 0];
        for (let y = 0; y < height; y += 1) {
          for (let x = 0; x < width; x += 1) {
            const at = y * pitch + x * bands;
            const weight = bands > colours ? block[at + colours]! : 1;
            sum += weight * block[at + band]!;
            total += weight;
          }
        }
        return sum / total;
      });
      near(kernels.floats(means, colours), expected);
    }
  });

  it('return zero as the mean where nothing is visible', () => {
    kernels.free();
    const means = kernels.place(Float32Array.of(9));
    kernels.run.meansOf(means, kernels.place(Uint8Array.of(50, 0, 60, 0)), 4, 2, 1, 2, 1);
    near(kernels.floats(means, 1), [0]);
  });

  it('cover the middle of a row fully, its edges less, and keep alpha and what is outside', () => {
    const [width, middle, axis, reach, down] = [60, 30, 20, 1.25, 0.2];
    for (const [bands, colours] of [
      [3, 3],
      [4, 3],
    ] as const) {
      kernels.free();
      const row = samples(width * bands);
      const line = Float32Array.from({ length: width * colours }, () => random.integer(2551) / 10);
      const at = kernels.place(row);
      const within = (multiple: number) => {
        const half = axis * Math.sqrt(multiple ** 2 - down);
        return [Math.round(middle - half), Math.round(middle + half)] as const;
      };
      const [[start, end], [left, right]] = [within(reach), within(1)];
      const across = (0.5 - middle) / axis;
      const lineAt = kernels.place(line);
      kernels.run.coverRow(at, lineAt, bands, colours, start, left, right, end, down, across, 1 / axis, reach);
      const expected = row.map((own, index) => {
        const [x, band] = [Math.floor(index / bands), index % bands];
        if (band >= colours || x < start || x >= end) return own;
        const distance = Math.hypot(Math.sqrt(down), (x + 0.5 - middle) / axis);
        const opacity = Math.min(1, Math.max(0, (reach - distance) / (reach - 1)));
        return own + opacity * (line[x * colours + band]! - own) + 0.5;
      });
      assert.notDeepEqual(expected, row);
      for (const [index, value] of kernels.bytes(at, row.length).entries()) {
        assert.ok(Math.abs(value - expected[index]!) <= 1, `${index}: ${value} instead of ${expected[index]}`);
      }
    }
  });

  it('keep placed data while their memory grows, and start again after they are freed', () => {
    kernels.free();
    const row = samples(100);
    const first = kernels.place(row);
    const mark = kernels.end;
    const size = 2 ** 22;
    const large = kernels.reserve(size);
    kernels.bytes(large, size).fill(7);
    assert.deepEqual(kernels.bytes(first, 100), row);
    kernels.free(mark);
    assert.equal(kernels.reserve(1), large);
    kernels.free();
    assert.equal(kernels.reserve(1), first);
  });
});
