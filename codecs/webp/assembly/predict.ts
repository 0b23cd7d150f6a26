/** Intra prediction (RFC 6386, 12). */

/** Modes of whole macroblocks, and of the two chroma planes. */
export const DC: i32 = 0;
export const TRUE_MOTION: i32 = 1;
export const VERTICAL: i32 = 2;
export const HORIZONTAL: i32 = 3;
export const MODES: i32 = 4;

/** Modes of 4 x 4 blocks: the four above, then the diagonal ones (RD, VR, LD, VL, HD and HU of the RFC). */
export const BLOCK_MODES: i32 = 10;

/** Bytes from one line to the next, in the buffer for prediction and reconstruction. */
export const PITCH: usize = 32;

/** Predicted samples of a 4 x 4 block, one mode after the other, 16 bytes each. */
export const BLOCK_PREDICTIONS: usize = memory.data(BLOCK_MODES * 16, 16);

/** Returns (a + 2b + c + 2) / 4 for bytes. */
function average3(a: v128, b: v128, c: v128): v128 {
  // avgr rounds up; the average of a and c must be rounded down.
  const outer = i8x16.sub(i8x16.avgr_u(a, c), v128.and(v128.xor(a, c), i8x16.splat(1)));
  return i8x16.avgr_u(outer, b);
}

function storePrediction(mode: i32, samples: v128): void {
  v128.store(BLOCK_PREDICTIONS + ((<usize>mode) << 4), samples);
}

/**
 * Predicts a 4 x 4 block in all modes.
 * @param at address of its first sample, in a buffer that holds the samples around it: the line above with 4 more to
 * the right, and the column to the left
 */
export function predictBlock(at: usize): void {
  const above = at - PITCH;
  const corner = <u64>load<u8>(above - 1);
  const left0 = <u64>load<u8>(at - 1);
  const left1 = <u64>load<u8>(at + PITCH - 1);
  const left2 = <u64>load<u8>(at + PITCH * 2 - 1);
  const left3 = <u64>load<u8>(at + PITCH * 3 - 1);
  // The left column from its end with the last sample twice, the corner, and the line above with the last sample three
  // times.
  const head = left3 | (left3 << 8) | (left2 << 16) | (left1 << 24) | (left0 << 32) | (corner << 40);
  const line = v128.load64_zero(above);
  const edge = v128.replace_lane<u64>(
    i8x16.shuffle(line, line, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 7, 7),
    0,
    head | ((<u64>load<u16>(above)) << 48),
  );
  const edge1 = i8x16.shuffle(edge, edge, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15);
  const edge2 = i8x16.shuffle(edge, edge, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15, 15);
  const a2 = i8x16.avgr_u(edge, edge1);
  const a3 = average3(edge, edge1, edge2);

  const sum =
    <i32>(left0 + left1 + left2 + left3) +
    <i32>load<u8>(above) +
    <i32>load<u8>(above, 1) +
    <i32>load<u8>(above, 2) +
    <i32>load<u8>(above, 3);
  storePrediction(0, i8x16.splat(<i8>((sum + 4) >> 3)));

  const difference = i16x8.sub(v128.load8x8_u(above), i16x8.splat(<i16>corner));
  const row0 = i16x8.add(difference, i16x8.splat(<i16>left0));
  const row1 = i16x8.add(difference, i16x8.splat(<i16>left1));
  const row2 = i16x8.add(difference, i16x8.splat(<i16>left2));
  const row3 = i16x8.add(difference, i16x8.splat(<i16>left3));
  const rows01 = i8x16.shuffle(row0, row1, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
  const rows23 = i8x16.shuffle(row2, row3, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
  storePrediction(1, i8x16.narrow_i16x8_u(rows01, rows23));

  storePrediction(2, i8x16.shuffle(a3, a3, 5, 6, 7, 8, 5, 6, 7, 8, 5, 6, 7, 8, 5, 6, 7, 8));
  storePrediction(3, i8x16.shuffle(a3, a3, 3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0));
  storePrediction(4, i8x16.shuffle(a3, a3, 4, 5, 6, 7, 3, 4, 5, 6, 2, 3, 4, 5, 1, 2, 3, 4));
  storePrediction(5, i8x16.shuffle(a2, a3, 5, 6, 7, 8, 20, 21, 22, 23, 19, 5, 6, 7, 18, 20, 21, 22));
  storePrediction(6, i8x16.shuffle(a3, a3, 6, 7, 8, 9, 7, 8, 9, 10, 8, 9, 10, 11, 9, 10, 11, 12));
  storePrediction(7, i8x16.shuffle(a2, a3, 6, 7, 8, 9, 22, 23, 24, 25, 7, 8, 9, 26, 23, 24, 25, 27));
  storePrediction(8, i8x16.shuffle(a2, a3, 4, 20, 21, 22, 3, 19, 4, 20, 2, 18, 3, 19, 1, 17, 2, 18));
  storePrediction(9, i8x16.shuffle(a2, a3, 3, 18, 2, 17, 2, 17, 1, 16, 1, 16, 0, 0, 0, 0, 0, 0));
}

/**
 * Predicts a block of side 8 or 16 in all four modes of macroblocks.
 * @param at address of its first sample, in a buffer that holds the samples around it
 * @param out receives one mode after the other, `side` lines each, 16 bytes from one line to the next
 */
export function predictSquare(at: usize, side: i32, hasAbove: bool, hasLeft: bool, out: usize): void {
  const above = at - PITCH;
  const corner = load<u8>(above - 1);
  const line = v128.load(above);
  const low = i16x8.sub(i16x8.extend_low_i8x16_u(line), i16x8.splat(<i16>corner));
  const high = i16x8.sub(i16x8.extend_high_i8x16_u(line), i16x8.splat(<i16>corner));
  const bytes = (<usize>side) << 4;
  let sum = 0;
  if (hasAbove) for (let x = 0; x < side; x++) sum += load<u8>(above + x);
  for (let y = 0; y < side; y++) {
    const left = load<u8>(at + PITCH * y - 1);
    if (hasLeft) sum += left;
    const place = out + ((<usize>y) << 4);
    const delta = i16x8.splat(<i16>left);
    v128.store(place + bytes * TRUE_MOTION, i8x16.narrow_i16x8_u(i16x8.add(low, delta), i16x8.add(high, delta)));
    v128.store(place + bytes * VERTICAL, line);
    v128.store(place + bytes * HORIZONTAL, i8x16.splat(<i8>left));
  }
  const counted = (hasAbove ? side : 0) + (hasLeft ? side : 0);
  const average = counted === 0 ? 128 : (sum + (counted >> 1)) / counted;
  const flat = i8x16.splat(<i8>average);
  for (let y = 0; y < side; y++) v128.store(out + ((<usize>y) << 4), flat);
}
