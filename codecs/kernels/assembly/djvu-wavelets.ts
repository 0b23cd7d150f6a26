/**
 * The inverse wavelet transform of IW44: the wavelets of Dubuc, Deslauriers and Lemire (4, 4), by lifting (DjVu 3
 * Specification, appendix 1). Samples have 16 bits and wrap around, as in DjVuLibre; sums have 32 bits.
 */
import { countOfBlocks, groupOf } from './djvu-coefficients';

/**
 * Transforms a component to the samples of every `reduction`th row and column. A plane has its rows from bottom to top
 * without padding. It starts with the samples of every 16th row and column, and each level doubles both directions.
 * @param plane with space for one more row of zeros, which represents samples outside
 * @param width of the whole component, and `height`
 * @param across number of 32 x 32 blocks side by side
 * @param places column of each coefficient of a block and, from byte 1024 on, its row
 * @param scratch with space for two rows of samples and 64 bytes
 * @param reduction 1, 2, 4, 8 or 16
 */
export function transform(
  component: usize,
  plane: usize,
  width: i32,
  height: i32,
  across: i32,
  places: usize,
  scratch: usize,
  reduction: i32,
): void {
  let wide = 0;
  let high = 0;
  let first = 0;
  let end = 4;
  for (let step = 16; step >= reduction; step >>= 1) {
    const w = (width - 1) / step + 1;
    const h = (height - 1) / step + 1;
    if (step === 16) memory.fill(plane, 0, (w * h) << 1);
    else spread(plane, wide, high, w, h);
    wide = w;
    high = h;
    placeCoefficients(component, plane, w, h, across, places, step, first, end);
    memory.fill(plane + ((w * h) << 1), 0, w << 1);
    transformColumns(plane, w, h);
    for (let y = 0; y < h; y += 1) transformRow(plane + ((y * w) << 1), w, scratch);
    first = end;
    end <<= 2;
  }
}

/**
 * Moves each sample to twice its row and column and fills the gaps with zeros. Works in place, from the last sample
 * back.
 */
function spread(plane: usize, width: i32, height: i32, w: i32, h: i32): void {
  for (let y = height - 1; y >= 0; y -= 1) {
    const from = plane + ((y * width) << 1);
    const to = plane + ((2 * y * w) << 1);
    if (2 * y + 1 < h) memory.fill(to + (w << 1), 0, w << 1);
    let x = width - 1;
    // With an odd width the last sample has no neighbour.
    if ((w & 1) !== 0) {
      store<i16>(to + (x << 2), load<i16>(from + (x << 1)));
      x -= 1;
    }
    for (; x >= 0; x -= 1) store<u32>(to + (x << 2), load<u16>(from + (x << 1)));
  }
}

/** Stores coefficients `first` up to `end` of all blocks at their places in the plane of every `step`th sample. */
function placeCoefficients(
  component: usize,
  plane: usize,
  w: i32,
  h: i32,
  across: i32,
  places: usize,
  step: i32,
  first: i32,
  end: i32,
): void {
  const blocks = countOfBlocks(component);
  const bits = ctz(step);
  const side = 32 >> bits;
  for (let block = 0; block < blocks; block += 1) {
    const left = (block % across) * side;
    const bottom = (block / across) * side;
    for (let start = first; start < end; start += 256) {
      const data = groupOf(component, block, start >> 8);
      if (data === 0) continue;
      const last = min(end, start + 256);
      for (let n = start; n < last; n += 4) {
        const from = data + ((n & 255) << 1);
        if (load<u64>(from) === 0) continue;
        for (let m = 0; m < 4; m += 1) {
          const x = left + (i32(load<u8>(places + n + m)) >> bits);
          const y = bottom + (i32(load<u8>(places + n + m, 1024)) >> bits);
          if (x < w && y < h) store<i16>(plane + ((y * w + x) << 1), load<i16>(from + (m << 1)));
        }
      }
    }
  }
}

/** Lifts every second row by its neighbours, then predicts the rows between. */
function transformColumns(plane: usize, w: i32, h: i32): void {
  for (let even = 0; even < h + 3; even += 2) {
    if (even < h) {
      lift(
        rowOf(plane, w, h, even),
        rowOf(plane, w, h, even - 1),
        rowOf(plane, w, h, even + 1),
        rowOf(plane, w, h, even - 3),
        rowOf(plane, w, h, even + 3),
        w,
      );
    }
    // Three rows back: all rows that it is predicted from have been lifted.
    const odd = even - 3;
    if (odd < 0 || odd >= h) continue;
    const row = rowOf(plane, w, h, odd);
    const near = rowOf(plane, w, h, odd - 1);
    const next = odd + 1 < h ? rowOf(plane, w, h, odd + 1) : near;
    if (odd >= 3 && odd + 3 < h) {
      predict(row, near, next, rowOf(plane, w, h, odd - 3), rowOf(plane, w, h, odd + 3), w);
    } else average(row, near, next, w);
  }
}

/** Returns a row, or the row of zeros after the last one for rows outside the image. */
function rowOf(plane: usize, w: i32, h: i32, index: i32): usize {
  return plane + (((index >= 0 && index < h ? index : h) * w) << 1);
}

/** Returns the lowest 16 bits of eight 32-bit sums. */
function wrapped(low: v128, high: v128): v128 {
  return i8x16.shuffle(low, high, 0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29);
}

/** Returns the weighted sums of the first four samples of eight: `inner` for a and b, `outer` for c and d. */
function lowSum(a: v128, b: v128, c: v128, d: v128, inner: v128, outer: v128): v128 {
  return i32x4.add(
    i32x4.dot_i16x8_s(i16x8.shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11), inner),
    i32x4.dot_i16x8_s(i16x8.shuffle(c, d, 0, 8, 1, 9, 2, 10, 3, 11), outer),
  );
}

