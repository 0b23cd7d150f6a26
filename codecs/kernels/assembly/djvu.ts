/**
 * The loops of IW44, the wavelet coding of DjVu. Section numbers refer to the DjVu 3 Specification (Lizardtech,
 * November 2005). Coefficients and samples of wavelets have 16 bits and wrap around, as in DjVuLibre; sums have 32
 * bits.
 */

// The Z'-coder (appendix 3). One stream at a time is decoded.

/** 8 bytes for each state of a context: Δ and θ of 16 bits, μ and λ of 8. */
let states: usize = 0;
let nextByte: usize = 0;
let endByte: usize = 0;
/** Number of bytes that were assumed after the end of the data. */
let missing: i32 = 0;
/** Bits read ahead; the lowest `available` of them are not used yet. */
let fetched: i32 = 0;
let available: i32 = 0;
/** The registers A and C, 16 bits each. */
let interval: i32 = 0;
let code: i32 = 0;
/** Up to this value the more probable decision neither shifts the registers nor changes the state. */
let fence: i32 = 0;

/**
 * Encoders may omit final bytes that are all ones. Up to this many are assumed before the stream counts as truncated.
 */
const MAX_MISSING_BYTES: i32 = 32;

/**
 * Starts to decode `count` bytes.
 * @param table the states, in the format described above
 */
export function startStream(bytes: usize, count: i32, table: usize): void {
  states = table;
  nextByte = bytes;
  endByte = bytes + count;
  missing = 0;
  fetched = 0;
  available = 0;
  interval = 0;
  code = 0;
  shift(16);
}

function shift(bits: i32): void {
  if (available < bits) {
    while (available <= 16) {
      let byte: i32 = 0xff;
      if (nextByte < endByte) {
        byte = load<u8>(nextByte);
        nextByte += 1;
      } else missing += 1;
      fetched = (fetched << 8) | byte;
      available += 8;
    }
  }
  available -= bits;
  interval = (interval << bits) & 0xffff;
  code = ((code << bits) & 0xffff) | ((fetched >>> available) & ((1 << bits) - 1));
  fence = min(code, 0x7fff);
}

/** Selects the upper part of the interval and shifts both registers by its leading ones. */
function takeUpper(split: i32): void {
  interval += 0x10000 - split;
  code += 0x10000 - split;
  shift(clz(~(interval << 16)));
}

/** Decodes one decision, 0 or 1, in the context of the byte at an address. */
function decide(context: usize): i32 {
  const state = i32(load<u8>(context));
  const split = interval + i32(load<u16>(states + (state << 3)));
  if (split <= fence) {
    interval = split;
    return state & 1;
  }
  return adapt(context, state, split);
}

function adapt(context: usize, state: i32, unlimited: i32): i32 {
  const entry = states + (state << 3);
  const split = min(unlimited, 0x6000 + ((unlimited + interval) >> 2));
  if (split > code) {
    store<u8>(context, load<u8>(entry, 5));
    takeUpper(split);
    return (state & 1) ^ 1;
  }
  if (interval >= i32(load<u16>(entry, 2))) store<u8>(context, load<u8>(entry, 4));
  interval = split;
  shift(1);
  return state & 1;
}

/** Decodes one decision without a context, with the split of IW44. */
function decideEvenly(): i32 {
  const split = 0x8000 + ((3 * interval) >> 3);
  if (split > code) {
    takeUpper(split);
    return 1;
  }
  interval = split;
  shift(1);
  return 0;
}

// The coefficients of one colour component (section 10.4), at an address:
//   band, blocks, address of the first groups of all blocks, address of the addresses of the other three groups of each
//   block (0 for a group of zeros), steps of the 16 coefficients of band 0, steps of the 10 bands, contexts.
const BLOCKS: usize = 4;
const COARSE: usize = 8;
const GROUP_TABLE: usize = 12;
const FIRST_STEPS: usize = 16;
const BAND_STEPS: usize = 80;
const CONTEXTS: usize = 120;

