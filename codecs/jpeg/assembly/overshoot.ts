/**
 * Moves samples beyond black and white. Decoders clip their results, so a sample at an end of the range may as well lie
 * beyond it. Edges between white and a colour then need fewer or smaller coefficients, and ring less. Based on
 * "overshoot deringing" by K. Lesiński in mozjpeg: along the zigzag path, each run of white is curved upwards according
 * to the slopes at both of its ends. Here the same is done for black.
 */
import { NATURAL_ORDER } from './tables';

const SAMPLES: i32 = 64;
const WHITE: i16 = 127;
const BLACK: i16 = -128;
/** A larger overshoot costs more bits than it saves. */
const MAX_OVERSHOOT: i32 = 31;
/**
 * Minimum quantization step. Below it a coefficient of samples beyond the range may need more than the 10 bits of AC
 * coding.
 */
const MIN_STEP: i32 = 2;

/** The changed block, in rows. */
const bent: usize = memory.data(SAMPLES * 2, 16);

/** Bytes per line of the block that `overshoot` returns. */
export const BENT_PITCH: usize = 16;

/**
 * Changes a block.
 * @param from a block of 16-bit samples, centred on 0
 * @param pitch bytes from one line to the next
 * @param step quantization step of DC, which is the smallest
 * @returns a block to transform instead, with lines of `BENT_PITCH`; 0 if the block stays as it is
 */
export function overshoot(from: usize, pitch: usize, step: i32): usize {
  if (step < MIN_STEP) return 0;
  let whites = v128.splat<i8>(0);
  let blacks = v128.splat<i8>(0);
  const white = i16x8.splat(WHITE);
  const black = i16x8.splat(BLACK);
  for (let row: usize = 0; row < 8; row++) {
    const line = v128.load(from + row * pitch);
    v128.store(bent + (row << 4), line);
    whites = i16x8.sub(whites, i16x8.eq(line, white));
    blacks = i16x8.sub(blacks, i16x8.eq(line, black));
  }
  const countOfWhite = sumOf(whites);
  const countOfBlack = sumOf(blacks);
  if ((countOfWhite === 0 && countOfBlack === 0) || countOfWhite === SAMPLES || countOfBlack === SAMPLES) return 0;
  if (countOfWhite > 0) bend(countOfWhite, step, false);
  if (countOfBlack > 0) bend(countOfBlack, step, true);
  return bent;
}

function sumOf(counts: v128): i32 {
  const fours = i32x4.extadd_pairwise_i16x8_s(counts);
  return (
    i32x4.extract_lane(fours, 0) +
    i32x4.extract_lane(fours, 1) +
    i32x4.extract_lane(fours, 2) +
    i32x4.extract_lane(fours, 3)
  );
}

function addressOf(place: i32): usize {
  return bent + ((<usize>load<u8>(NATURAL_ORDER + place)) << 1);
}

/** Returns a sample of the path. For black all samples are mirrored, so that the same code handles it. */
function sampleAt(place: i32, isBlack: bool): i32 {
  const value = <i32>load<i16>(addressOf(place));
  return isBlack ? -1 - value : value;
}

function bend(count: i32, step: i32, isBlack: bool): void {
  let sum = 0;
  for (let place = 0; place < SAMPLES; place++) sum += sampleAt(place, isBlack);
  // The mean must stay in the range, because decoders expect that of DC.
  const room = max(0, (<i32>WHITE * SAMPLES - sum) / count);
  const highest = <i32>WHITE + min(min(MAX_OVERSHOOT, 2 * step), room);
  for (let place = 0; place < SAMPLES; ) {
    if (sampleAt(place, isBlack) < <i32>WHITE) {
      place += 1;
      continue;
    }
    const start = place;
    while (place < SAMPLES && sampleAt(place, isBlack) >= <i32>WHITE) place += 1;
    bendRun(start, place, highest, isBlack);
  }
}

/** Returns how steeply the path rises to white at one end of the run. */
function slopeFrom(near: i32, far: i32, isBlack: bool): i32 {
  const value = sampleAt(near, isBlack);
  return max(value - sampleAt(far, isBlack), <i32>WHITE - value);
}

/** @param end the first place after the run */
function bendRun(start: i32, end: i32, highest: i32, isBlack: bool): void {
  let rise = start === 0 ? 0 : slopeFrom(start - 1, max(0, start - 2), isBlack);
  let fall = end === SAMPLES ? 0 : slopeFrom(end, min(SAMPLES - 1, end + 1), isBlack);
  // Samples outside the block are unknown; the curve is assumed to be symmetric.
  if (start === 0) rise = fall;
  if (end === SAMPLES) fall = rise;
  const length = <f32>(end - start);
  const tangent = <f32>rise * length;
  const endTangent = -(<f32>fall) * length;
  const increment = <f32>1 / (length + 1);
  let at = increment;
  for (let place = start; place < end; place++) {
    // A cubic Hermite curve from white to white.
    const value = <i32>Math.ceil(at * (1 - at) * ((1 - at) * tangent - at * endTangent)) + <i32>WHITE;
    const limited = min(value, highest);
    store<i16>(addressOf(place), <i16>(isBlack ? -1 - limited : limited));
    at += increment;
  }
}
