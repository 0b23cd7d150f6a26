/** Writes the bits of entropy-coded data. */

let window: u64 = 0;
let count: i32 = 0;
let next: usize = 0;

export function startWriting(at: usize): void {
  window = 0;
  count = 0;
  next = at;
}

/** Goes on at another place. */
export function continueWriting(at: usize): void {
  next = at;
}
/** The end of the bytes that are complete. */
export function writtenTo(): usize {
  return next;
}

/** @param bits of `value`, 0 to 31; no others of it are set */
export function put(value: u32, bits: i32): void {
  window = (window << (<u64>bits)) | <u64>value;
  count += bits;
  if (count < 32) return;
  count -= 32;
  const word = <u32>(window >> <u64>count);
  // No byte of it is 0xff.
  if (((~word - 0x01010101) & word & 0x80808080) === 0) {
    store<u32>(next, bswap<u32>(word));
    next += 4;
  } else {
    putByte(<u8>(word >> 24));
    putByte(<u8>(word >> 16));
    putByte(<u8>(word >> 8));
    putByte(<u8>word);
  }
}

function putByte(byte: u8): void {
  store<u8>(next, byte);
  next += 1;
  // Stuffing (T.81, F.1.2.3).
  if (byte === 0xff) {
    store<u8>(next, 0);
    next += 1;
  }
}

/** Fills the last byte with ones. @returns the end of what has been written */
export function finishWriting(): usize {
  const fill = (8 - (count & 7)) & 7;
  window = (window << (<u64>fill)) | ((1 << (<u64>fill)) - 1);
  count += fill;
  while (count > 0) {
    count -= 8;
    putByte(<u8>(window >> <u64>count));
  }
  return next;
}