/** Coefficients of a bucket and, below, bytes of a group. */
const BUCKET: i32 = 16;
const GROUP_BYTES: i32 = 512;
const BANDS: i32 = 10;
/** From this band on, each band has its own group. */
const FIRST_FINE_BAND: i32 = 7;
/** The first bucket of each band, and its number of buckets (Table 2). */
const BAND_START = memory.data<u8>([0, 1, 2, 3, 4, 8, 12, 16, 32, 48]);
const BAND_BUCKETS = memory.data<u8>([1, 1, 1, 1, 4, 4, 4, 16, 16, 16]);
/** A band is skipped while its step is at least this, and once its step is 0. */
const STEP_LIMIT: i32 = 0x8000;

/** State flags of a coefficient. For a bucket or a block: the flags of all its coefficients together. */
const ACTIVE: i32 = 1;
const UNKNOWN: i32 = 2;
const NEW: i32 = 4;

/**
 * Offsets of contexts: 8 for the buckets of each band, then 16 for coefficients that may become active, then single
 * ones.
 */
const START_CONTEXTS: i32 = 80;
const MANTISSA_CONTEXT: i32 = 96;
const ROOT_CONTEXT: i32 = 97;
/** The number of candidates in a bucket is capped at this for the choice of a context. */
const MANY_CANDIDATES: i32 = 7;

/** Flags of the current block: of its coefficients before this slice and, below, of its buckets so far. */
const known = memory.data(256);
const buckets = memory.data(16);

/** Address of the next group, and the end of the memory for groups. */
let nextGroup: usize = 0;
let endGroups: usize = 0;
let isFull: bool = false;

/**
 * Sets where groups of coefficients are allocated. They come last in memory, so that it can grow.
 * @param bytes limit for all groups
 */
export function placeGroups(start: usize, bytes: usize): void {
  nextGroup = start;
  endGroups = start + bytes;
  isFull = false;
}

/** Allocates a group of zeros; returns 0 if there is no space. */
function makeGroup(): usize {
  const end = nextGroup + GROUP_BYTES;
  if (end > endGroups) {
    isFull = true;
    return 0;
  }
  // Grows by 1 MiB (16 pages).
  if (end > usize(memory.size()) << 16 && memory.grow(16) < 0) {
    isFull = true;
    return 0;
  }
  const group = nextGroup;
  nextGroup = end;
  memory.fill(group, 0, GROUP_BYTES);
  return group;
}

const COMPLETE: i32 = 0;
const ENDS_EARLY: i32 = 1;
const NO_ROOM: i32 = 2;

/**
 * Decodes the next slice of a component: about one more bit of each coefficient of one band.
 * @returns 0 when it is complete, 1 if the data ends early, 2 if there is no space for groups
 */
export function decodeSlice(component: usize): i32 {
  const band = load<i32>(component);
  let result = COMPLETE;
  if (isCoded(component, band)) {
    const blocks = load<i32>(component, BLOCKS);
    for (let block = 0; block < blocks; block += 1) {
      decodeBlock(component, band, block);
      if (missing > MAX_MISSING_BYTES) {
        result = ENDS_EARLY;
        break;
      }
      if (isFull) return NO_ROOM;
    }
  }
  if (band === 0) {
    for (let at = 0; at < BUCKET; at += 1) halve(component + FIRST_STEPS + (at << 2));
  } else halve(component + BAND_STEPS + (band << 2));
  store<i32>(component, (band + 1) % BANDS);
  return result;
}

function halve(step: usize): void {
  store<i32>(step, load<i32>(step) >> 1);
}

function isCodable(step: i32): bool {
  return step > 0 && step < STEP_LIMIT;
}

/** Whether the band is coded at its current step. */
function isCoded(component: usize, band: i32): bool {
  if (band > 0) return isCodable(load<i32>(component + (band << 2), BAND_STEPS));
  for (let at = 0; at < BUCKET; at += 1) if (isCodable(load<i32>(component + (at << 2), FIRST_STEPS))) return true;
  return false;
}

/** Returns the address of the address of a fine band's group. */
function groupSlot(component: usize, band: i32, block: i32): usize {
  return load<usize>(component, GROUP_TABLE) + ((block * 3 + band - FIRST_FINE_BAND) << 2);
}

/** Returns the address of the coefficients of a band in a block; 0 if all of them are 0. */
function coefficientsOf(component: usize, band: i32, block: i32): usize {
  if (band >= FIRST_FINE_BAND) return load<usize>(groupSlot(component, band, block));
  return load<usize>(component, COARSE) + block * GROUP_BYTES + (i32(load<u8>(BAND_START + band)) << 5);
}

