/**
 * Loops over samples for which JavaScript takes three times as long. Written in AssemblyScript with 128-bit SIMD, on
 * addresses in the memory of the module. `npm run generate` compiles it to ../kernels.wasm.
 *
 * Samples have 8 bits and are interleaved; floats have 32 bits. Loops that read or write eight numbers at a time may go
 * up to seven past the last one; callers must leave space for them.
 */

export * from './border';
export * from './deflate';
export * from './deflate-estimate';
export * from './deflate-optimal';
export { startStream } from './djvu-coder';
export { decodeSlice, placeGroups } from './djvu-coefficients';
export * from './djvu-samples';
export { transform } from './djvu-wavelets';
export * from './png-decode';
export * from './png-filter';
export * from './png-pixels';

/** The end of the module's constants, where the callers' memory begins. */
export const firstFreeAddress: usize = __heap_base;

/** Sets each float to the sum of the samples at its place in four rows, times the four floats at `weights`. */
export function blendSamples(
  floats: usize,
  count: i32,
  first: usize,
  second: usize,
  third: usize,
  fourth: usize,
  weights: usize,
): void {
  const a = v128.load32_splat(weights);
  const b = v128.load32_splat(weights, 4);
  const c = v128.load32_splat(weights, 8);
  const d = v128.load32_splat(weights, 12);
  for (let at = 0; at < count; at += 8) {
    const p = v128.load8x8_u(first + at);
    const q = v128.load8x8_u(second + at);
    const r = v128.load8x8_u(third + at);
    const s = v128.load8x8_u(fourth + at);
    const to = floats + (at << 2);
    v128.store(to, sum(mul(a, low(p)), mul(b, low(q)), mul(c, low(r)), mul(d, low(s))));
    v128.store(to, sum(mul(a, high(p)), mul(b, high(q)), mul(c, high(r)), mul(d, high(s))), 16);
  }
}

/** Like `blendSamples`, for rows of floats. */
export function blendFloats(
  floats: usize,
  count: i32,
  first: usize,
  second: usize,
  third: usize,
  fourth: usize,
  weights: usize,
): void {
  const a = v128.load32_splat(weights);
  const b = v128.load32_splat(weights, 4);
  const c = v128.load32_splat(weights, 8);
  const d = v128.load32_splat(weights, 12);
  for (let at = 0; at < count << 2; at += 16) {
    const p = mul(a, v128.load(first + at));
    const q = mul(b, v128.load(second + at));
    const r = mul(c, v128.load(third + at));
    const s = mul(d, v128.load(fourth + at));
    v128.store(floats + at, sum(p, q, r, s));
  }
}

export function toFloats(floats: usize, count: i32, samples: usize): void {
  for (let at = 0; at < count; at += 8) {
    const words = v128.load8x8_u(samples + at);
    v128.store(floats + (at << 2), low(words));
    v128.store(floats + (at << 2), high(words), 16);
  }
}

/**
 * Sets each pixel of a row of three planes to the weighted sum of four pixels of a line of RGB floats.
 * @param taps for each pixel four offsets in the line, in bytes
 * @param weights for each pixel the four weights
 */
export function blendPixels(
  red: usize,
  green: usize,
  blue: usize,
  count: i32,
  line: usize,
  taps: usize,
  weights: usize,
): void {
  for (let pixel = 0; pixel < count; pixel += 1) {
    const p = mul(v128.load(line + load<u32>(taps)), v128.load32_splat(weights));
    const q = mul(v128.load(line + load<u32>(taps, 4)), v128.load32_splat(weights, 4));
    const r = mul(v128.load(line + load<u32>(taps, 8)), v128.load32_splat(weights, 8));
    const s = mul(v128.load(line + load<u32>(taps, 12)), v128.load32_splat(weights, 12));
    const rgb = sum(p, q, r, s);
    v128.store32_lane(red, rgb, 0);
    v128.store32_lane(green, rgb, 1);
    v128.store32_lane(blue, rgb, 2);
    red += 4;
    green += 4;
    blue += 4;
    taps += 16;
    weights += 16;
  }
}

