/**
 * Measures how much an image would change at half the chroma resolution (4:2:0 with the triangle filter of decoders),
 * on some of its lines.
 */
import { reserve } from '../../assembly/memory';
import { highPairs, lowPairs } from '../../assembly/vectors';
import { pairSums, readRgb } from './pixels';

/** Lines that are read: a pair, the pair above and the pair below. */
const LINES: usize = 6;
/** The square of one level, for samples with a fraction of 5 bits. */
const SQUARE: f64 = 1024;

let lineBytes: usize = 0;
let luma: usize = 0;
/** The lines of Cb and Cr. */
let blues: usize = 0;
let reds: usize = 0;
/** For Cb and Cr: means of 2 x 2 pixels as decoders interpolate them vertically for one line. */
let shown: usize = 0;

/** @returns false if there is not enough memory */
export function startChroma(width: i32): bool {
  lineBytes = ((<usize>width + 31) & ~31) * 2;
  luma = reserve(lineBytes);
  blues = reserve(lineBytes * LINES);
  reds = reserve(lineBytes * LINES);
  shown = reserve(lineBytes * 2);
  return luma !== 0 && blues !== 0 && reds !== 0 && shown !== 0;
}

/**
 * Counts the pixels of the middle pair of lines whose chroma would change, except for two at each end of a line.
 * @param pixels six lines of RGB; the 48 bytes after them are also read
 * @param width 6 or more
 * @param levels that chroma may change by
 */
export function countLost(pixels: usize, width: i32, levels: f64): i32 {
  const pitch = <usize>width * 3;
  for (let line: usize = 0; line < LINES; line++)
    readRgb(pixels + line * pitch, width, luma, blues + line * lineBytes, reds + line * lineBytes);
  const across = width >> 1;
  const limit = <i32>(levels * levels * SQUARE);
  let lost = 0;
  for (let line: usize = 0; line < 2; line++) {
    showLine(blues, line, shown);
    showLine(reds, line, shown + lineBytes);
    const at = (line + 2) * lineBytes;
    lost += countLine(blues + at, reds + at, 2 * across - 2, limit);
  }
  return lost;
}

/**
 * Interpolates one line of the pair vertically, as decoders do: three parts of the pair's means, one part of the means
 * of the nearer pair.
 * @param colours six lines of one chroma component
 */
function showLine(colours: usize, line: usize, out: usize): void {
  const own = colours + 2 * lineBytes;
  const other = colours + (line === 0 ? 0 : 4) * lineBytes;
  for (let x: usize = 0; x < lineBytes >> 1; x += 16) {
    const mean = meanAt(own, x);
    const sum = i16x8.add(i16x8.add(mean, mean), i16x8.add(mean, meanAt(other, x)));
    v128.store(out + x, i16x8.shr_s(i16x8.add(sum, i16x8.splat(2)), 2));
  }
}

/** Returns 8 means of 2 x 2 samples. */
function meanAt(lines: usize, x: usize): v128 {
  const sum = i16x8.add(pairSums(lines + (x << 1)), pairSums(lines + lineBytes + (x << 1)));
  return i16x8.shr_s(i16x8.add(sum, i16x8.splat(2)), 2);
}

/** @param end after the last pixel */
function countLine(blue: usize, red: usize, end: i32, limit: i32): i32 {
  let counts = i32x4.splat(0);
  const highest = i32x4.splat(limit);
  const ends = i32x4.splat(end);
  // Starts with the second mean; each mean stands for two pixels.
  for (let mean: usize = 1; (<i32>mean) << 1 < end; mean += 8) {
    const at = shown + (mean << 1);
    const x = mean << 2;
    for (let half: usize = 0; half < 2; half++) {
      const from = x + (half << 4);
      const blueError = i16x8.sub(v128.load(blue + from), shownAt(at, half));
      const redError = i16x8.sub(v128.load(red + from), shownAt(at + lineBytes, half));
      const low = lowPairs(blueError, redError);
      const high = highPairs(blueError, redError);
      const first = <i32>(from >> 1);
      const places = i32x4.add(i32x4.splat(first), i32x4(0, 1, 2, 3));
      const lowLost = i32x4.gt_s(i32x4.dot_i16x8_s(low, low), highest);
      const highLost = i32x4.gt_s(i32x4.dot_i16x8_s(high, high), highest);
      counts = i32x4.sub(counts, v128.and(lowLost, i32x4.lt_s(places, ends)));
      counts = i32x4.sub(counts, v128.and(highLost, i32x4.lt_s(i32x4.add(places, i32x4.splat(4)), ends)));
    }
  }
  return (
    i32x4.extract_lane(counts, 0) +
    i32x4.extract_lane(counts, 1) +
    i32x4.extract_lane(counts, 2) +
    i32x4.extract_lane(counts, 3)
  );
}

/** Returns 8 pixels, for the first or the second four means: three parts of the nearer mean, one part of the next. */
function shownAt(at: usize, half: usize): v128 {
  const own = v128.load(at);
  const thrice = i16x8.add(i16x8.add(own, own), i16x8.add(own, i16x8.splat(2)));
  const even = i16x8.shr_s(i16x8.add(thrice, v128.load(at - 2)), 2);
  const odd = i16x8.shr_s(i16x8.add(thrice, v128.load(at + 2)), 2);
  return half === 0 ? lowPairs(even, odd) : highPairs(even, odd);
}