function decodeBlock(component: usize, band: i32, block: i32): void {
  const count = i32(load<u8>(BAND_BUCKETS + band));
  const root = component + CONTEXTS + ROOT_CONTEXT;
  let data = coefficientsOf(component, band, block);
  let active = 0;
  if (data === 0) {
    // Most blocks have no coefficients in the finest bands; this one decision ends them.
    if (decide(root) === 0) return;
    memory.fill(known, u8(UNKNOWN), 256);
    memory.fill(buckets, u8(UNKNOWN), 16);
  } else active = classify(component, band, data, count) & ACTIVE;
  const expectsNew = data === 0 || count < 16 || active !== 0 || decide(root) === 1;
  if (expectsNew && decodeBuckets(component, band, block, count, active)) {
    if (data === 0) {
      data = makeGroup();
      if (data === 0) return;
      store<usize>(groupSlot(component, band, block), data);
    }
    activate(component, band, data, count);
  }
  if (active !== 0) refine(component, band, data, count);
}

/** Sets the flags of the coefficients and buckets of a block; returns all flags together. */
function classify(component: usize, band: i32, data: usize, count: i32): i32 {
  if (band === 0) {
    let any = 0;
    for (let at = 0; at < BUCKET; at += 1) {
      let state = load<i16>(data + (at << 1)) === 0 ? UNKNOWN : ACTIVE;
      if (!isCodable(load<i32>(component + (at << 2), FIRST_STEPS))) state = 0;
      store<u8>(known + at, state);
      any |= state;
    }
    store<u8>(buckets, any);
    return any;
  }
  const zero = i16x8.splat(0);
  const active = i8x16.splat(i8(ACTIVE));
  let all = 0;
  for (let bucket = 0; bucket < count; bucket += 1) {
    const from = data + (bucket << 5);
    const isZero = i8x16.narrow_i16x8_s(i16x8.eq(v128.load(from), zero), i16x8.eq(v128.load(from, 16), zero));
    // True is -1.
    v128.store(known + (bucket << 4), i8x16.sub(active, isZero));
    const zeros = i8x16.bitmask(isZero);
    const any = (zeros !== 0xffff ? ACTIVE : 0) | (zeros !== 0 ? UNKNOWN : 0);
    store<u8>(buckets + bucket, any);
    all |= any;
  }
  return all;
}

/** Decodes which buckets have coefficients that become active; returns whether any has. */
function decodeBuckets(component: usize, band: i32, block: i32, count: i32, active: i32): bool {
  const contexts = component + CONTEXTS + (band << 3);
  // The four coefficients of the next coarser band at the same place.
  let parents = load<usize>(component, COARSE) + block * GROUP_BYTES + (i32(load<u8>(BAND_START + band)) << 3);
  let any = false;
  for (let bucket = 0; bucket < count; bucket += 1, parents += 8) {
    const state = i32(load<u8>(buckets + bucket));
    if ((state & UNKNOWN) === 0) continue;
    let context = 0;
    if (band > 0) {
      for (let parent = 0; parent < 8 && context < 3; parent += 2) if (load<i16>(parents + parent) !== 0) context += 1;
    }
    if (active !== 0) context |= 4;
    if (decide(contexts + context) === 0) continue;
    store<u8>(buckets + bucket, state | NEW);
    any = true;
  }
  return any;
}

/** Decodes which coefficients of the buckets become active, and their signs. */
function activate(component: usize, band: i32, data: usize, count: i32): void {
  for (let bucket = 0; bucket < count; bucket += 1) {
    const state = i32(load<u8>(buckets + bucket));
    if ((state & NEW) === 0) continue;
    const isUnknown = i8x16.eq(v128.load(known + (bucket << 4)), i8x16.splat(i8(UNKNOWN)));
    let candidates = popcnt(i8x16.bitmask(isUnknown));
    const contexts = component + CONTEXTS + START_CONTEXTS + ((state & ACTIVE) === 0 ? 0 : 8);
    const end = (bucket + 1) * BUCKET;
    for (let at = bucket * BUCKET; at < end; at += 1) {
      if (i32(load<u8>(known + at)) !== UNKNOWN) continue;
      if (decide(contexts + min(candidates, MANY_CANDIDATES)) === 0) {
        if (candidates > 0) candidates -= 1;
        continue;
      }
      candidates = 0;
      const step = stepOf(component, band, at);
      // Slightly below the middle of the possible range, because smaller values are more frequent.
      const size = step + (step >> 1) - (step >> 3);
      store<i16>(data + (at << 1), decideEvenly() === 1 ? -size : size);
    }
  }
}

