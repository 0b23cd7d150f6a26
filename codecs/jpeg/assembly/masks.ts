/** Masks of the coefficients of a block that are not zero: one bit each, in zigzag order. */
import { ZIGZAG_ORDER } from './tables';

/** For each row of a block and each mask of its 8 coefficients: the mask in zigzag order, 64 bits each. */
const rows: usize = memory.data(8 * 256 * 8, 16);
let isMade: bool = false;

function make(): void {
  for (let row: usize = 0; row < 8; row++)
    for (let mask: usize = 0; mask < 256; mask++) {
      let zigzag: u64 = 0;
      for (let column: usize = 0; column < 8; column++)
        if ((mask & (1 << column)) !== 0) zigzag |= (<u64>1) << (<u64>load<u8>(ZIGZAG_ORDER + (row << 3) + column));
      store<u64>(rows + (row << 11) + (mask << 3), zigzag);
    }
  isMade = true;
}

/** Must be called before the other functions. */
export function prepareMasks(): void {
  if (!isMade) make();
}

function ofRow(natural: u64, row: usize): u64 {
  return load<u64>(rows + (row << 11) + ((<usize>(natural >> <u64>(row << 3)) & 255) << 3));
}

/**
 * Returns the mask without DC in zigzag order.
 * @param natural the mask in natural order
 */
export function acMask(natural: u64): u64 {
  const all =
    ofRow(natural, 0) |
    ofRow(natural, 1) |
    ofRow(natural, 2) |
    ofRow(natural, 3) |
    ofRow(natural, 4) |
    ofRow(natural, 5) |
    ofRow(natural, 6) |
    ofRow(natural, 7);
  return all & ~1;
}

/**
 * @param block 64 coefficients of 16 bits
 * @returns the mask in natural order
 */
export function naturalMask(block: usize): u64 {
  const zero = i16x8.splat(0);
  let mask: u64 = 0;
  for (let row: usize = 0; row < 8; row++) {
    const shift = <u64>(row << 3);
    mask |= (<u64>i16x8.bitmask(i16x8.ne(v128.load(block + (row << 4)), zero))) << shift;
  }
  return mask;
}
