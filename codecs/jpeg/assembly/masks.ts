/** Which coefficients of a block are not zero: a bit for each, in zigzag order. */
import { ZIGZAG_ORDER } from './tables';

/** For each row of a block and each mask of its 8 coefficients the mask in zigzag order, 64 bits each. */
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

/** Before the others are called. */
export function prepareMasks(): void {
  if (!isMade) make();
}

function ofRow(natural: u64, row: usize): u64 {
  return load<u64>(rows + (row << 11) + ((<usize>(natural >> <u64>(row << 3)) & 255) << 3));
}

/** @param natural the mask in natural order */
export function zigzagMask(natural: u64): u64 {
  return (
    ofRow(natural, 0) |
    ofRow(natural, 1) |
    ofRow(natural, 2) |
    ofRow(natural, 3) |
    ofRow(natural, 4) |
    ofRow(natural, 5) |
    ofRow(natural, 6) |
    ofRow(natural, 7)
  );
}

/** Masks of a block: of its coefficients of at least 1, 2, 4 and 8, as `levelMask` finds them. */
export const LEVELS_BYTES: usize = 4 * 8;

/** The first of them alone. @param block 64 coefficients of 16 bits, in natural order */
export function storeFirstLevel(block: usize, out: usize): void {
  const zero = i16x8.splat(0);
  let ones: u64 = 0;
  for (let row: usize = 0; row < 8; row++) {
    const shift = <u64>(row << 3);
    ones |= (<u64>i16x8.bitmask(i16x8.ne(v128.load(block + (row << 4)), zero))) << shift;
  }
  store<u64>(out, zigzagMask(ones));
}

/** The others. */
export function storeOtherLevels(block: usize, out: usize): void {
  const one = i16x8.splat(1);
  const three = i16x8.splat(3);
  const seven = i16x8.splat(7);
  let twos: u64 = 0;
  let fours: u64 = 0;
  let eights: u64 = 0;
  for (let row: usize = 0; row < 8; row++) {
    const sizes = i16x8.abs(v128.load(block + (row << 4)));
    const shift = <u64>(row << 3);
    twos |= (<u64>i16x8.bitmask(i16x8.gt_u(sizes, one))) << shift;
    fours |= (<u64>i16x8.bitmask(i16x8.gt_u(sizes, three))) << shift;
    eights |= (<u64>i16x8.bitmask(i16x8.gt_u(sizes, seven))) << shift;
  }
  store<u64>(out, zigzagMask(twos), 8);
  store<u64>(out, zigzagMask(fours), 16);
  store<u64>(out, zigzagMask(eights), 24);
}

/** The coefficients that are not zero without their lowest bits. @param low bits, 0 to 3 */
export function levelMask(levels: usize, low: i32): u64 {
  return load<u64>(levels + ((<usize>low) << 3));
}