/** Decodes one more bit of the coefficients that were active before. */
function refine(component: usize, band: i32, data: usize, count: i32): void {
  const mantissa = component + CONTEXTS + MANTISSA_CONTEXT;
  for (let bucket = 0; bucket < count; bucket += 1) {
    if ((i32(load<u8>(buckets + bucket)) & ACTIVE) === 0) continue;
    const end = (bucket + 1) * BUCKET;
    for (let at = bucket * BUCKET; at < end; at += 1) {
      if (i32(load<u8>(known + at)) !== ACTIVE) continue;
      const step = stepOf(component, band, at);
      const value = i32(load<i16>(data + (at << 1)));
      let size = abs(value);
      let bit: i32;
      if (size <= 3 * step) {
        size += step >> 2;
        bit = decide(mantissa);
      } else bit = decideEvenly();
      size += (step >> 1) - (bit === 1 ? 0 : step);
      store<i16>(data + (at << 1), value < 0 ? -size : size);
    }
  }
}

function stepOf(component: usize, band: i32, at: i32): i32 {
  return band === 0 ? load<i32>(component + (at << 2), FIRST_STEPS) : load<i32>(component + (band << 2), BAND_STEPS);
}

// The wavelets of Dubuc, Deslauriers and Lemire (4, 4), by lifting (appendix 1).

/**
 * Transforms a component to the samples of every `reduction`th row and column. A plane has its rows from bottom to top
 * without padding. It starts with the samples of every 16th row and column, and each level doubles both directions.
 * @param plane with space for one more row of zeros, which represents samples outside
 * @param width of the whole component, and `height`
 * @param across number of 32 x 32 blocks side by side
 * @param places column of each coefficient of a block and, from byte 1024 on, its row
 * @param scratch with space for two rows of samples and 64 bytes
 * @param reduction 1, 2, 4, 8 or 16
 */
export function transform(
  component: usize,
  plane: usize,
  width: i32,
  height: i32,
  across: i32,
  places: usize,
  scratch: usize,
  reduction: i32,
): void {
  let wide = 0;
  let high = 0;
  let first = 0;
  let end = 4;
  for (let step = 16; step >= reduction; step >>= 1) {
    const w = (width - 1) / step + 1;
    const h = (height - 1) / step + 1;
    if (step === 16) memory.fill(plane, 0, (w * h) << 1);
    else spread(plane, wide, high, w, h);
    wide = w;
    high = h;
    placeCoefficients(component, plane, w, h, across, places, step, first, end);
    memory.fill(plane + ((w * h) << 1), 0, w << 1);
    transformColumns(plane, w, h);
    for (let y = 0; y < h; y += 1) transformRow(plane + ((y * w) << 1), w, scratch);
    first = end;
    end <<= 2;
  }
}

/**
 * Moves each sample to twice its row and column and fills the gaps with zeros. Works in place, from the last sample
 * back.
 */
function spread(plane: usize, width: i32, height: i32, w: i32, h: i32): void {
  for (let y = height - 1; y >= 0; y -= 1) {
    const from = plane + ((y * width) << 1);
    const to = plane + ((2 * y * w) << 1);
    if (2 * y + 1 < h) memory.fill(to + (w << 1), 0, w << 1);
    let x = width - 1;
    // With an odd width the last sample has no neighbour.
    if ((w & 1) !== 0) {
      store<i16>(to + (x << 2), load<i16>(from + (x << 1)));
      x -= 1;
    }
    for (; x >= 0; x -= 1) store<u32>(to + (x << 2), load<u16>(from + (x << 1)));
  }
}

