/** The memory of the module: blocks one behind the other, given up together. */

const ALIGNMENT: usize = 16;
/** Vectors are read and written up to this far beyond a block, in bytes. */
const BEYOND: usize = 64;
const PAGE: i64 = 65536;
/** From the end of a block to the beginning of the next one, in bytes. */
export const MAX_GAP: usize = BEYOND + ALIGNMENT;

let end: usize = __heap_base;

/** Gives up all blocks. */
export function release(): void {
  end = __heap_base;
}

/** @returns the address of a block with anything in it; 0 where memory cannot grow that far */
export function reserve(bytes: usize): usize {
  const start = end;
  const needed = (start + bytes + BEYOND + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
  if (needed < start) return 0;
  // In 64 bits: there may be 4 GiB.
  const missing = <i64>needed - <i64>memory.size() * PAGE;
  if (missing > 0 && memory.grow(<i32>((missing + PAGE - 1) / PAGE)) < 0) return 0;
  end = needed;
  return start;
}

/** Gives up what lies behind an address, but for what is written beyond a block. @param at in the last block */
export function keepUpTo(at: usize): void {
  end = (at + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

/** The same as `reserve`, with zeros. */
export function reserveZeros(bytes: usize): usize {
  const start = reserve(bytes);
  if (start !== 0) memory.fill(start, 0, bytes);
  return start;
}

// Lists of numbers of 32 bits. Those of the language would lie where the blocks are.
export function numberAt(list: usize, index: i32): i32 {
  return load<i32>(list + ((<usize>index) << 2));
}
export function setNumber(list: usize, index: i32, value: i32): void {
  store<i32>(list + ((<usize>index) << 2), value);
}
