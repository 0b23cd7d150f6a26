/**
 * Turns planes of wavelet samples into pixels: colours (DjVu 3 Specification, section 10.2) and scaling between layers
 * (section 10.3).
 */

/** Returns eight samples of a plane without their six fractional bits, as 16 bits from -128 to 127. */
function rounded(from: usize): v128 {
  const whole = i16x8.shr_s(i16x8.add_sat_s(v128.load(from), i16x8.splat(32)), 6);
  return i16x8.max_s(i16x8.splat(-128), i16x8.min_s(i16x8.splat(127), whole));
}

/** Writes `count` samples of a plane as signed 8-bit samples. If `doubled` is 1, each is written twice. */
export function roundSamples(samples: usize, from: usize, count: i32, doubled: i32): void {
  for (let at = 0; at < count; at += 8) {
    const words = rounded(from + (at << 1));
    const bytes = i8x16.narrow_i16x8_s(words, words);
    if (doubled === 0) v128.store64_lane(samples + at, bytes, 0);
    else v128.store(samples + (at << 1), i8x16.shuffle(bytes, bytes, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7));
  }
}

/** Writes `count` samples of a plane as grey. Without colour the coded brightness is inverted (section 10.2). */
export function toGrey(grey: usize, from: usize, count: i32): void {
  for (let at = 0; at < count; at += 8) {
    const words = i16x8.sub(i16x8.splat(127), rounded(from + (at << 1)));
    v128.store64_lane(grey + at, i8x16.narrow_i16x8_u(words, words), 0);
  }
}

/**
 * Writes RGB from `count` samples of the brightness plane and the rounded samples of both colour differences (section
 * 10.2).
 */
export function toRgb(rgb: usize, from: usize, blues: usize, reds: usize, count: i32): void {
  for (let at = 0; at < count; at += 8) {
    const brightness = i16x8.add(rounded(from + (at << 1)), i16x8.splat(128));
    const blue = v128.load8x8_s(blues + at);
    const red = v128.load8x8_s(reds + at);
    const redTerm = i16x8.add(red, i16x8.shr_s(red, 1));
    const base = i16x8.sub(brightness, i16x8.shr_s(blue, 2));
    const r = i16x8.add(brightness, redTerm);
    const g = i16x8.sub(base, i16x8.shr_s(redTerm, 1));
    const b = i16x8.add(base, i16x8.shl(blue, 1));
    const redGreen = i8x16.narrow_i16x8_u(r, g);
    const blueOnly = i8x16.narrow_i16x8_u(b, b);
    const to = rgb + at * 3;
    v128.store(to, i8x16.shuffle(redGreen, blueOnly, 0, 8, 16, 1, 9, 17, 2, 10, 18, 3, 11, 19, 4, 12, 20, 5));
    v128.store64_lane(
      to,
      i8x16.shuffle(redGreen, blueOnly, 13, 21, 6, 14, 22, 7, 15, 23, 0, 0, 0, 0, 0, 0, 0, 0),
      0,
      16,
    );
  }
}

/** Blends `count` samples of two lines: `part` sixteenths of the second, rounded (section 10.3). */
export function blendLines(line: usize, first: usize, second: usize, part: i32, count: i32): void {
  const weight = i16x8.splat(i16(part));
  const half = i16x8.splat(8);
  for (let at = 0; at < count; at += 8) {
    const from = v128.load8x8_u(first + at);
    const difference = i16x8.sub(v128.load8x8_u(second + at), from);
    const mixed = i16x8.add(from, i16x8.shr_s(i16x8.add(i16x8.mul(difference, weight), half), 4));
    v128.store64_lane(line + at, i8x16.narrow_i16x8_u(mixed, mixed), 0);
  }
}

/**
 * Interpolates a row of pixels along a line. `parts` gives the sixteenths of the second of two neighbouring pixels.
 * @param places for each pixel the offsets of the two source pixels, as two 32-bit numbers
 * @param channels 1 or 3
 */
export function blendAlong(row: usize, line: usize, places: usize, parts: usize, count: i32, channels: i32): void {
  for (let x = 0; x < count; x += 1, places += 8) {
    const left = line + load<u32>(places);
    const right = line + load<u32>(places, 4);
    const part = i32(load<u8>(parts + x));
    for (let channel = 0; channel < channels; channel += 1, row += 1) {
      const from = i32(load<u8>(left + channel));
      store<u8>(row, from + (((i32(load<u8>(right + channel)) - from) * part + 8) >> 4));
    }
  }
}