/** Stores coefficients `first` up to `end` of all blocks at their places in the plane of every `step`th sample. */
function placeCoefficients(
  component: usize,
  plane: usize,
  w: i32,
  h: i32,
  across: i32,
  places: usize,
  step: i32,
  first: i32,
  end: i32,
): void {
  const blocks = load<i32>(component, BLOCKS);
  const coarse = load<usize>(component, COARSE);
  const groups = load<usize>(component, GROUP_TABLE);
  const bits = ctz(step);
  const side = 32 >> bits;
  for (let block = 0; block < blocks; block += 1) {
    const left = (block % across) * side;
    const bottom = (block / across) * side;
    for (let start = first; start < end; start += 256) {
      const group = start >> 8;
      const data = group === 0 ? coarse + block * GROUP_BYTES : load<usize>(groups + ((block * 3 + group - 1) << 2));
      if (data === 0) continue;
      const last = min(end, start + 256);
      for (let n = start; n < last; n += 4) {
        const from = data + ((n & 255) << 1);
        if (load<u64>(from) === 0) continue;
        for (let m = 0; m < 4; m += 1) {
          const x = left + (i32(load<u8>(places + n + m)) >> bits);
          const y = bottom + (i32(load<u8>(places + n + m, 1024)) >> bits);
          if (x < w && y < h) store<i16>(plane + ((y * w + x) << 1), load<i16>(from + (m << 1)));
        }
      }
    }
  }
}

/** Lifts every second row by its neighbours, then predicts the rows between. */
function transformColumns(plane: usize, w: i32, h: i32): void {
  for (let even = 0; even < h + 3; even += 2) {
    if (even < h) {
      lift(
        rowOf(plane, w, h, even),
        rowOf(plane, w, h, even - 1),
        rowOf(plane, w, h, even + 1),
        rowOf(plane, w, h, even - 3),
        rowOf(plane, w, h, even + 3),
        w,
      );
    }
    // Three rows back: all rows that it is predicted from have been lifted.
    const odd = even - 3;
    if (odd < 0 || odd >= h) continue;
    const row = rowOf(plane, w, h, odd);
    const near = rowOf(plane, w, h, odd - 1);
    const next = odd + 1 < h ? rowOf(plane, w, h, odd + 1) : near;
    if (odd >= 3 && odd + 3 < h) {
      predict(row, near, next, rowOf(plane, w, h, odd - 3), rowOf(plane, w, h, odd + 3), w);
    } else average(row, near, next, w);
  }
}

/** Returns a row, or the row of zeros after the last one for rows outside the image. */
function rowOf(plane: usize, w: i32, h: i32, index: i32): usize {
  return plane + (((index >= 0 && index < h ? index : h) * w) << 1);
}

/** Returns the lowest 16 bits of eight 32-bit sums. */
function wrapped(low: v128, high: v128): v128 {
  return i8x16.shuffle(low, high, 0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29);
}

/** Returns the weighted sums of the first four samples of eight: `inner` for a and b, `outer` for c and d. */
function lowSum(a: v128, b: v128, c: v128, d: v128, inner: v128, outer: v128): v128 {
  return i32x4.add(
    i32x4.dot_i16x8_s(i16x8.shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11), inner),
    i32x4.dot_i16x8_s(i16x8.shuffle(c, d, 0, 8, 1, 9, 2, 10, 3, 11), outer),
  );
}

/** Returns the weighted sums of the last four samples. */
function highSum(a: v128, b: v128, c: v128, d: v128, inner: v128, outer: v128): v128 {
  return i32x4.add(
    i32x4.dot_i16x8_s(i16x8.shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15), inner),
    i32x4.dot_i16x8_s(i16x8.shuffle(c, d, 4, 12, 5, 13, 6, 14, 7, 15), outer),
  );
}

/** Subtracts from `count` samples 9 (near + next) - far - farther, divided by 32 and rounded. */
function lift(row: usize, near: usize, next: usize, far: usize, farther: usize, count: i32): void {
  // -((sum + 16) >> 5) is (-sum + 15) >> 5.
  addSums(row, near, next, far, farther, count, -1, 15);
}

/** Adds to `count` samples 9 (near + next) - far - farther, divided by 16 and rounded. */
function predict(row: usize, near: usize, next: usize, far: usize, farther: usize, count: i32): void {
  addSums(row, near, next, far, farther, count, 2, 16);
}

