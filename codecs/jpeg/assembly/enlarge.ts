/** Upsamples lines of components with fewer samples than the image, with the filters of libjpeg. */

/**
 * Doubles the number of samples. Each new sample is a quarter of the neighbour on its side and three quarters of its
 * own sample ("triangle filter"). The samples before the first and after the last must repeat them.
 * @param count samples of `from`; up to 7 more are read, and 14 more written
 */
export function doubleAcross(out: usize, from: usize, count: i32): void {
  const three = i16x8.splat(3);
  const one = i16x8.splat(1);
  const two = i16x8.splat(2);
  for (let x: usize = 0; x < <usize>count; x += 8) {
    const own = i16x8.mul(v128.load8x8_u(from + x), three);
    const left = i16x8.add(i16x8.add(own, v128.load8x8_u(from + x - 1)), one);
    const right = i16x8.add(i16x8.add(own, v128.load8x8_u(from + x + 1)), two);
    v128.store(out + (x << 1), v128.or(i16x8.shr_u(left, 2), i16x8.shl(i16x8.shr_u(right, 2), 8)));
  }
}

/** Doubles in both directions. `neighbour` is the line above or below. */
export function doubleBoth(out: usize, from: usize, neighbour: usize, count: i32): void {
  const eight = i16x8.splat(8);
  const seven = i16x8.splat(7);
  const three = i16x8.splat(3);
  for (let x: usize = 0; x < <usize>count; x += 8) {
    const own = columns(from + x, neighbour + x, three);
    const before = columns(from + x - 1, neighbour + x - 1, three);
    const behind = columns(from + x + 1, neighbour + x + 1, three);
    const tripled = i16x8.mul(own, three);
    const left = i16x8.shr_u(i16x8.add(i16x8.add(tripled, before), eight), 4);
    const right = i16x8.shr_u(i16x8.add(i16x8.add(tripled, behind), seven), 4);
    v128.store(out + (x << 1), v128.or(left, i16x8.shl(right, 8)));
  }
}

function columns(from: usize, neighbour: usize, three: v128): v128 {
  return i16x8.add(i16x8.mul(v128.load8x8_u(from), three), v128.load8x8_u(neighbour));
}

/**
 * Doubles vertically only.
 * @param isUpper whether the neighbour is the line above
 */
export function doubleDown(out: usize, from: usize, neighbour: usize, count: i32, isUpper: bool): void {
  const three = i16x8.splat(3);
  const bias = i16x8.splat(isUpper ? 1 : 2);
  for (let x: usize = 0; x < <usize>count; x += 8) {
    const sum = i16x8.shr_u(i16x8.add(columns(from + x, neighbour + x, three), bias), 2);
    v128.store64_lane(out + x, i8x16.narrow_i16x8_u(sum, sum), 0);
  }
}

/**
 * Repeats every sample `times` times.
 * @param count samples of `out`
 */
export function repeatAcross(out: usize, from: usize, count: i32, times: i32): void {
  for (let x = 0; x < count; x += times) {
    const sample = load<u8>(from);
    from += 1;
    for (let time = 0; time < times; time++) store<u8>(out + <usize>(x + time), sample);
  }
}
