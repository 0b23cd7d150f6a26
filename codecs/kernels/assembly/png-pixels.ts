/** Collects facts about pixels, and makes the samples of PNG rows from pixels. */
import { sumOfLanes } from './lanes';

const MAX_COLOURS: u32 = 256;
const SLOTS: usize = 1024;

// The block that `observePixels` fills. 32-bit words: whether all pixels are opaque, whether all are grey, whether both
// bytes of each 16-bit sample are equal, and the number of colours (MAX_COLOURS + 1 for more). Then the colours in
// order of appearance, and a hash table of their indexes + 1, 16 bits each.
const OPAQUE: usize = 0;
const GREY: usize = 4;
const SHALLOW: usize = 8;
const COUNT: usize = 12;
const COLOURS: usize = 16;
const SLOTS_AT: usize = COLOURS + ((<usize>MAX_COLOURS) << 2);

/** Bytes of memory that `startObserving` needs. */
export const factsBytes: usize = SLOTS_AT + SLOTS * 2;

/** @param sampleBytes 1, or 2 with the lower byte first */
export function startObserving(facts: usize, sampleBytes: i32): void {
  memory.fill(facts, 0, factsBytes);
  store<u32>(facts, 1, OPAQUE);
  store<u32>(facts, 1, GREY);
  store<u32>(facts, u32(sampleBytes === 2), SHALLOW);
}

/**
 * Observes pixels of one to four bands. Colours use the higher bytes of the samples, the first band lowest.
 * @returns whether more pixels can change anything
 */
export function observePixels(facts: usize, pixels: usize, count: i32, bands: i32, sampleBytes: i32): bool {
  const end = pixels + <usize>count * bands * sampleBytes;
  let at = pixels;
  if (load<u32>(facts, COUNT) <= MAX_COLOURS) at = observeColours(facts, pixels, end, bands, sampleBytes);
  // The lower bytes were not observed.
  if (sampleBytes === 2) at = pixels;
  const hasAlpha = (bands & 1) === 0;
  if (sampleBytes === 2 && load<u32>(facts, SHALLOW)) store<u32>(facts, u32(areShallow(pixels, end)), SHALLOW);
  if (bands > 2 && load<u32>(facts, GREY)) store<u32>(facts, u32(areGrey(at, end, bands, sampleBytes)), GREY);
  if (hasAlpha && load<u32>(facts, OPAQUE)) store<u32>(facts, u32(areOpaque(at, end, bands, sampleBytes)), OPAQUE);
  return (
    load<u32>(facts, COUNT) <= MAX_COLOURS ||
    (sampleBytes === 2 && load<u32>(facts, SHALLOW) !== 0) ||
    (bands > 2 && load<u32>(facts, GREY) !== 0) ||
    (hasAlpha && load<u32>(facts, OPAQUE) !== 0)
  );
}

/** Observes colours up to the pixel with one colour too many, or the end. */
function observeColours(facts: usize, pixels: usize, end: usize, bands: i32, sampleBytes: i32): usize {
  const step = <usize>(bands * sampleBytes);
  let known: u32 = 0;
  let isFirst = true;
  for (let at = pixels; at < end; at += step) {
    const colour = colourAt(at, bands, sampleBytes);
    if (colour === known && !isFirst) continue;
    known = colour;
    isFirst = false;
    const slot = slotOf(facts, colour);
    if (load<u16>(slot) !== 0) continue;
    const count = load<u32>(facts, COUNT);
    store<u32>(facts, count + 1, COUNT);
    if (count === MAX_COLOURS) return at;
    store<u16>(slot, <u16>(count + 1));
    store<u32>(facts + (count << 2), colour, COLOURS);
    const grey = colour & 255;
    if (bands > 2 && (((colour >> 8) & 255) !== grey || ((colour >> 16) & 255) !== grey)) store<u32>(facts, 0, GREY);
    if ((bands & 1) === 0 && colour >> (8 * (bands - 1)) !== 255) store<u32>(facts, 0, OPAQUE);
  }
  return end;
}

function colourAt(at: usize, bands: i32, sampleBytes: i32): u32 {
  if (sampleBytes === 1) {
    if (bands === 3) return load<u32>(at) & 0xffffff;
    if (bands === 4) return load<u32>(at);
    return bands === 1 ? <u32>load<u8>(at) : <u32>load<u16>(at);
  }
  let colour: u32 = 0;
  for (let band = bands - 1; band >= 0; band--) colour = (colour << 8) | <u32>load<u8>(at + (band << 1), 1);
  return colour;
}

/** Returns the slot of a colour's number, or the free slot for it. */
function slotOf(facts: usize, colour: u32): usize {
  let slot: usize = (colour * 0x9e3779b1) >> 22;
  let at = facts + SLOTS_AT + (slot << 1);
  for (let number = <usize>load<u16>(at); number !== 0; number = <usize>load<u16>(at)) {
    if (load<u32>(facts + ((number - 1) << 2), COLOURS) === colour) break;
    slot = (slot + 1) & (SLOTS - 1);
    at = facts + SLOTS_AT + (slot << 1);
  }
  return at;
}

function areShallow(pixels: usize, end: usize): bool {
  for (let at = pixels; at < end; at += 2) if (load<u8>(at) !== load<u8>(at, 1)) return false;
  return true;
}