/** Adds (`weight` (9 (near + next) - far - farther) + `half`) / 32, rounded down, to `count` samples. */
function addSums(
  row: usize,
  near: usize,
  next: usize,
  far: usize,
  farther: usize,
  count: i32,
  weight: i32,
  half: i32,
): void {
  const inner = i16x8.splat(i16(9 * weight));
  const outer = i16x8.splat(i16(-weight));
  const halves = i32x4.splat(half);
  const bytes = count << 1;
  let at = 0;
  for (; at + 16 <= bytes; at += 16) {
    const a = v128.load(near + at);
    const b = v128.load(next + at);
    const c = v128.load(far + at);
    const d = v128.load(farther + at);
    const low = i32x4.shr_s(i32x4.add(lowSum(a, b, c, d, inner, outer), halves), 5);
    const high = i32x4.shr_s(i32x4.add(highSum(a, b, c, d, inner, outer), halves), 5);
    v128.store(row + at, i16x8.add(v128.load(row + at), wrapped(low, high)));
  }
  for (; at < bytes; at += 2) {
    const inside = i32(load<i16>(near + at)) + i32(load<i16>(next + at));
    const outside = i32(load<i16>(far + at)) + i32(load<i16>(farther + at));
    store<i16>(row + at, i32(load<i16>(row + at)) + ((weight * (9 * inside - outside) + half) >> 5));
  }
}

/** Adds the means of two lines to `count` samples, near the edges. */
function average(row: usize, near: usize, next: usize, count: i32): void {
  for (let at = 0; at < count << 1; at += 2) {
    const mean = (i32(load<i16>(near + at)) + i32(load<i16>(next + at)) + 1) >> 1;
    store<i16>(row + at, i32(load<i16>(row + at)) + mean);
  }
}

/** Transforms along a row. Even and odd samples are separated first, so that eight of the same kind are adjacent. */
function transformRow(row: usize, w: i32, scratch: usize): void {
  const evens = (w + 1) >> 1;
  const odds = w >> 1;
  // Two zeros precede the odd samples and two follow them.
  const even = scratch;
  const odd = scratch + ((evens << 1) + 24);
  store<u32>(odd - 4, 0);
  let at = 0;
  for (; at + 8 <= odds; at += 8) {
    const first = v128.load(row + (at << 2));
    const second = v128.load(row + (at << 2), 16);
    v128.store(even + (at << 1), i16x8.shuffle(first, second, 0, 2, 4, 6, 8, 10, 12, 14));
    v128.store(odd + (at << 1), i16x8.shuffle(first, second, 1, 3, 5, 7, 9, 11, 13, 15));
  }
  for (; at < evens; at += 1) {
    store<i16>(even + (at << 1), load<i16>(row + (at << 2)));
    if (at < odds) store<i16>(odd + (at << 1), load<i16>(row + (at << 2), 2));
  }
  store<u32>(odd + (odds << 1), 0);
  // Samples outside are 0, as for the columns. In rows of four to seven samples, DjVuLibre's decoder repeats the last
  // odd sample but its encoder does not: its pixels differ by a few levels in layers less than 113 pixels wide.
  lift(even, odd - 2, odd, odd - 4, odd + 2, evens);
  // All four neighbours exist from the second odd sample to the last but one (with an even width, the last but two).
  const inner = evens - 3;
  if (odds > 0) average(odd, even, even + (evens > 1 ? 2 : 0), 1);
  if (inner > 0) predict(odd + 2, even + 2, even + 4, even, even + 6, inner);
  for (at = max(1, 1 + max(0, inner)); at < odds; at += 1) {
    const near = even + (at << 1);
    average(odd + (at << 1), near, at + 1 < evens ? near + 2 : near, 1);
  }
  for (at = 0; at + 8 <= odds; at += 8) {
    const first = v128.load(even + (at << 1));
    const second = v128.load(odd + (at << 1));
    v128.store(row + (at << 2), i16x8.shuffle(first, second, 0, 8, 1, 9, 2, 10, 3, 11));
    v128.store(row + (at << 2), i16x8.shuffle(first, second, 4, 12, 5, 13, 6, 14, 7, 15), 16);
  }
  for (; at < evens; at += 1) {
    store<i16>(row + (at << 2), load<i16>(even + (at << 1)));
    if (at < odds) store<i16>(row + (at << 2), load<i16>(odd + (at << 1)), 2);
  }
}

