/** Writes the bits of entropy-coded data. */

/** Bits that do not fill a word yet, and their number. */
let window: u64 = 0;
let count: i32 = 0;
let next: usize = 0;

export function startWriting(at: usize): void {
  window = 0;
  count = 0;
  next = at;
}

/** Continues at another address. */
export function continueWriting(at: usize): void {
  next = at;
}
/** Returns the end of the complete bytes. */
export function writtenTo(): usize {
  return next;
}

/**
 * Writes codes and the bits after them.
 * @param tokens from here to `end`, 32 bits each: the number of a code << 21 | the number of bits after it, 0 to 16, <<
 * 16 | those bits
 * @param codes by number, 32 bits each: up to 16 bits << 8 | their number
 */
export function putTokens(tokens: usize, end: usize, codes: usize): void {
  let bits = window;
  let held = count;
  for (let at = tokens; at < end; at += 4) {
    const token = load<u32>(at);
    const code = load<u32>(codes + ((<usize>(token >> 21)) << 2));
    const more = (token >> 16) & 31;
    const length = more + (code & 0xff);
    bits = (bits << (<u64>length)) | <u64>(((code >> 8) << more) | (token & 0xffff));
    held += <i32>length;
    if (held < 32) continue;
    held -= 32;
    putWord(<u32>(bits >> <u64>held));
  }
  window = bits;
  count = held;
}

function putWord(word: u32): void {
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

/**
 * Fills the last byte with ones.
 * @returns the end of the written bytes
 */
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
