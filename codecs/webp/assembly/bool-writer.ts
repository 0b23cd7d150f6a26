/** Writes the decisions of a partition with an arithmetic coder (RFC 6386, 7). */

/** The unwritten bits, and a carry above them. */
let low: u64 = 0;
let range: u32 = 255;
/** Number of bits besides the 8 that decisions are still added to. */
let count: i32 = 0;
let next: usize = 0;

export function startPartition(at: usize): void {
  low = 0;
  range = 255;
  count = 0;
  next = at;
}

/** @param probability that the bit is 0, of 256 */
export function putBit(bit: i32, probability: i32): void {
  const split = 1 + (((range - 1) * <u32>probability) >> 8);
  if (bit !== 0) {
    low += <u64>split;
    range -= split;
  } else {
    range = split;
  }
  const shift = clz<u32>(range) - 24;
  range <<= shift;
  low <<= <u64>shift;
  count += shift;
  if (count >= 32) flush();
}

/** Writes a number of `bits` bits; all its values are equally probable. */
export function putNumber(value: i32, bits: i32): void {
  for (let at = bits - 1; at >= 0; at--) putBit((value >> at) & 1, 128);
}

/** Writes whether a number is not 0; if so, its `bits` bits and its sign. */
export function putSigned(value: i32, bits: i32): void {
  putBit(value !== 0 ? 1 : 0, 128);
  if (value === 0) return;
  putNumber(value < 0 ? -value : value, bits);
  putBit(value < 0 ? 1 : 0, 128);
}

function flush(): void {
  const kept = <u64>(count - 24);
  const word = low >> kept;
  low &= (1 << kept) - 1;
  count -= 32;
  if (word >> 32) carry();
  store<u32>(next, bswap<u32>(<u32>word));
  next += 4;
}

function carry(): void {
  let at = next - 1;
  while (load<u8>(at) === 255) {
    store<u8>(at, 0);
    at -= 1;
  }
  store<u8>(at, load<u8>(at) + 1);
}

/** Returns the end of the complete bytes. */
export function writtenTo(): usize {
  return next;
}

/** @returns the end of the partition */
export function finishPartition(): usize {
  // The 8 bits that decisions are added to, and up to 32 before them. A reader may read two more bytes.
  for (let bit = 0; bit < 40; bit++) putBit(0, 128);
  return next;
}