/** Splits a row of RGB samples into a row of three planes. */
export function toPlanes(red: usize, green: usize, blue: usize, count: i32, samples: usize): void {
  for (let pixel = 0; pixel < count; pixel += 1) {
    store<f32>(red + (pixel << 2), load<u8>(samples));
    store<f32>(green + (pixel << 2), load<u8>(samples, 1));
    store<f32>(blue + (pixel << 2), load<u8>(samples, 2));
    samples += 3;
  }
}

/**
 * Computes the mean colours of a block of pixels, as floats. With alpha, the last band, each pixel is weighted by its
 * alpha; if all are transparent, the means are 0.
 * @param pitch bytes from one row to the next
 */
export function meansOf(
  means: usize,
  samples: usize,
  pitch: usize,
  width: i32,
  height: i32,
  bands: i32,
  colours: i32,
): void {
  for (let band = 0; band < colours; band += 1) {
    let total: u64 = 0;
    let weights: u64 = 0;
    for (let y = 0; y < height; y += 1) {
      let at = samples + usize(y) * pitch;
      const end = at + width * bands;
      if (bands === colours) {
        weights += width;
        for (; at < end; at += bands) total += load<u8>(at + band);
      } else {
        for (; at < end; at += bands) {
          const alpha = u32(load<u8>(at + colours));
          weights += alpha;
          total += alpha * load<u8>(at + band);
        }
      }
    }
    store<f32>(means + (band << 2), weights > 0 ? f32(f64(total) / f64(weights)) : 0);
  }
}

/**
 * Draws a line of colours, as floats, over a row of pixels. The colours are opaque from `left` to `right`; from `start`
 * and up to `end` they fade out along a soft edge. Alpha, the last band if there are more bands than colours, is
 * unchanged.
 * @param down square of the distance of the row from the centre of an ellipse, in half axes
 * @param across distance of the centre of the first pixel from that of the ellipse, in half axes
 * @param step from one pixel to the next, in half axes
 * @param reach where the edge ends, in half axes; it begins at 1
 */
export function coverRow(
  samples: usize,
  line: usize,
  bands: i32,
  colours: i32,
  start: i32,
  left: i32,
  right: i32,
  end: i32,
  down: f32,
  across: f32,
  step: f32,
  reach: f32,
): void {
  for (let x = start; x < end; x += 1) {
    if (x === left && bands === colours) {
      replace(samples + left * bands, line + ((left * colours) << 2), (right - left) * colours);
      x = right;
      if (x >= end) return;
    }
    const side = across + f32(x) * step;
    const distance = sqrt<f32>(down + side * side);
    const opacity = min<f32>(1, max<f32>(0, (reach - distance) / (reach - 1)));
    for (let band = 0; band < colours; band += 1) {
      const at = samples + x * bands + band;
      const own = f32(load<u8>(at));
      const colour = load<f32>(line + ((x * colours + band) << 2));
      store<u8>(at, u8(own + opacity * (colour - own) + 0.5));
    }
  }
}

/**
 * Blurs samples along one line: each becomes the sum of its own and the surrounding samples, weighted by distance.
 * @param step bytes from one sample of the line to the next
 * @param weights for distances from 0 to `radius`; the sum over both sides is 1
 */
