/** Chooses the levels of a block by their errors and costs, with a trellis along the coding order. */
import { costOfEnd, costOfLevel, costOfStart } from './coefficients';
import { INVERSE_BITS, inverseOf, MAX_LEVEL, stepAt } from './quantize';

/** Maps each place in zigzag order to its place in columns. */
const COLUMN_ORDER: usize = memory.data<u8>([0, 4, 1, 2, 5, 8, 12, 9, 6, 3, 7, 10, 13, 14, 11, 15]);

/**
 * Two levels are considered at each place. One bit for each, the smaller level first: whether the best path to it comes
 * from the larger level of the previous place.
 */
const before: usize = memory.data(16);
/** The larger level of each place, 16 bits. */
const larger: usize = memory.data(16 * 2, 2);

/**
 * Chooses levels.
 * @param coefficients in columns
 * @param levels receives the levels, in zigzag order
 * @param restored receives the dequantized coefficients, in columns
 * @param last place of the last rounded level that is not 0
 * @param lambda squared errors that are worth a 1/256 bit
 * @returns the new place of the last level that is not 0; -1 if all are 0
 */
export function optimize(
  coefficients: usize,
  quantizer: usize,
  levels: usize,
  restored: usize,
  first: i32,
  last: i32,
  type: i32,
  context: i32,
  lambda: f32,
): i32 {
  // Scores of the two levels of the previous place: errors minus those of zeros, plus bits.
  let lowScore: f32 = lambda * <f32>costOfStart(type, first, context);
  let highScore: f32 = f32.MAX_VALUE;
  let lowContext = context;
  let highContext = 0;
  let best: f32 = lambda * <f32>costOfEnd(type, first, context);
  let bestPlace = -1;
  let bestNode = 0;
  for (let place = first; place <= last; place++) {
    const at = (<usize>load<u8>(COLUMN_ORDER + <usize>place)) << 1;
    const size = abs(<i32>load<i16>(coefficients + at));
    const step = stepAt(quantizer, place);
    const high = min(MAX_LEVEL, (size * inverseOf(quantizer, place) + (1 << (INVERSE_BITS - 1))) >> INVERSE_BITS);
    store<u16>(larger + ((<usize>place) << 1), <u16>high);
    const low = max(0, high - 1);
    // (a - b)² - a²
    const lowError = <f32>(low * step * (low * step - 2 * size));
    let fromLow = lowScore + lambda * <f32>costOfLevel(type, place, lowContext, low);
    let fromHigh = highScore + lambda * <f32>costOfLevel(type, place, highContext, low);
    let parents = fromHigh < fromLow ? 1 : 0;
    const nextLow = min(fromLow, fromHigh) + lowError;
    let nextHigh: f32 = f32.MAX_VALUE;
    if (high > 0) {
      const highError = <f32>(high * step * (high * step - 2 * size));
      fromLow = lowScore + lambda * <f32>costOfLevel(type, place, lowContext, high);
      fromHigh = highScore + lambda * <f32>costOfLevel(type, place, highContext, high);
      if (fromHigh < fromLow) parents |= 2;
      nextHigh = min(fromLow, fromHigh) + highError;
      const end = nextHigh + lambda * <f32>costOfEnd(type, place + 1, min(high, 2));
      if (end < best) {
        best = end;
        bestPlace = place;
        bestNode = 1;
      }
    }
    if (low > 0) {
      const end = nextLow + lambda * <f32>costOfEnd(type, place + 1, min(low, 2));
      if (end < best) {
        best = end;
        bestPlace = place;
        bestNode = 0;
      }
    }
    store<u8>(before + <usize>place, <u8>parents);
    lowScore = nextLow;
    highScore = nextHigh;
    lowContext = min(low, 2);
    highContext = min(high, 2);
  }
  const zero = i16x8.splat(0);
  v128.store(levels, zero);
  v128.store(levels, zero, 16);
  v128.store(restored, zero);
  v128.store(restored, zero, 16);
  let node = bestNode;
  for (let place = bestPlace; place >= first; place--) {
    const high = <i32>load<u16>(larger + ((<usize>place) << 1));
    const size = node !== 0 ? high : max(0, high - 1);
    const at = (<usize>load<u8>(COLUMN_ORDER + <usize>place)) << 1;
    const level = load<i16>(coefficients + at) < 0 ? -size : size;
    store<i16>(levels + ((<usize>place) << 1), <i16>level);
    store<i16>(restored + at, <i16>(level * stepAt(quantizer, place)));
    node = (load<u8>(before + <usize>place) >> <u8>node) & 1;
  }
  return bestPlace;
}
