/** The memory of the module: consecutive blocks that are freed together. */

const ALIGNMENT: usize = 16;
/** Vectors are read and written up to this many bytes past the end of a block. */
const BEYOND: usize = 64;
const PAGE: i64 = 65536;
/** Largest distance from the end of a block to the beginning of the next one, in bytes. */
export const MAX_GAP: usize = BEYOND + ALIGNMENT;

let end: usize = __heap_base;

/** Frees all blocks. */
export function release(): void {
  end = __heap_base;
}

/**
 * Reserves a block.
 * @returns the address of a block with undefined content; 0 if memory cannot grow enough
 */
export function reserve(bytes: usize): usize {
  const start = end;
  const needed = (start + bytes + BEYOND + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
  if (needed < start) return 0;
  // 64 bits, because there may be 4 GiB.
  const missing = <i64>needed - <i64>memory.size() * PAGE;
  if (missing > 0 && memory.grow(<i32>((missing + PAGE - 1) / PAGE)) < 0) return 0;
  end = needed;
  return start;
}

/**
 * Frees everything after an address, except for the bytes that may be written past the end of a block.
 * @param at in the last block
 */
export function keepUpTo(at: usize): void {
  end = (at + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

/** Like `reserve`, but filled with zeros. */
export function reserveZeros(bytes: usize): usize {
  const start = reserve(bytes);
  if (start !== 0) memory.fill(start, 0, bytes);
  return start;
}

// Lists of 32-bit numbers. Arrays of the language would overlap the blocks.
export function numberAt(list: usize, index: i32): i32 {
  return load<i32>(list + ((<usize>index) << 2));
}
export function setNumber(list: usize, index: i32, value: i32): void {
  store<i32>(list + ((<usize>index) << 2), value);
}
