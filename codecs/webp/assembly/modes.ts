/** The coding of prediction modes (RFC 6386, 11). */
import { putBit } from './bool-writer';
import { bitCost } from './cost';
import { BLOCK_MODES, MODES } from './predict';
import { MODE_PROBABILITIES } from './tables';

const PROBABILITIES: usize = BLOCK_MODES - 1;
/**
 * For macroblocks predicted as a whole: bit << 8 | probability of each decision, up to a 0. The first decision is that
 * they are predicted as a whole.
 */
const LUMA_PATHS: usize = memory.data<u16>([401, 156, 163, 0, 401, 412, 384, 0, 401, 156, 419, 0, 401, 412, 128, 0]);
const COLOUR_PATHS: usize = memory.data<u16>([142, 0, 0, 0, 398, 370, 439, 0, 398, 114, 0, 0, 398, 370, 183, 0]);
const BLOCKS_PROBABILITY: i32 = 145;
/** For the modes of 4 x 4 blocks: decision << 1 | bit, up to 255. */
const BLOCK_PATHS: usize = memory.data<u8>([
  0, 255, 255, 255, 255, 255, 255, 1, 2, 255, 255, 255, 255, 255, 1, 3, 4, 255, 255, 255, 255, 1, 3, 5, 6, 8, 255, 255,
  1, 3, 5, 6, 9, 10, 255, 1, 3, 5, 6, 9, 11, 255, 1, 3, 5, 7, 12, 255, 255, 1, 3, 5, 7, 13, 14, 255, 1, 3, 5, 7, 13, 15,
  16, 1, 3, 5, 7, 13, 15, 17,
]);
const PATH_BYTES: usize = 7;
const END: i32 = 255;

/** Cost of each mode by the modes above and to the left, in 1/256 bits, 16 bits each. */
const blockCosts: usize = memory.data(BLOCK_MODES * BLOCK_MODES * BLOCK_MODES * 2, 2);
const lumaCosts: usize = memory.data(MODES * 2, 2);
const colourCosts: usize = memory.data(MODES * 2, 2);

for (let around = 0; around < BLOCK_MODES * BLOCK_MODES; around++)
  for (let mode = 0; mode < BLOCK_MODES; mode++) {
    const own = MODE_PROBABILITIES + <usize>around * PROBABILITIES;
    let cost = 0;
    for (let place = 0; place < <i32>PATH_BYTES; place++) {
      const step = <i32>load<u8>(BLOCK_PATHS + <usize>mode * PATH_BYTES + <usize>place);
      if (step === END) break;
      cost += bitCost(step & 1, load<u8>(own + <usize>(step >> 1)));
    }
    store<u16>(blockCosts + <usize>(around * BLOCK_MODES + mode) * 2, <u16>cost);
  }
for (let mode = 0; mode < MODES; mode++) {
  store<u16>(lumaCosts + <usize>mode * 2, <u16>costOfPath(LUMA_PATHS, mode));
  store<u16>(colourCosts + <usize>mode * 2, <u16>costOfPath(COLOUR_PATHS, mode));
}

function costOfPath(paths: usize, mode: i32): i32 {
  let cost = 0;
  for (let at = paths + ((<usize>mode) << 3); load<u16>(at) !== 0; at += 2)
    cost += bitCost(load<u16>(at) >> 8, load<u8>(at));
  return cost;
}

function putPath(paths: usize, mode: i32): void {
  for (let at = paths + ((<usize>mode) << 3); load<u16>(at) !== 0; at += 2) putBit(load<u16>(at) >> 8, load<u8>(at));
}

/** Returns the costs of the ten modes, 16 bits each. */
export function costsOfBlockModes(above: i32, left: i32): usize {
  return blockCosts + <usize>((above * BLOCK_MODES + left) * BLOCK_MODES * 2);
}
export function costOfLumaMode(mode: i32): i32 {
  return load<u16>(lumaCosts + ((<usize>mode) << 1));
}
export function costOfBlocks(): i32 {
  return bitCost(0, BLOCKS_PROBABILITY);
}
export function costOfColourMode(mode: i32): i32 {
  return load<u16>(colourCosts + ((<usize>mode) << 1));
}
export function putLumaMode(mode: i32): void {
  putPath(LUMA_PATHS, mode);
}
export function putBlocks(): void {
  putBit(0, BLOCKS_PROBABILITY);
}
export function putColourMode(mode: i32): void {
  putPath(COLOUR_PATHS, mode);
}
export function putBlockMode(mode: i32, above: i32, left: i32): void {
  const own = MODE_PROBABILITIES + <usize>(above * BLOCK_MODES + left) * PROBABILITIES;
  for (let place: usize = 0; place < PATH_BYTES; place++) {
    const step = <i32>load<u8>(BLOCK_PATHS + <usize>mode * PATH_BYTES + place);
    if (step === END) return;
    putBit(step & 1, load<u8>(own + <usize>(step >> 1)));
  }
}
