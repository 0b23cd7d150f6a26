/** The coding of levels (RFC 6386, 13): their costs, the counts of decisions, and their bits. */
import { putBit } from './bool-writer';
import { bitCost } from './cost';
import { MAX_LEVEL } from './quantize';
import { DEFAULT_PROBABILITIES, UPDATE_PROBABILITIES } from './tables';

// Types of blocks.
export const AFTER_AVERAGES: i32 = 0;
export const AVERAGES: i32 = 1;
export const OF_COLOUR: i32 = 2;
export const WHOLE: i32 = 3;

const DECISIONS: usize = 11;
const CONTEXTS: usize = 3;
const BANDS: usize = 8;
const TYPES: usize = 4;
const SLOTS: usize = TYPES * BANDS * CONTEXTS;
const PROBABILITIES: usize = SLOTS * DECISIONS;
const BAND_OF: usize = memory.data<u8>([0, 1, 2, 3, 6, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7, 0]);

/** Levels from here on cost the same, except for bits of fixed probabilities. */
const LARGE_LEVEL: i32 = 67;

/** Classes of levels: 1, 2, 3 and 4, then ranges that start with the following numbers. */
const CLASSES: i32 = 10;
const FIRST_LEVELS: usize = memory.data<u8>([1, 2, 3, 4, 5, 7, 11, 19, 35, 67]);
/** The decisions of each class after the one that a level is not 0: decision << 1 | bit, up to a 0. */
const PATHS: usize = memory.data<u8>([
  4, 0, 0, 0, 0, 0, 0, 0, 5, 6, 8, 0, 0, 0, 0, 0, 5, 6, 9, 10, 0, 0, 0, 0, 5, 6, 9, 11, 0, 0, 0, 0, 5, 7, 12, 14, 0, 0,
  0, 0, 5, 7, 12, 15, 0, 0, 0, 0, 5, 7, 13, 16, 18, 0, 0, 0, 5, 7, 13, 16, 19, 0, 0, 0, 5, 7, 13, 17, 20, 0, 0, 0, 5, 7,
  13, 17, 21, 0, 0, 0,
]);
/** Probabilities of the bits that select a level of its class, up to a 0. */
const EXTRA_BITS: usize = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 159, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 165, 145, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 173, 148,
  140, 0, 0, 0, 0, 0, 0, 0, 0, 0, 176, 155, 140, 135, 0, 0, 0, 0, 0, 0, 0, 0, 180, 157, 141, 134, 130, 0, 0, 0, 0, 0, 0,
  0, 254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129, 0,
]);
const PATH_BYTES: usize = 8;
const EXTRA_BYTES: usize = 12;

const probabilities: usize = memory.data(<i32>PROBABILITIES, 16);
/** How often each decision was 0 and 1, 32 bits each. */
const counts: usize = memory.data(<i32>(PROBABILITIES * 8), 16);
/** Costs of levels up to `LARGE_LEVEL` in each slot, 16 bits each. */
const levelCosts: usize = memory.data(<i32>(SLOTS * (<usize>LARGE_LEVEL + 1) * 2), 16);
const SLOT_COST_BYTES: usize = (<usize>LARGE_LEVEL + 1) * 2;
/** Cost of the sign and the bits of fixed probabilities of each level, 16 bits each. */
const fixedCosts: usize = memory.data((MAX_LEVEL + 1) * 2, 16);
const classOf: usize = memory.data(LARGE_LEVEL + 1);

for (let level = 1; level <= LARGE_LEVEL; level++) {
  let found = 0;
  while (found + 1 < CLASSES && <i32>load<u8>(FIRST_LEVELS + <usize>(found + 1)) <= level) found += 1;
  store<u8>(classOf + <usize>level, <u8>found);
}
for (let level = 1; level <= MAX_LEVEL; level++) {
  const own = classAt(level);
  const extra = level - <i32>load<u8>(FIRST_LEVELS + <usize>own);
  let cost = bitCost(0, 128);
  const bits = countOfExtraBits(own);
  for (let bit = 0; bit < bits; bit++)
    cost += bitCost((extra >> (bits - 1 - bit)) & 1, load<u8>(EXTRA_BITS + <usize>own * EXTRA_BYTES + <usize>bit));
  store<u16>(fixedCosts + ((<usize>level) << 1), <u16>cost);
}