function areGrey(pixels: usize, end: usize, bands: i32, sampleBytes: i32): bool {
  const step = <usize>(bands * sampleBytes);
  if (sampleBytes === 1) {
    for (let at = pixels; at < end; at += step) {
      const first = load<u8>(at);
      if (load<u8>(at, 1) !== first || load<u8>(at, 2) !== first) return false;
    }
  } else
    for (let at = pixels; at < end; at += step) {
      const first = load<u16>(at);
      if (load<u16>(at, 2) !== first || load<u16>(at, 4) !== first) return false;
    }
  return true;
}

function areOpaque(pixels: usize, end: usize, bands: i32, sampleBytes: i32): bool {
  const step = <usize>(bands * sampleBytes);
  let at = pixels;
  if (step === 4 && sampleBytes === 1)
    for (; at + 16 <= end; at += 16)
      if (!i32x4.all_true(i32x4.eq(v128.or(v128.load(at), i32x4.splat(0xffffff)), i32x4.splat(-1)))) return false;
  for (at += step - sampleBytes; at < end; at += step)
    if (sampleBytes === 1 ? load<u8>(at) !== 255 : load<u16>(at) !== 65535) return false;
  return true;
}

/**
 * Copies some of the bytes of each pixel.
 * @param stride bytes per pixel, at most 8
 * @param picked their offsets in the pixel, one byte each
 * @param kept their number
 */
export function pickBytes(to: usize, pixels: usize, count: i32, stride: i32, picked: usize, kept: i32): void {
  const together = 16 / stride;
  const order = memory.data(16, 16);
  for (let byte = 0; byte < 16; byte++) {
    const pixel = byte / kept;
    const from = pixel < together ? pixel * stride + <i32>load<u8>(picked + (byte % kept)) : 255;
    store<u8>(order + byte, <u8>from);
  }
  const places = v128.load(order);
  // Surplus bytes are overwritten by the next ones, or lie after the end.
  for (let left = count; left > 0; left -= together) {
    v128.store(to, i8x16.swizzle(v128.load(pixels), places));
    pixels += together * stride;
    to += together * kept;
  }
}

/**
 * Writes one byte per pixel that represents its colour.
 * @param values by colour, in order of appearance
 */
export function mapColours(
  to: usize,
  pixels: usize,
  count: i32,
  bands: i32,
  sampleBytes: i32,
  facts: usize,
  values: usize,
): void {
  const step = <usize>(bands * sampleBytes);
  let known: u32 = colourAt(pixels, bands, sampleBytes);
  let number = valueOfColour(facts, values, known);
  for (const end = to + count; to < end; to += 1) {
    const colour = colourAt(pixels, bands, sampleBytes);
    if (colour !== known) {
      known = colour;
      number = valueOfColour(facts, values, colour);
    }
    store<u8>(to, number);
    pixels += step;
  }
}

function valueOfColour(facts: usize, values: usize, colour: u32): u8 {
  return load<u8>(values + <usize>load<u16>(slotOf(facts, colour)) - 1);
}

/** Packs samples of one byte into rows of samples of 1, 2 or 4 bits, the first one in the highest bits. */
export function packRows(to: usize, samples: usize, width: i32, rows: i32, bits: i32): void {
  for (; rows > 0; rows--) {
    let held: u32 = 0;
    let free = 8;
    for (const end = samples + width; samples < end; samples++) {
      free -= bits;
      held |= (<u32>load<u8>(samples)) << free;
      if (free > 0) continue;
      store<u8>(to, <u8>held);
      to += 1;
      held = 0;
      free = 8;
    }
    if (free === 8) continue;
    store<u8>(to, <u8>held);
    to += 1;
  }
}

/** Bytes after which the 32-bit sums are reduced (like zlib's NMAX, for sixteen bytes at a time). */
const MAX_ADLER_BYTES: usize = 5536;
const ADLER_MODULUS: u32 = 65521;

/**
 * Computes the checksum of a zlib stream (RFC 1950, section 8.2).
 * @param sum of the preceding bytes; 1 at the beginning
 */
export function adler32(sum: u32, bytes: usize, count: usize): u32 {
  let low = sum & 0xffff;
  let high = sum >> 16;
  const end = bytes + count;
  const weights = v128(16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
  const first = i16x8.extend_low_i8x16_u(weights);
  const second = i16x8.extend_high_i8x16_u(weights);
  while (bytes + 16 <= end) {
    const part = min(MAX_ADLER_BYTES, (end - bytes) & ~15);
    let sums = i32x4.splat(0);
    let earlier = i32x4.splat(0);
    let weighted = i32x4.splat(0);
    for (const partEnd = bytes + part; bytes < partEnd; bytes += 16) {
      const values = v128.load(bytes);
      earlier = i32x4.add(earlier, sums);
      sums = i32x4.add(sums, i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(values)));
      weighted = i32x4.add(weighted, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(values), first));
      weighted = i32x4.add(weighted, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(values), second));
    }
    high = (high + low * <u32>part + 16 * sumOfLanes(earlier) + sumOfLanes(weighted)) % ADLER_MODULUS;
    low = (low + sumOfLanes(sums)) % ADLER_MODULUS;
  }
  for (; bytes < end; bytes++) {
    low = (low + <u32>load<u8>(bytes)) % ADLER_MODULUS;
    high = (high + low) % ADLER_MODULUS;
  }
  return (high << 16) | low;
}