/** Returns eight samples of a plane without their six fractional bits, as 16 bits from -128 to 127. */
function rounded(from: usize): v128 {
  const whole = i16x8.shr_s(i16x8.add_sat_s(v128.load(from), i16x8.splat(32)), 6);
  return i16x8.max_s(i16x8.splat(-128), i16x8.min_s(i16x8.splat(127), whole));
}

/** Writes `count` samples of a plane as signed 8-bit samples. If `doubled` is 1, each is written twice. */
export function roundSamples(samples: usize, from: usize, count: i32, doubled: i32): void {
  for (let at = 0; at < count; at += 8) {
    const words = rounded(from + (at << 1));
    const bytes = i8x16.narrow_i16x8_s(words, words);
    if (doubled === 0) v128.store64_lane(samples + at, bytes, 0);
    else v128.store(samples + (at << 1), i8x16.shuffle(bytes, bytes, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7));
  }
}

/** Writes `count` samples of a plane as grey. Without colour the coded brightness is inverted (section 10.2). */
export function toGrey(grey: usize, from: usize, count: i32): void {
  for (let at = 0; at < count; at += 8) {
    const words = i16x8.sub(i16x8.splat(127), rounded(from + (at << 1)));
    v128.store64_lane(grey + at, i8x16.narrow_i16x8_u(words, words), 0);
  }
}

/**
 * Writes RGB from `count` samples of the brightness plane and the rounded samples of both colour differences (section
 * 10.2).
 */
export function toRgb(rgb: usize, from: usize, blues: usize, reds: usize, count: i32): void {
  for (let at = 0; at < count; at += 8) {
    const brightness = i16x8.add(rounded(from + (at << 1)), i16x8.splat(128));
    const blue = v128.load8x8_s(blues + at);
    const red = v128.load8x8_s(reds + at);
    const redTerm = i16x8.add(red, i16x8.shr_s(red, 1));
    const base = i16x8.sub(brightness, i16x8.shr_s(blue, 2));
    const r = i16x8.add(brightness, redTerm);
    const g = i16x8.sub(base, i16x8.shr_s(redTerm, 1));
    const b = i16x8.add(base, i16x8.shl(blue, 1));
    const redGreen = i8x16.narrow_i16x8_u(r, g);
    const blueOnly = i8x16.narrow_i16x8_u(b, b);
    const to = rgb + at * 3;
    v128.store(to, i8x16.shuffle(redGreen, blueOnly, 0, 8, 16, 1, 9, 17, 2, 10, 18, 3, 11, 19, 4, 12, 20, 5));
    v128.store64_lane(
      to,
      i8x16.shuffle(redGreen, blueOnly, 13, 21, 6, 14, 22, 7, 15, 23, 0, 0, 0, 0, 0, 0, 0, 0),
      0,
      16,
    );
  }
}

/** Blends `count` samples of two lines: `part` sixteenths of the second, rounded (section 10.3). */
export function blendLines(line: usize, first: usize, second: usize, part: i32, count: i32): void {
  const weight = i16x8.splat(i16(part));
  const half = i16x8.splat(8);
  for (let at = 0; at < count; at += 8) {
    const from = v128.load8x8_u(first + at);
    const difference = i16x8.sub(v128.load8x8_u(second + at), from);
    const mixed = i16x8.add(from, i16x8.shr_s(i16x8.add(i16x8.mul(difference, weight), half), 4));
    v128.store64_lane(line + at, i8x16.narrow_i16x8_u(mixed, mixed), 0);
  }
}

/**
 * Interpolates a row of pixels along a line. `parts` gives the sixteenths of the second of two neighbouring pixels.
 * @param places for each pixel the offsets of the two source pixels, as two 32-bit numbers
 * @param channels 1 or 3
 */
export function blendAlong(row: usize, line: usize, places: usize, parts: usize, count: i32, channels: i32): void {
  for (let x = 0; x < count; x += 1, places += 8) {
    const left = line + load<u32>(places);
    const right = line + load<u32>(places, 4);
    const part = i32(load<u8>(parts + x));
    for (let channel = 0; channel < channels; channel += 1, row += 1) {
      const from = i32(load<u8>(left + channel));
      store<u8>(row, from + (((i32(load<u8>(right + channel)) - from) * part + 8) >> 4));
    }
  }
}