function classAt(level: i32): i32 {
  return load<u8>(classOf + <usize>min(level, LARGE_LEVEL));
}

function countOfExtraBits(own: i32): i32 {
  let bits = 0;
  while (load<u8>(EXTRA_BITS + <usize>own * EXTRA_BYTES + <usize>bits) !== 0) bits += 1;
  return bits;
}

/** Returns the slot of the probabilities of a coefficient. */
function slotOf(type: i32, place: i32, context: i32): usize {
  return (<usize>type * BANDS + <usize>load<u8>(BAND_OF + <usize>place)) * CONTEXTS + <usize>context;
}

/** Resets everything for the next image. */
export function startCoefficients(): void {
  memory.copy(probabilities, DEFAULT_PROBABILITIES, PROBABILITIES);
  memory.fill(counts, 0, PROBABILITIES * 8);
  findLevelCosts();
}

/** Updates the costs from the counts so far. */
export function refreshCosts(): void {
  choosePossible();
  findLevelCosts();
}

function findLevelCosts(): void {
  for (let slot: usize = 0; slot < SLOTS; slot++) {
    const own = probabilities + slot * DECISIONS;
    // After a zero a block cannot end, and before the first coefficient callers add this cost.
    const goesOn = slot % CONTEXTS === 0 ? 0 : bitCost(1, load<u8>(own));
    const costs = levelCosts + slot * SLOT_COST_BYTES;
    store<u16>(costs, <u16>(goesOn + bitCost(0, load<u8>(own, 1))));
    const notZero = goesOn + bitCost(1, load<u8>(own, 1));
    for (let level = 1; level <= LARGE_LEVEL; level++) {
      let cost = notZero;
      for (let at = PATHS + <usize>classAt(level) * PATH_BYTES; load<u8>(at) !== 0; at++)
        cost += bitCost(load<u8>(at) & 1, load<u8>(own + (load<u8>(at) >> 1)));
      store<u16>(costs + ((<usize>level) << 1), <u16>cost);
    }
  }
}

/** Returns the cost of coding that a block has levels, if it is not part of the cost of the first level. */
export function costOfStart(type: i32, first: i32, context: i32): i32 {
  return context === 0 ? bitCost(1, load<u8>(probabilities + slotOf(type, first, 0) * DECISIONS)) : 0;
}

/** Returns the cost of coding that no level follows. */
export function costOfEnd(type: i32, place: i32, context: i32): i32 {
  return place > 15 ? 0 : bitCost(0, load<u8>(probabilities + slotOf(type, place, context) * DECISIONS));
}

/** Returns the cost of a level, in 1/256 bits. */
export function costOfLevel(type: i32, place: i32, context: i32, level: i32): i32 {
  const costs = levelCosts + slotOf(type, place, context) * SLOT_COST_BYTES;
  return (
    <i32>load<u16>(costs + ((<usize>min(level, LARGE_LEVEL)) << 1)) + load<u16>(fixedCosts + ((<usize>level) << 1))
  );
}

/**
 * Returns the cost of a block's levels, in 1/256 bits.
 * @param last place of the last level that is not 0
 */
export function costOfLevels(levels: usize, first: i32, last: i32, type: i32, context: i32): i32 {
  if (last < first) return costOfEnd(type, first, context);
  let cost = costOfStart(type, first, context);
  let before = context;
  for (let place = first; place <= last; place++) {
    const level = abs(<i32>load<i16>(levels + ((<usize>place) << 1)));
    cost += costOfLevel(type, place, before, level);
    before = min(level, 2);
  }
  return cost + costOfEnd(type, last + 1, before);
}