/** Returns the weighted sums of the last four samples. */
function highSum(a: v128, b: v128, c: v128, d: v128, inner: v128, outer: v128): v128 {
  return i32x4.add(
    i32x4.dot_i16x8_s(i16x8.shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15), inner),
    i32x4.dot_i16x8_s(i16x8.shuffle(c, d, 4, 12, 5, 13, 6, 14, 7, 15), outer),
  );
}

/** Subtracts from `count` samples 9 (near + next) - far - farther, divided by 32 and rounded. */
function lift(row: usize, near: usize, next: usize, far: usize, farther: usize, count: i32): void {
  // -((sum + 16) >> 5) is (-sum + 15) >> 5.
  addSums(row, near, next, far, farther, count, -1, 15);
}

/** Adds to `count` samples 9 (near + next) - far - farther, divided by 16 and rounded. */
function predict(row: usize, near: usize, next: usize, far: usize, farther: usize, count: i32): void {
  addSums(row, near, next, far, farther, count, 2, 16);
}

/** Adds (`weight` (9 (near + next) - far - farther) + `half`) / 32, rounded down, to `count` samples. */
function addSums(
  row: usize,
  near: usize,
  next: usize,
  far: usize,
  farther: usize,
  count: i32,
  weight: i32,
  half: i32,
): void {
  const inner = i16x8.splat(i16(9 * weight));
  const outer = i16x8.splat(i16(-weight));
  const halves = i32x4.splat(half);
  const bytes = count << 1;
  let at = 0;
  for (; at + 16 <= bytes; at += 16) {
    const a = v128.load(near + at);
    const b = v128.load(next + at);
    const c = v128.load(far + at);
    const d = v128.load(farther + at);
    const low = i32x4.shr_s(i32x4.add(lowSum(a, b, c, d, inner, outer), halves), 5);
    const high = i32x4.shr_s(i32x4.add(highSum(a, b, c, d, inner, outer), halves), 5);
    v128.store(row + at, i16x8.add(v128.load(row + at), wrapped(low, high)));
  }
  for (; at < bytes; at += 2) {
    const inside = i32(load<i16>(near + at)) + i32(load<i16>(next + at));
    const outside = i32(load<i16>(far + at)) + i32(load<i16>(farther + at));
    store<i16>(row + at, i32(load<i16>(row + at)) + ((weight * (9 * inside - outside) + half) >> 5));
  }
}

/** Adds the means of two lines to `count` samples, near the edges. */
function average(row: usize, near: usize, next: usize, count: i32): void {
  for (let at = 0; at < count << 1; at += 2) {
    const mean = (i32(load<i16>(near + at)) + i32(load<i16>(next + at)) + 1) >> 1;
    store<i16>(row + at, i32(load<i16>(row + at)) + mean);
  }
}

/** Transforms along a row. Even and odd samples are separated first, so that eight of the same kind are adjacent. */
function transformRow(row: usize, w: i32, scratch: usize): void {
  const evens = (w + 1) >> 1;
  const odds = w >> 1;
  // Two zeros precede the odd samples and two follow them.
  const even = scratch;
  const odd = scratch + ((evens << 1) + 24);
  store<u32>(odd - 4, 0);
  let at = 0;
  for (; at + 8 <= odds; at += 8) {
    const first = v128.load(row + (at << 2));
    const second = v128.load(row + (at << 2), 16);
    v128.store(even + (at << 1), i16x8.shuffle(first, second, 0, 2, 4, 6, 8, 10, 12, 14));
    v128.store(odd + (at << 1), i16x8.shuffle(first, second, 1, 3, 5, 7, 9, 11, 13, 15));
  }
  for (; at < evens; at += 1) {
    store<i16>(even + (at << 1), load<i16>(row + (at << 2)));
    if (at < odds) store<i16>(odd + (at << 1), load<i16>(row + (at << 2), 2));
  }
  store<u32>(odd + (odds << 1), 0);
  // Samples outside are 0, as for the columns. In rows of four to seven samples, DjVuLibre's decoder repeats the last
  // odd sample but its encoder does not: its pixels differ by a few levels in layers less than 113 pixels wide.
  lift(even, odd - 2, odd, odd - 4, odd + 2, evens);
  // All four neighbours exist from the second odd sample to the last but one (with an even width, the last but two).
  const inner = evens - 3;
  if (odds > 0) average(odd, even, even + (evens > 1 ? 2 : 0), 1);
  if (inner > 0) predict(odd + 2, even + 2, even + 4, even, even + 6, inner);
  for (at = max(1, 1 + max(0, inner)); at < odds; at += 1) {
    const near = even + (at << 1);
    average(odd + (at << 1), near, at + 1 < evens ? near + 2 : near, 1);
  }
  for (at = 0; at + 8 <= odds; at += 8) {
    const first = v128.load(even + (at << 1));
    const second = v128.load(odd + (at << 1));
    v128.store(row + (at << 2), i16x8.shuffle(first, second, 0, 8, 1, 9, 2, 10, 3, 11));
    v128.store(row + (at << 2), i16x8.shuffle(first, second, 4, 12, 5, 13, 6, 14, 7, 15), 16);
  }
  for (; at < evens; at += 1) {
    store<i16>(row + (at << 2), load<i16>(even + (at << 1)));
    if (at < odds) store<i16>(row + (at << 2), load<i16>(odd + (at << 1)), 2);
  }
}
