/** Finds the pixels of an image that do not have the colour of its border. */

/** Bytes of a block: whole pixels of one to four bands, in 8 or 16 bits. */
const BLOCK: usize = 48;

/** Bytes of the ranges of `widenBounds`: the lowest samples of a block, then the highest. */
export const rangesBytes: usize = 2 * BLOCK;

// A rectangle: 32-bit numbers, right and bottom exclusive. Left and top of an empty one are larger than those of any other.
const LEFT: usize = 0;
const TOP: usize = 4;
const RIGHT: usize = 8;
const BOTTOM: usize = 12;

/**
 * Widens a rectangle to all pixels that are outside the ranges.
 * @param rows interleaved samples without gaps between rows
 * @param x column of their first pixel
 * @param y row of their first pixel
 * @param sampleBytes 1, or 2 with the lower byte first
 * @param maxClear pixels with at most this alpha count as inside; -1 if the pixels have no alpha
 */
export function widenBounds(
  bounds: usize,
  rows: usize,
  x: i32,
  y: i32,
  width: i32,
  count: i32,
  bands: i32,
  sampleBytes: i32,
  ranges: usize,
  maxClear: i32,
): void {
  const pixelBytes = <usize>(bands * sampleBytes);
  const rowBytes = <usize>width * pixelBytes;
  for (const bottom = y + count; y < bottom; y += 1) {
    const end = rows + rowBytes;
    const first = firstOutside(rows, end, pixelBytes, sampleBytes, ranges, maxClear);
    if (first < end) {
      const left = x + <i32>((first - rows) / pixelBytes);
      const right = load<i32>(bounds, RIGHT);
      // Pixels up to the known right side change nothing.
      const known = rows + <usize>max(0, min(width, right - x)) * pixelBytes;
      const last = endOfOutside(max(known, first + pixelBytes), end, pixelBytes, sampleBytes, ranges, maxClear);
      store<i32>(bounds, min(load<i32>(bounds, LEFT), left), LEFT);
      store<i32>(bounds, max(right, x + <i32>((last - rows) / pixelBytes)), RIGHT);
      store<i32>(bounds, max(load<i32>(bounds, BOTTOM), y + 1), BOTTOM);
      store<i32>(bounds, min(load<i32>(bounds, TOP), y), TOP);
    }
    rows = end;
  }
}

/** The address of the first pixel outside the ranges, or `end`. */
function firstOutside(at: usize, end: usize, pixelBytes: usize, sampleBytes: i32, ranges: usize, maxClear: i32): usize {
  while (at < end) {
    if (at + BLOCK <= end && isBlockInside(at, sampleBytes, ranges)) {
      at += BLOCK;
      continue;
    }
    for (const blockEnd = min(at + BLOCK, end); at < blockEnd; at += pixelBytes) {
      if (isOutside(at, pixelBytes, sampleBytes, ranges, maxClear)) return at;
    }
  }
  return end;
}

/** The end of the last pixel outside the ranges, or `start`. */
function endOfOutside(
  start: usize,
  at: usize,
  pixelBytes: usize,
  sampleBytes: i32,
  ranges: usize,
  maxClear: i32,
): usize {
  while (at > start) {
    if (at - BLOCK >= start && isBlockInside(at - BLOCK, sampleBytes, ranges)) {
      at -= BLOCK;
      continue;
    }
    for (const blockStart = max(at - BLOCK, start); at > blockStart; at -= pixelBytes) {
      if (isOutside(at - pixelBytes, pixelBytes, sampleBytes, ranges, maxClear)) return at;
    }
  }
  return start;
}

function isBlockInside(at: usize, sampleBytes: i32, ranges: usize): bool {
  if (sampleBytes === 1) {
    return (
      areBytesInside(v128.load(at), ranges) &&
      areBytesInside(v128.load(at, 16), ranges + 16) &&
      areBytesInside(v128.load(at, 32), ranges + 32)
    );
  }
  return (
    areWordsInside(v128.load(at), ranges) &&
    areWordsInside(v128.load(at, 16), ranges + 16) &&
    areWordsInside(v128.load(at, 32), ranges + 32)
  );
}

function areBytesInside(samples: v128, ranges: usize): bool {
  const clamped = i8x16.max_u(i8x16.min_u(samples, v128.load(ranges, BLOCK)), v128.load(ranges));
  return i8x16.all_true(i8x16.eq(clamped, samples));
}

function areWordsInside(samples: v128, ranges: usize): bool {
  const clamped = i16x8.max_u(i16x8.min_u(samples, v128.load(ranges, BLOCK)), v128.load(ranges));
  return i16x8.all_true(i16x8.eq(clamped, samples));
}

function isOutside(at: usize, pixelBytes: usize, sampleBytes: i32, ranges: usize, maxClear: i32): bool {
  if (sampleAt(at + pixelBytes - sampleBytes, sampleBytes) <= maxClear) return false;
  for (let band: usize = 0; band < pixelBytes; band += sampleBytes) {
    const sample = sampleAt(at + band, sampleBytes);
    if (sample < sampleAt(ranges + band, sampleBytes)) return true;
    if (sample > sampleAt(ranges + BLOCK + band, sampleBytes)) return true;
  }
  return false;
}

function sampleAt(at: usize, sampleBytes: i32): i32 {
  return sampleBytes === 1 ? <i32>load<u8>(at) : <i32>load<u16>(at);
}
