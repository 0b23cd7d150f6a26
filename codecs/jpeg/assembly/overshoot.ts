/**
 * Samples beyond black and white. Decoders clip what they compute, so that a sample at an end of the range may as well lie beyond it:
 * edges between white and a colour then need fewer, or smaller, coefficients, and ring less. After the idea of K. Lesiński's "overshoot
 * deringing" in mozjpeg: along the zigzag path each run of white is bent upwards as far as the slopes at both of its sides suggest.
 * Here black is bent as well.
 */
import { NATURAL_ORDER } from './tables';

const SAMPLES: i32 = 64;
const WHITE: i16 = 127;
const BLACK: i16 = -128;
/** Above it more bits are spent than are saved. */
const MAX_OVERSHOOT: i32 = 31;
/** Below it a coefficient of samples beyond the range may have more than the 10 bits that AC has in the coding. */
const MIN_STEP: i32 = 2;

/** The block that is bent, in rows. */
const bent: usize = memory.data(SAMPLES * 2, 16);

/** The pitch of what `overshoot` answers when it is not the block itself, in bytes. */
export const BENT_PITCH: usize = 16;

/**
 * @param from a block of samples of 16 bits about 0
 * @param pitch of its lines, in bytes
 * @param step of quantization of DC, which is the smallest
 * @returns a block to be transformed instead, with lines of `BENT_PITCH`; 0 where this one is to stay
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

/** A sample on the path; of black all are mirrored, so that it is bent like white. */
function sampleAt(place: i32, isBlack: bool): i32 {
  const value = <i32>load<i16>(addressOf(place));
  return isBlack ? -1 - value : value;
}

function bend(count: i32, step: i32, isBlack: bool): void {
  let sum = 0;
  for (let place = 0; place < SAMPLES; place++) sum += sampleAt(place, isBlack);
  // The mean has to stay in the range, which decoders expect of DC.
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

/** How steeply the path comes up to white from a place beside the run. */
function slopeFrom(near: i32, far: i32, isBlack: bool): i32 {
  const value = sampleAt(near, isBlack);
  return max(value - sampleAt(far, isBlack), <i32>WHITE - value);
}

/** @param end the first place behind the run */
function bendRun(start: i32, end: i32, highest: i32, isBlack: bool): void {
  let rise = start === 0 ? 0 : slopeFrom(start - 1, max(0, start - 2), isBlack);
  let fall = end === SAMPLES ? 0 : slopeFrom(end, min(SAMPLES - 1, end + 1), isBlack);
  // Of what lies outside of the block nothing is known: it is taken to be symmetric.
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
