/**
 * Reads the bits of entropy-coded data (ITU-T T.81, F.2.2.5). The 8 bytes after the data must be readable and must not
 * be data: 0xff 0xd9, the end marker.
 */

/** The next bits; only the last `count` bits are valid. */
let window: u64 = 0;
let count: i32 = 0;
let next: usize = 0;
/** The marker that ended the data; 0 before that. `next` then stays at its 0xff. */
let marker: i32 = 0;
/** Zeros in the window that are not in the data. Bits after a marker read as zeros, as in libjpeg. */
let invented: i32 = 0;

export function startBits(at: usize): void {
  window = 0;
  count = 0;
  next = at;
  marker = 0;
  invented = 0;
}

/** Whether no byte of a word is 0xff. */
export function isPlain(word: u32): bool {
  return ((~word - 0x01010101) & word & 0x80808080) === 0;
}

/** Ensures that at least 33 bits can be taken. */
export function refill(): void {
  if (count > 32) return;
  const word = load<u32>(next);
  if (isPlain(word)) {
    window = (window << 32) | <u64>bswap<u32>(word);
    count += 32;
    next += 4;
  } else refillByBytes();
}

/** Like `refill`, for data with an 0xff among the next bytes. */
export function refillByBytes(): void {
  while (count <= 48) {
    let byte: u32 = 0;
    if (marker === 0) {
      byte = load<u8>(next);
      if (byte !== 0xff) next += 1;
      else {
        let after = next + 1;
        while (load<u8>(after) === 0xff) after += 1;
        marker = <i32>load<u8>(after);
        if (marker === 0) next = after + 1;
        else {
          next = after - 1;
          byte = 0;
        }
      }
    }
    if (marker !== 0) invented += 8;
    window = (window << 8) | <u64>byte;
    count += 8;
  }
}

// A loop over many codes works on copies of the window and the address, which stay in registers.

export function addressOfBits(): usize {
  return next;
}

export function windowOfBits(): u64 {
  return window;
}

export function countOfBits(): i32 {
  return count;
}

/** Writes back the copies of a loop. */
export function setBits(newWindow: u64, newCount: i32, newNext: usize): void {
  window = newWindow;
  count = newCount;
  next = newNext;
}

/** Whether bits were taken that are not in the data. */
export function hasRunOut(): bool {
  return count < invented;
}

export function skip(bits: i32): void {
  count -= bits;
}

export function take(bits: i32): i32 {
  count -= bits;
  return <i32>(window >> <u64>count) & ((1 << bits) - 1);
}

/**
 * Returns the address of the marker that ended the data, or of the next one after the data read so far; `limit` if
 * there is none before it.
 */
export function markerAt(limit: usize): usize {
  let at = next;
  if (marker === 0) {
    // Whole bytes that were read ahead may include stuffed zero bytes, but no marker.
    while (at < limit && (load<u8>(at) !== 0xff || load<u8>(at, 1) === 0 || load<u8>(at, 1) === 0xff)) at += 1;
  }
  return min(at, limit);
}
