/**
 * Converts the image to luma and chroma of half the resolution (ITU-R BT.601, 16 to 235), padded to whole macroblocks.
 */
import { reserve } from '../../assembly/memory';
import { highPairs, lowPairs } from '../../assembly/vectors';

/** Side of a macroblock in samples, for luma and chroma. */
export const SIDE: usize = 16;
export const COLOUR_SIDE: usize = 8;

let ownWidth: i32 = 0;
let ownHeight: i32 = 0;
let across: i32 = 0;
let down: i32 = 0;
let luma: usize = 0;
let blues: usize = 0;
let reds: usize = 0;
/** Alpha, if there is any: as large as luma. */
let alpha: usize = 0;
/** Bytes per pixel: 3, or 4 with alpha. */
let bands: usize = 3;
/** Number of stored lines. */
let lines: i32 = 0;

export function imageWidth(): i32 {
  return ownWidth;
}
export function imageHeight(): i32 {
  return ownHeight;
}
/** Macroblocks per line, and lines of macroblocks. */
export function macroblocksAcross(): i32 {
  return across;
}
export function macroblocksDown(): i32 {
  return down;
}
export function lumaPitch(): usize {
  return <usize>across * SIDE;
}
export function colourPitch(): usize {
  return <usize>across * COLOUR_SIDE;
}
export function lumaAt(x: i32, y: i32): usize {
  return luma + <usize>y * SIDE * lumaPitch() + <usize>x * SIDE;
}
export function bluesAt(x: i32, y: i32): usize {
  return blues + <usize>y * COLOUR_SIDE * colourPitch() + <usize>x * COLOUR_SIDE;
}
export function redsAt(x: i32, y: i32): usize {
  return reds + <usize>y * COLOUR_SIDE * colourPitch() + <usize>x * COLOUR_SIDE;
}

export function alphaPlane(): usize {
  return alpha;
}

/** @returns false if there is not enough memory for the image */
export function startPlanes(width: i32, height: i32, hasAlpha: bool): bool {
  ownWidth = width;
  ownHeight = height;
  across = (width + 15) >> 4;
  down = (height + 15) >> 4;
  lines = 0;
  const macroblocks = <usize>across * <usize>down;
  luma = reserve(macroblocks * SIDE * SIDE);
  blues = reserve(macroblocks * COLOUR_SIDE * COLOUR_SIDE);
  reds = reserve(macroblocks * COLOUR_SIDE * COLOUR_SIDE);
  bands = hasAlpha ? 4 : 3;
  alpha = hasAlpha ? reserve(macroblocks * SIDE * SIDE) : 0;
  return luma !== 0 && blues !== 0 && reds !== 0 && (alpha !== 0 || !hasAlpha);
}

// 2^15 times the weights of red, green and blue, scaled to 219/255 and 224/255 of the whole range.
const LUMA_OF_RED: i32 = 8414;
const LUMA_OF_GREEN: i32 = 16519;
const LUMA_OF_BLUE: i32 = 3208;
const BLUES_OF_RED: i32 = -4857;
const BLUES_OF_GREEN: i32 = -9535;
/** The weight of blue in Cb and of red in Cr. */
const OWN_COLOUR: i32 = 14392;
const REDS_OF_GREEN: i32 = -12051;
const REDS_OF_BLUE: i32 = -2341;

/**
 * Returns one sample of each of 16 pixels.
 * @param channel 0 for red
 */