export function soften(samples: usize, count: i32, from: usize, step: usize, radius: i32, weights: usize): void {
  const half = f32x4.splat(0.5);
  const middle = v128.load32_splat(weights);
  let at = 0;
  for (; at + 8 <= count; at += 8) {
    const words = v128.load8x8_u(from + at);
    let first = f32x4.add(mul(middle, low(words)), half);
    let second = f32x4.add(mul(middle, high(words)), half);
    for (let distance = 1; distance <= radius; distance += 1) {
      const away = usize(distance) * step;
      const both = i16x8.add(v128.load8x8_u(from + at - away), v128.load8x8_u(from + at + away));
      const weight = v128.load32_splat(weights + (distance << 2));
      first = f32x4.add(first, mul(weight, low(both)));
      second = f32x4.add(second, mul(weight, high(both)));
    }
    storeWhole(samples + at, first, second);
  }
  for (; at < count; at += 1) {
    let sum = load<f32>(weights) * f32(load<u8>(from + at)) + 0.5;
    for (let distance = 1; distance <= radius; distance += 1) {
      const away = usize(distance) * step;
      const both = u32(load<u8>(from + at - away)) + u32(load<u8>(from + at + away));
      sum += load<f32>(weights + (distance << 2)) * f32(both);
    }
    store<u8>(samples + at, u8(sum));
  }
}

/** The largest total weight below 0 of the two outer ones of four cubic weights, half-way between two values. */
const OVERSHOOT: f32 = 0.125;

/**
 * Interpolates a row of samples cubically between the floats of a line. `low` is first subtracted from each float, and
 * the result multiplied by `factor`.
 * @param runs of pixels between the same four floats, six words each: the first pixel, the one after the last, and the
 * four addresses
 * @param weights four rows of floats, `pitch` bytes apart: for each pixel the weight of each of the four
 */
export function enlargeRow(
  samples: usize,
  runs: usize,
  count: i32,
  weights: usize,
  pitch: usize,
  low: f32,
  factor: f32,
): void {
  const half = f32x4.splat(0.5);
  for (let run = 0; run < count; run += 1) {
    const start = load<i32>(runs);
    const end = load<i32>(runs, 4);
    const p = (load<f32>(load<usize>(runs, 8)) - low) * factor;
    const q = (load<f32>(load<usize>(runs, 12)) - low) * factor;
    const r = (load<f32>(load<usize>(runs, 16)) - low) * factor;
    const s = (load<f32>(load<usize>(runs, 20)) - low) * factor;
    runs += 24;
    const least = min(min(p, q), min(r, s));
    const most = max(max(p, q), max(r, s));
    const slack = OVERSHOOT * (most - least);
    if (most + slack <= 0) {
      memory.fill(samples + start, 0, end - start);
    } else if (least - slack >= 255) {
      memory.fill(samples + start, 255, end - start);
    } else {
      const a = f32x4.splat(p);
      const b = f32x4.splat(q);
      const c = f32x4.splat(r);
      const d = f32x4.splat(s);
      // Pixels after the run belong to the next one, which overwrites them.
      for (let x = start; x < end; x += 4) {
        const to = weights + (x << 2);
        const value = sum(
          mul(a, v128.load(to)),
          mul(b, v128.load(to + pitch)),
          mul(c, v128.load(to + 2 * pitch)),
          mul(d, v128.load(to + 3 * pitch)),
        );
        const words = i32x4.trunc_sat_f32x4_s(f32x4.add(value, half));
        const halves = i16x8.narrow_i32x4_s(words, words);
        v128.store32_lane(samples + x, i8x16.narrow_i16x8_u(halves, halves), 0);
      }
    }
  }
}

/**
 * Writes RGBA from RGB and removes the background colour that shows through at the edge of a subject (the formula is in
 * engine/operations/remove-background/cutout.ts). Leaves pixels without any subject unchanged.
 * @param shares share of the subject in each pixel, 0 to 255
 * @param first for each pixel the first of the two values of a line that it lies between; the other one is `next`
 * further on
 * @param share for each pixel how near it is to the second one
 * @param foreground a line of RGB floats, like `background`; `purity` is a line of single floats; all 0 to 1
 * @param trust how much of the detail is kept where the purity is 0
 */
