/**
 * Decides where a deflate block ends: where the next tokens differ so much from those of the block that separate
 * Huffman codes save bits. Literals are classified by their two highest bits and their lowest bit, matches by whether
 * they are short. The idea is from libdeflate; its cutoff of 200 was raised to 300, which made the files of `npm run
 * bench:png` smaller.
 */
import { MATCH } from './deflate-symbols';

const KINDS: usize = 10;
const SHORT_MATCH: u32 = 9;
/** Number of tokens that are compared with those before. */
export const GROUP: u32 = 512;
/** Largest accepted difference between groups, relative to `GROUP`. */
const CUTOFF: u32 = 300;
const MIN_BLOCK_BYTES: u32 = 5000;
const MANY_BYTES: u32 = 10000;
const MANY_TOKENS: u32 = 8192;

/** Counts of each kind in the block, and in the group. */
const ofBlock: usize = memory.data(10 * 4, 4);
const ofGroup: usize = memory.data(4 * 10 * 4, 4);
let inBlock: u32 = 0;

export function startCounting(): void {
  memory.fill(ofBlock, 0, KINDS * 4);
  inBlock = 0;
}

/** Counts the kinds of tokens in four lists in turn, because adding to the same number repeatedly is slower. */
function countKinds(tokens: usize): void {
  memory.fill(ofGroup, 0, KINDS * 4 * 4);
  for (let at: usize = 0; at < GROUP << 2; at += 4) {
    const token = load<u32>(tokens + at);
    const literal = ((token >> 5) & 6) | (token & 1);
    const match: u32 = ((token >> 16) & 255) < SHORT_MATCH - 3 ? 8 : 9;
    const kind = (token & MATCH) === 0 ? literal : match;
    const count = ofGroup + (at & 12) * KINDS + ((<usize>kind) << 2);
    store<u32>(count, load<u32>(count) + 1);
  }
  for (let at: usize = 0; at < KINDS * 4; at += 4) {
    let sum: u32 = 0;
    for (let list: usize = 0; list < 4; list++) sum += load<u32>(ofGroup + at + list * KINDS * 4);
    store<u32>(ofGroup + at, sum);
  }
}

/**
 * Whether a block ends after these tokens.
 * @param tokens the last `GROUP` ones
 * @param bytes of the block
 * @param left bytes after it
 */
export function endsBlock(tokens: usize, bytes: u32, left: u32): bool {
  countKinds(tokens);
  const isOther = inBlock > 0 && bytes >= MIN_BLOCK_BYTES && left >= MIN_BLOCK_BYTES && differs(bytes);
  for (let at: usize = 0; at < KINDS * 4; at += 4)
    store<u32>(ofBlock + at, load<u32>(ofBlock + at) + load<u32>(ofGroup + at));
  inBlock += GROUP;
  return isOther;
}

function differs(bytes: u32): bool {
  let difference: u32 = 0;
  for (let at: usize = 0; at < KINDS * 4; at += 4) {
    const expected = load<u32>(ofBlock + at) * GROUP;
    const actual = load<u32>(ofGroup + at) * inBlock;
    difference += expected > actual ? expected - actual : actual - expected;
  }
  const count = GROUP + inBlock;
  let cutoff = CUTOFF * inBlock;
  if (bytes < MANY_BYTES && count < MANY_TOKENS)
    cutoff += <u32>((<u64>cutoff * <u64>(MANY_BYTES - bytes)) / MANY_BYTES);
  return difference + (bytes >> 12) * inBlock >= cutoff;
}