function decide(slot: usize, decision: usize, bit: i32, writes: bool): void {
  const index = slot * DECISIONS + decision;
  if (writes) {
    putBit(bit, load<u8>(probabilities + index));
  } else {
    const at = counts + (index << 3) + ((<usize>bit) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
}

/** Counts the decisions of a block, or writes them. */
export function codeLevels(levels: usize, first: i32, last: i32, type: i32, context: i32, writes: bool): void {
  let slot = slotOf(type, first, context);
  if (last < first) {
    decide(slot, 0, 0, writes);
    return;
  }
  decide(slot, 0, 1, writes);
  for (let place = first; ; ) {
    const value = <i32>load<i16>(levels + ((<usize>place) << 1));
    place += 1;
    if (value === 0) {
      decide(slot, 1, 0, writes);
      slot = slotOf(type, place, 0);
      continue;
    }
    decide(slot, 1, 1, writes);
    const level = abs(value);
    const own = <usize>classAt(level);
    for (let at = PATHS + own * PATH_BYTES; load<u8>(at) !== 0; at++)
      decide(slot, load<u8>(at) >> 1, load<u8>(at) & 1, writes);
    if (writes) putFixed(value, level, own);
    if (place > 15) return;
    slot = slotOf(type, place, min(level, 2));
    decide(slot, 0, place > last ? 0 : 1, writes);
    if (place > last) return;
  }
}

function putFixed(value: i32, level: i32, own: usize): void {
  const extra = level - <i32>load<u8>(FIRST_LEVELS + own);
  const bits = countOfExtraBits(<i32>own);
  for (let bit = 0; bit < bits; bit++)
    putBit((extra >> (bits - 1 - bit)) & 1, load<u8>(EXTRA_BITS + own * EXTRA_BYTES + <usize>bit));
  putBit(value < 0 ? 1 : 0, 128);
}

function countOf(index: usize, bit: usize): u32 {
  return load<u32>(counts + (index << 3) + (bit << 2));
}

/** Returns the probability that a decision is 0, from its counts. */
function countedProbability(index: usize): i32 {
  const zeros = <u64>countOf(index, 0);
  const all = zeros + <u64>countOf(index, 1);
  return all === 0 ? 255 : min(255, max(1, <i32>((zeros * 256 + (all >> 1)) / all)));
}

function costOfDecisions(index: usize, probability: i32): i64 {
  return <i64>countOf(index, 0) * <i64>bitCost(0, probability) + <i64>countOf(index, 1) * <i64>bitCost(1, probability);
}

/** Whether writing a new probability saves bits: it takes 8 bits, and the bit that announces it. */
function isWorthChanging(index: usize): bool {
  const stays = load<u8>(UPDATE_PROBABILITIES + index);
  const old = costOfDecisions(index, load<u8>(DEFAULT_PROBABILITIES + index)) + bitCost(0, stays);
  return costOfDecisions(index, countedProbability(index)) + bitCost(1, stays) + 8 * 256 < old;
}

/** Chooses the probabilities from the counts, if they are worth writing. */
function choosePossible(): void {
  for (let index: usize = 0; index < PROBABILITIES; index++)
    store<u8>(
      probabilities + index,
      isWorthChanging(index) ? <u8>countedProbability(index) : load<u8>(DEFAULT_PROBABILITIES + index),
    );
}

/** Writes the probabilities chosen from the counts. */
export function putProbabilities(): void {
  choosePossible();
  for (let index: usize = 0; index < PROBABILITIES; index++) {
    const probability = load<u8>(probabilities + index);
    const differs = probability !== load<u8>(DEFAULT_PROBABILITIES + index);
    putBit(differs ? 1 : 0, load<u8>(UPDATE_PROBABILITIES + index));
    if (differs) {
      for (let bit = 7; bit >= 0; bit--) putBit((probability >> <u8>bit) & 1, 128);
    }
  }
}