export function unmix(
  rgba: usize,
  rgb: usize,
  shares: usize,
  count: i32,
  first: usize,
  share: usize,
  next: i32,
  foreground: usize,
  background: usize,
  purity: usize,
  trust: f32,
): void {
  const white = f32x4.splat(255);
  const half = f32x4.splat(0.5);
  for (let pixel = 0; pixel < count; pixel += 1) {
    const opaque = u32(load<u8>(shares + pixel));
    if (opaque === 0) continue;
    const to = rgba + (pixel << 2);
    const words = i16x8.extend_low_i8x16_u(v128.load32_zero(rgb + pixel * 3));
    const left = load<i32>(first + (pixel << 2));
    const right = left + next;
    const between = load<f32>(share + (pixel << 2));
    const least = load<f32>(purity + (left << 2));
    const pure = least + between * (load<f32>(purity + (right << 2)) - least);
    let colours = words;
    if (pure !== 1) {
      const visible = f32(opaque) / 255;
      const kept = visible * (trust + (1 - trust) * pure);
      const own = mul(white, mixOf(foreground, left, right, between));
      const behind = mul(white, mixOf(background, left, right, between));
      const mixed = f32x4.add(mul(f32x4.splat(visible), own), mul(f32x4.splat(1 - visible), behind));
      const detail = mul(f32x4.splat(kept), f32x4.sub(low(words), mixed));
      const whole = i32x4.trunc_sat_f32x4_s(f32x4.add(f32x4.add(own, detail), half));
      colours = i16x8.narrow_i32x4_s(whole, whole);
    }
    const bytes = i32x4.extract_lane(i8x16.narrow_i16x8_u(colours, colours), 0);
    store<u32>(to, (bytes & 0x00ffffff) | (opaque << 24));
  }
}

/** Interpolates between two pixels of a line of RGB floats. */
function mixOf(line: usize, left: i32, right: i32, share: f32): v128 {
  const one = v128.load(line + left * 12);
  const other = v128.load(line + right * 12);
  return f32x4.add(one, mul(f32x4.splat(share), f32x4.sub(other, one)));
}

/** Writes opaque RGBA from RGB. */
export function addAlpha(rgba: usize, count: i32, rgb: usize): void {
  const opaque = i32x4.splat(0xff000000);
  let pixel = 0;
  for (; pixel + 4 <= count; pixel += 4) {
    const samples = v128.load(rgb + pixel * 3);
    const apart = i8x16.shuffle(samples, samples, 0, 1, 2, 0, 3, 4, 5, 0, 6, 7, 8, 0, 9, 10, 11, 0);
    const colours = v128.and(apart, i32x4.splat(0x00ffffff));
    v128.store(rgba + (pixel << 2), v128.or(colours, opaque));
  }
  for (; pixel < count; pixel += 1) {
    const to = rgba + (pixel << 2);
    const from = rgb + pixel * 3;
    store<u8>(to, load<u8>(from));
    store<u8>(to, load<u8>(from, 1), 1);
    store<u8>(to, load<u8>(from, 2), 2);
    store<u8>(to, 255, 3);
  }
}

/** Rounds floats from 0 to 255 to samples. */
function replace(samples: usize, floats: usize, count: i32): void {
  const half = f32x4.splat(0.5);
  let at = 0;
  for (; at + 8 <= count; at += 8) {
    const from = floats + (at << 2);
    storeWhole(samples + at, f32x4.add(v128.load(from), half), f32x4.add(v128.load(from, 16), half));
  }
  for (; at < count; at += 1) store<u8>(samples + at, u8(load<f32>(floats + (at << 2)) + 0.5));
}

/** Stores the integer parts of eight floats as samples. */
function storeWhole(samples: usize, first: v128, second: v128): void {
  const words = i16x8.narrow_i32x4_s(i32x4.trunc_sat_f32x4_s(first), i32x4.trunc_sat_f32x4_s(second));
  v128.store64_lane(samples, i8x16.narrow_i16x8_u(words, words), 0);
}

function mul(one: v128, other: v128): v128 {
  return f32x4.mul(one, other);
}

function sum(first: v128, second: v128, third: v128, fourth: v128): v128 {
  return f32x4.add(f32x4.add(first, second), f32x4.add(third, fourth));
}

/** Convert the first and the last four of eight words to floats. */
function low(words: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(words));
}

function high(words: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(words));
}
