/**
 * Decodes the wavelet coefficients of IW44 (DjVu 3 Specification, section 10.4). They have 16 bits and wrap around, as in
 * DjVuLibre.
 */
import { decide, decideEvenly, isTruncated } from './djvu-coder';

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

export function countOfBlocks(component: usize): i32 {
  return load<i32>(component, BLOCKS);
}

/** Returns the address of a group of 256 coefficients of a block; 0 if all of them are 0. */
export function groupOf(component: usize, block: i32, group: i32): usize {
  if (group === 0) return load<usize>(component, COARSE) + block * GROUP_BYTES;
  return load<usize>(load<usize>(component, GROUP_TABLE) + ((block * 3 + group - 1) << 2));
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
    const blocks = countOfBlocks(component);
    for (let block = 0; block < blocks; block += 1) {
      decodeBlock(component, band, block);
      if (isTruncated()) {
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