function samplesOf(pixels: usize, channel: usize): v128 {
  if (bands === 4) {
    const a = i32x4.shr_u(v128.load(pixels), (<i32>channel) << 3);
    const b = i32x4.shr_u(v128.load(pixels, 16), (<i32>channel) << 3);
    const c = i32x4.shr_u(v128.load(pixels, 32), (<i32>channel) << 3);
    const d = i32x4.shr_u(v128.load(pixels, 48), (<i32>channel) << 3);
    const ab = i8x16.shuffle(a, b, 0, 4, 8, 12, 16, 20, 24, 28, 0, 0, 0, 0, 0, 0, 0, 0);
    const cd = i8x16.shuffle(c, d, 0, 4, 8, 12, 16, 20, 24, 28, 0, 0, 0, 0, 0, 0, 0, 0);
    return i8x16.shuffle(ab, cd, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
  }
  // 16 bytes from the first sample on: those of 5 pixels, and one more.
  const at = pixels + channel;
  const a = v128.load(at);
  const b = v128.load(at, 15);
  const c = v128.load(at, 30);
  const ab = i8x16.shuffle(a, b, 0, 3, 6, 9, 12, 16, 19, 22, 25, 28, 0, 0, 0, 0, 0, 0);
  return i8x16.shuffle(ab, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 19, 22, 25, 28, 31);
}

function pairOf(low: i32, high: i32): v128 {
  return i32x4.splat((high << 16) | (low & 0xffff));
}

/**
 * Computes weighted sums of 8 values each of red, green, blue and `rest`.
 * @param redGreen weights in pairs, like `blueRest`
 * @param bits that are shifted out
 */
function weigh(red: v128, green: v128, blue: v128, rest: v128, redGreen: v128, blueRest: v128, bits: i32): v128 {
  const low = i32x4.add(
    i32x4.dot_i16x8_s(lowPairs(red, green), redGreen),
    i32x4.dot_i16x8_s(lowPairs(blue, rest), blueRest),
  );
  const high = i32x4.add(
    i32x4.dot_i16x8_s(highPairs(red, green), redGreen),
    i32x4.dot_i16x8_s(highPairs(blue, rest), blueRest),
  );
  return i16x8.narrow_i32x4_s(i32x4.shr_s(low, bits), i32x4.shr_s(high, bits));
}

/** Converts 16 pixels. */
function lumaOf(red: v128, green: v128, blue: v128): v128 {
  const redGreen = pairOf(LUMA_OF_RED, LUMA_OF_GREEN);
  // 16 and half a unit for rounding: 33 times half a unit.
  const blueRest = pairOf(LUMA_OF_BLUE, 1 << 14);
  const rest = i16x8.splat(33);
  const low = weigh(
    i16x8.extend_low_i8x16_u(red),
    i16x8.extend_low_i8x16_u(green),
    i16x8.extend_low_i8x16_u(blue),
    rest,
    redGreen,
    blueRest,
    15,
  );
  const high = weigh(
    i16x8.extend_high_i8x16_u(red),
    i16x8.extend_high_i8x16_u(green),
    i16x8.extend_high_i8x16_u(blue),
    rest,
    redGreen,
    blueRest,
    15,
  );
  return i8x16.narrow_i16x8_u(low, high);
}

/**
 * Stores lines of pixels.
 * @param pixels RGB or RGBA, `pitch` bytes from one line to the next; up to 63 more bytes are read
 * @param count number of lines: even, unless they are the last ones
 */
export function storeLines(pixels: usize, pitch: usize, count: i32): void {
  for (let line = 0; line < count; line++) storeLuma(pixels + <usize>line * pitch, lines + line);
  for (let line = 0; line < count; line += 2) {
    const at = pixels + <usize>line * pitch;
    storeColour(at, line + 1 < count ? at + pitch : at, (lines + line) >> 1);
  }
  lines += count;
  if (lines === ownHeight) fillBelow();
}

function storeLuma(pixels: usize, line: i32): void {
  const place = <usize>line * lumaPitch();
  for (let x: usize = 0; x < <usize>ownWidth; x += SIDE) {
    const at = pixels + x * bands;
    v128.store(luma + place + x, lumaOf(samplesOf(at, 0), samplesOf(at, 1), samplesOf(at, 2)));
    if (alpha !== 0) v128.store(alpha + place + x, samplesOf(at, 3));
  }
  repeatLast(luma + place, ownWidth, lumaPitch());
  if (alpha !== 0) repeatLast(alpha + place, ownWidth, lumaPitch());
}

function repeatLast(out: usize, used: i32, pitch: usize): void {
  memory.fill(out + <usize>used, load<u8>(out + <usize>(used - 1)), pitch - <usize>used);
}

function storeColour(upper: usize, lower: usize, line: i32): void {
  const out = <usize>line * colourPitch();
  // 128 and half a unit of 2^17: 1028 times 2^14.
  const rest = i16x8.splat(1028);
  for (let x: usize = 0; x < <usize>ownWidth; x += SIDE) {
    const above = upper + x * bands;
    const below = lower + x * bands;
    const red = sumOfFour(samplesOf(above, 0), samplesOf(below, 0));
    const green = sumOfFour(samplesOf(above, 1), samplesOf(below, 1));
    const blue = sumOfFour(samplesOf(above, 2), samplesOf(below, 2));
    const cb = weigh(red, green, blue, rest, pairOf(BLUES_OF_RED, BLUES_OF_GREEN), pairOf(OWN_COLOUR, 1 << 14), 17);
    const cr = weigh(blue, green, red, rest, pairOf(REDS_OF_BLUE, REDS_OF_GREEN), pairOf(OWN_COLOUR, 1 << 14), 17);
    v128.store64_lane(blues + out + (x >> 1), i8x16.narrow_i16x8_u(cb, cb), 0);
    v128.store64_lane(reds + out + (x >> 1), i8x16.narrow_i16x8_u(cr, cr), 0);
  }
  const width = (ownWidth + 1) >> 1;
  // Recomputes groups of 2 x 2 pixels that are only partly visible, because the colour of transparent pixels is
  // arbitrary, and the last pixels of an odd width.
  if (alpha !== 0 || (ownWidth & 1) !== 0)
    for (let x = alpha !== 0 ? 0 : width - 1; x < width; x++) {
      const first = <usize>(2 * x) * bands;
      const second = <usize>min(2 * x + 1, ownWidth - 1) * bands;
      if (2 * x + 1 < ownWidth && areAlike(upper + first, upper + second, lower + first, lower + second)) continue;
      storeOneColour(upper + first, upper + second, lower + first, lower + second, out + <usize>x);
    }
  repeatLast(blues + out, width, colourPitch());
  repeatLast(reds + out, width, colourPitch());
}

/** Returns the sums of 2 x 2 pixels. */
function sumOfFour(upper: v128, lower: v128): v128 {
  return i16x8.add(i16x8.extadd_pairwise_i8x16_u(upper), i16x8.extadd_pairwise_i8x16_u(lower));
}

function isSeen(pixel: usize): i32 {
  return bands === 3 || load<u8>(pixel, 3) !== 0 ? 1 : 0;
}

/** Whether all of four pixels are visible, or none. */
function areAlike(a: usize, b: usize, c: usize, d: usize): bool {
  const seen = isSeen(a) + isSeen(b) + isSeen(c) + isSeen(d);
  return seen === 0 || seen === 4;
}

/** Stores the chroma of the visible ones of four pixels. */
function storeOneColour(a: usize, b: usize, c: usize, d: usize, out: usize): void {
  const seen = isSeen(a) + isSeen(b) + isSeen(c) + isSeen(d);
  const red = fourTimes(a, b, c, d, 0, seen);
  const green = fourTimes(a, b, c, d, 1, seen);
  const blue = fourTimes(a, b, c, d, 2, seen);
  const rest = 1028 << 14;
  store<u8>(blues + out, <u8>((red * BLUES_OF_RED + green * BLUES_OF_GREEN + blue * OWN_COLOUR + rest) >> 17));
  store<u8>(reds + out, <u8>((red * OWN_COLOUR + green * REDS_OF_GREEN + blue * REDS_OF_BLUE + rest) >> 17));
}

/** Returns four times the average of a channel over the visible pixels, or over all if none is visible. */
function fourTimes(a: usize, b: usize, c: usize, d: usize, channel: usize, seen: i32): i32 {
  const sum =
    seenSample(a, channel, seen) +
    seenSample(b, channel, seen) +
    seenSample(c, channel, seen) +
    seenSample(d, channel, seen);
  return (4 * sum) / (seen === 0 ? 4 : seen);
}

function seenSample(pixel: usize, channel: usize, seen: i32): i32 {
  return seen === 0 || isSeen(pixel) !== 0 ? load<u8>(pixel + channel) : 0;
}

/** Repeats the last lines down to the end of the last macroblocks. */
function fillBelow(): void {
  const pitch = lumaPitch();
  const end = <usize>down * SIDE;
  for (let line = <usize>ownHeight; line < end; line++)
    memory.copy(luma + line * pitch, luma + (<usize>ownHeight - 1) * pitch, pitch);
  const colour = colourPitch();
  const used = <usize>((ownHeight + 1) >> 1);
  for (let line = used; line < <usize>down * COLOUR_SIDE; line++) {
    memory.copy(blues + line * colour, blues + (used - 1) * colour, colour);
    memory.copy(reds + line * colour, reds + (used - 1) * colour, colour);
  }
  if (alpha === 0) return;
  for (let line = <usize>ownHeight; line < end; line++)
    memory.copy(alpha + line * pitch, alpha + (<usize>ownHeight - 1) * pitch, pitch);
  for (let y: usize = 0; y < end; y += 8) for (let x: usize = 0; x < pitch; x += 8) hideUnseen(x, y);
}

/**
 * Replaces the transparent samples of a block of 8 x 8 by the average of the visible ones, or of the previous block if
 * none is visible. That takes the fewest bits.
 */
function hideUnseen(x: usize, y: usize): void {
  const pitch = lumaPitch();
  const from = y * pitch + x;
  if (isAllSeen(alpha + from, pitch)) return;
  hidePlane(luma + from, pitch, 8, alpha + from, 1, x);
  const colour = (y >> 1) * colourPitch() + (x >> 1);
  hidePlane(blues + colour, colourPitch(), 4, alpha + from, 2, x);
  hidePlane(reds + colour, colourPitch(), 4, alpha + from, 2, x);
}

function isAllSeen(at: usize, pitch: usize): bool {
  for (let line: usize = 0; line < 8; line++) if (!i8x16.all_true(v128.load64_splat(at + line * pitch))) return false;
  return true;
}

/** @param step samples of alpha per sample of the plane, in each direction */
function hidePlane(at: usize, pitch: usize, side: usize, seen: usize, step: usize, x: usize): void {
  let sum = 0;
  let count = 0;
  for (let line: usize = 0; line < side; line++)
    for (let column: usize = 0; column < side; column++)
      if (isSampleSeen(seen, line * step, column * step, step)) {
        sum += load<u8>(at + line * pitch + column);
        count += 1;
      }
  const average = count > 0 ? (sum + (count >> 1)) / count : <i32>load<u8>(x > 0 ? at - 1 : at);
  for (let line: usize = 0; line < side; line++)
    for (let column: usize = 0; column < side; column++)
      if (!isSampleSeen(seen, line * step, column * step, step)) store<u8>(at + line * pitch + column, <u8>average);
}

function isSampleSeen(seen: usize, line: usize, column: usize, step: usize): bool {
  const at = seen + line * lumaPitch() + column;
  if (step === 1) return load<u8>(at) !== 0;
  return (load<u16>(at) | load<u16>(at + lumaPitch())) !== 0;
}
