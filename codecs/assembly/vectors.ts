/** Interleaves two vectors by bytes, 16-bit words, pairs of words, or halves. */

export function lowBytes(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

export function highBytes(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

export function lowPairs(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23);
}

export function highPairs(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31);
}

export function lowDoubles(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
}

export function highDoubles(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31);
}

export function lowHalves(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
}

export function highHalves(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
}

/**
 * Transposes rows and columns.
 * @param at 8 vectors of 8 words
 */
export function transpose(at: usize): void {
  const r0 = v128.load(at);
  const r1 = v128.load(at, 16);
  const r2 = v128.load(at, 32);
  const r3 = v128.load(at, 48);
  const r4 = v128.load(at, 64);
  const r5 = v128.load(at, 80);
  const r6 = v128.load(at, 96);
  const r7 = v128.load(at, 112);
  const a0 = lowPairs(r0, r1);
  const a1 = highPairs(r0, r1);
  const a2 = lowPairs(r2, r3);
  const a3 = highPairs(r2, r3);
  const a4 = lowPairs(r4, r5);
  const a5 = highPairs(r4, r5);
  const a6 = lowPairs(r6, r7);
  const a7 = highPairs(r6, r7);
  const b0 = lowDoubles(a0, a2);
  const b1 = highDoubles(a0, a2);
  const b2 = lowDoubles(a1, a3);
  const b3 = highDoubles(a1, a3);
  const b4 = lowDoubles(a4, a6);
  const b5 = highDoubles(a4, a6);
  const b6 = lowDoubles(a5, a7);
  const b7 = highDoubles(a5, a7);
  v128.store(at, lowHalves(b0, b4));
  v128.store(at, highHalves(b0, b4), 16);
  v128.store(at, lowHalves(b1, b5), 32);
  v128.store(at, highHalves(b1, b5), 48);
  v128.store(at, lowHalves(b2, b6), 64);
  v128.store(at, highHalves(b2, b6), 80);
  v128.store(at, lowHalves(b3, b7), 96);
  v128.store(at, highHalves(b3, b7), 112);
}

/** Adds four 32-bit lanes. */
export function sumOfLanes(lanes: v128): i32 {
  return (
    i32x4.extract_lane(lanes, 0) +
    i32x4.extract_lane(lanes, 1) +
    i32x4.extract_lane(lanes, 2) +
    i32x4.extract_lane(lanes, 3)
  );
}
