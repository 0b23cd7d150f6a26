/** The image as luma and, at half the resolution, colour (ITU-R BT.601, 16 to 235), filled up to whole macroblocks. */
import { reserve } from '../../assembly/memory';
import { highPairs, lowPairs } from '../../assembly/vectors';

/** Samples of a side of a macroblock, in luma and in colour. */
export const SIDE: usize = 16;
export const COLOUR_SIDE: usize = 8;

let ownWidth: i32 = 0;
let ownHeight: i32 = 0;
let across: i32 = 0;
let down: i32 = 0;
let luma: usize = 0;
let blues: usize = 0;
let reds: usize = 0;
/** Lines that have been stored. */
let lines: i32 = 0;

export function imageWidth(): i32 {
  return ownWidth;
}
export function imageHeight(): i32 {
  return ownHeight;
}
/** Macroblocks of a line, and lines of them. */
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

/** @returns whether there is memory for the image */
export function startPlanes(width: i32, height: i32): bool {
  ownWidth = width;
  ownHeight = height;
  across = (width + 15) >> 4;
  down = (height + 15) >> 4;
  lines = 0;
  const macroblocks = <usize>across * <usize>down;
  luma = reserve(macroblocks * SIDE * SIDE);
  blues = reserve(macroblocks * COLOUR_SIDE * COLOUR_SIDE);
  reds = reserve(macroblocks * COLOUR_SIDE * COLOUR_SIDE);
  return luma !== 0 && blues !== 0 && reds !== 0;
}

// 2^15 times the weights of red, green and blue, of 219/255 and 224/255 of the whole range.
const LUMA_OF_RED: i32 = 8414;
const LUMA_OF_GREEN: i32 = 16519;
const LUMA_OF_BLUE: i32 = 3208;
const BLUES_OF_RED: i32 = -4857;
const BLUES_OF_GREEN: i32 = -9535;
/** Of blue and of red. */
const OWN_COLOUR: i32 = 14392;
const REDS_OF_GREEN: i32 = -12051;
const REDS_OF_BLUE: i32 = -2341;

/** Red, green or blue of 16 pixels: 48 bytes. */
function redOf(a: v128, b: v128, c: v128): v128 {
  const ab = i8x16.shuffle(a, b, 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 0, 0, 0, 0, 0);
  return i8x16.shuffle(ab, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 20, 23, 26, 29);
}
function greenOf(a: v128, b: v128, c: v128): v128 {
  const ab = i8x16.shuffle(a, b, 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 0, 0, 0, 0, 0);
  return i8x16.shuffle(ab, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 18, 21, 24, 27, 30);
}
function blueOf(a: v128, b: v128, c: v128): v128 {
  const ab = i8x16.shuffle(a, b, 2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 0, 0, 0, 0, 0, 0);
  return i8x16.shuffle(ab, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 19, 22, 25, 28, 31);
}

function pairOf(low: i32, high: i32): v128 {
  return i32x4.splat((high << 16) | (low & 0xffff));
}

/** Weighted sums of 8 values each of red, green and blue. @param weightOfRest of `rest`, which stands beside blue */
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

/** 16 pixels. */
function lumaOf(red: v128, green: v128, blue: v128): v128 {
  const redGreen = pairOf(LUMA_OF_RED, LUMA_OF_GREEN);
  // 16, and half a unit: 33 times half a unit.
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
 * @param pixels RGB, `pitch` bytes from a line to the next; up to 47 bytes more are read
 * @param count of lines: even, unless they are the last
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
  const out = luma + <usize>line * lumaPitch();
  for (let x: usize = 0; x < lumaPitch(); x += SIDE) {
    if (x >= <usize>ownWidth) break;
    const at = pixels + x * 3;
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    v128.store(out + x, lumaOf(redOf(a, b, c), greenOf(a, b, c), blueOf(a, b, c)));
  }
  repeatLast(out, ownWidth, lumaPitch());
}

function repeatLast(out: usize, used: i32, pitch: usize): void {
  memory.fill(out + <usize>used, load<u8>(out + <usize>(used - 1)), pitch - <usize>used);
}

function storeColour(upper: usize, lower: usize, line: i32): void {
  const out = <usize>line * colourPitch();
  for (let x: usize = 0; x < <usize>ownWidth; x += SIDE) {
    let at = upper + x * 3;
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    at = lower + x * 3;
    const d = v128.load(at);
    const e = v128.load(at, 16);
    const f = v128.load(at, 32);
    const red = sumOfFour(redOf(a, b, c), redOf(d, e, f));
    const green = sumOfFour(greenOf(a, b, c), greenOf(d, e, f));
    const blue = sumOfFour(blueOf(a, b, c), blueOf(d, e, f));
    // 128 and half a unit, of 2^17: 1028 times 2^14.
    const rest = i16x8.splat(1028);
    const cb = weigh(red, green, blue, rest, pairOf(BLUES_OF_RED, BLUES_OF_GREEN), pairOf(OWN_COLOUR, 1 << 14), 17);
    const cr = weigh(blue, green, red, rest, pairOf(REDS_OF_BLUE, REDS_OF_GREEN), pairOf(OWN_COLOUR, 1 << 14), 17);
    v128.store64_lane(blues + out + (x >> 1), i8x16.narrow_i16x8_u(cb, cb), 0);
    v128.store64_lane(reds + out + (x >> 1), i8x16.narrow_i16x8_u(cr, cr), 0);
  }
  const width = (ownWidth + 1) >> 1;
  if ((ownWidth & 1) !== 0) {
    const last = <usize>(ownWidth - 1) * 3;
    storeLastColour(upper + last, lower + last, out + <usize>(width - 1));
  }
  repeatLast(blues + out, width, colourPitch());
  repeatLast(reds + out, width, colourPitch());
}

/** Of 2 x 2 pixels. */
function sumOfFour(upper: v128, lower: v128): v128 {
  return i16x8.add(i16x8.extadd_pairwise_i8x16_u(upper), i16x8.extadd_pairwise_i8x16_u(lower));
}

/** Of two pixels at the right end, one below the other. */
function storeLastColour(upper: usize, lower: usize, out: usize): void {
  const red = 2 * (<i32>load<u8>(upper) + load<u8>(lower));
  const green = 2 * (<i32>load<u8>(upper, 1) + load<u8>(lower, 1));
  const blue = 2 * (<i32>load<u8>(upper, 2) + load<u8>(lower, 2));
  const rest = 1028 << 14;
  store<u8>(blues + out, <u8>((red * BLUES_OF_RED + green * BLUES_OF_GREEN + blue * OWN_COLOUR + rest) >> 17));
  store<u8>(reds + out, <u8>((red * OWN_COLOUR + green * REDS_OF_GREEN + blue * REDS_OF_BLUE + rest) >> 17));
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
}
