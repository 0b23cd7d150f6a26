/**
 * Loops over samples for which JavaScript takes three times as long: AssemblyScript with 128-bit SIMD, on addresses in the
 * memory of the module. `npm run generate` compiles it to ../kernels.wasm.
 *
 * Samples are of 8 bits and interleaved, floats of 32 bits. What is written or read in steps of eight numbers may go beyond the
 * last one, by up to seven; whoever calls leaves room.
 */

/** Each float is the sum of the samples at its place in four rows, times the four floats at `weights`. */
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

/** As `blendSamples`, of rows of floats. */
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
 * Each pixel of a row of three planes is the sum of four pixels of a line of RGB floats.
 * @param taps for each pixel the four places in the line, in bytes
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

/** A row of three planes from a row of RGB samples. */
export function toPlanes(red: usize, green: usize, blue: usize, count: i32, samples: usize): void {
  for (let pixel = 0; pixel < count; pixel += 1) {
    store<f32>(red + (pixel << 2), load<u8>(samples));
    store<f32>(green + (pixel << 2), load<u8>(samples, 1));
    store<f32>(blue + (pixel << 2), load<u8>(samples, 2));
    samples += 3;
  }
}

/**
 * Means of the colours of a block of pixels, as floats. With alpha, the last band, each pixel counts as much as it is opaque; where
 * nothing is, the means are 0.
 * @param pitch from one row to the next, in bytes
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
 * Puts a line of colours, as floats, over a row of pixels: as a whole from `left` up to `right`, and from `start` and up to `end` less
 * and less towards the end of a soft edge. Alpha, the last band where there are more bands than colours, stays.
 * @param down square of the distance of the row from the middle of an ellipse, in half axes
 * @param across distance of the middle of the first pixel from that of the ellipse, in half axes
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

/** The samples that are nearest to floats from 0 to 255. */
function replace(samples: usize, floats: usize, count: i32): void {
  const half = f32x4.splat(0.5);
  let at = 0;
  for (; at + 8 <= count; at += 8) {
    const first = i32x4.trunc_sat_f32x4_s(f32x4.add(v128.load(floats + (at << 2)), half));
    const second = i32x4.trunc_sat_f32x4_s(f32x4.add(v128.load(floats + (at << 2), 16), half));
    const words = i16x8.narrow_i32x4_s(first, second);
    v128.store64_lane(samples + at, i8x16.narrow_i16x8_u(words, words), 0);
  }
  for (; at < count; at += 1) store<u8>(samples + at, u8(load<f32>(floats + (at << 2)) + 0.5));
}

function mul(one: v128, other: v128): v128 {
  return f32x4.mul(one, other);
}

function sum(first: v128, second: v128, third: v128, fourth: v128): v128 {
  return f32x4.add(f32x4.add(first, second), f32x4.add(third, fourth));
}

/** The first four of eight words, and the last four, as floats. */
function low(words: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(words));
}

function high(words: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(words));
}
