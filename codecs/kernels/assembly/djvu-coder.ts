/**
 * The Z'-coder, the arithmetic coder of DjVu (DjVu 3 Specification, Lizardtech, November 2005, appendix 3). One stream at
 * a time is decoded.
 */

/** 8 bytes for each state of a context: Δ and θ of 16 bits, μ and λ of 8. */
let states: usize = 0;
let nextByte: usize = 0;
let endByte: usize = 0;
/** Number of bytes that were assumed after the end of the data. */
let missing: i32 = 0;
/** Bits read ahead; the lowest `available` of them are not used yet. */
let fetched: i32 = 0;
let available: i32 = 0;
/** The registers A and C, 16 bits each. */
let interval: i32 = 0;
let code: i32 = 0;
/** Up to this value the more probable decision neither shifts the registers nor changes the state. */
let fence: i32 = 0;

/**
 * Encoders may omit final bytes that are all ones. Up to this many are assumed before the stream counts as truncated.
 */
const MAX_MISSING_BYTES: i32 = 32;

/**
 * Starts to decode `count` bytes.
 * @param table the states, in the format described above
 */
export function startStream(bytes: usize, count: i32, table: usize): void {
  states = table;
  nextByte = bytes;
  endByte = bytes + count;
  missing = 0;
  fetched = 0;
  available = 0;
  interval = 0;
  code = 0;
  shift(16);
}

/** Whether more bytes were assumed than an encoder may omit. */
export function isTruncated(): bool {
  return missing > MAX_MISSING_BYTES;
}

function shift(bits: i32): void {
  if (available < bits) {
    while (available <= 16) {
      let byte: i32 = 0xff;
      if (nextByte < endByte) {
        byte = load<u8>(nextByte);
        nextByte += 1;
      } else missing += 1;
      fetched = (fetched << 8) | byte;
      available += 8;
    }
  }
  available -= bits;
  interval = (interval << bits) & 0xffff;
  code = ((code << bits) & 0xffff) | ((fetched >>> available) & ((1 << bits) - 1));
  fence = min(code, 0x7fff);
}

/** Selects the upper part of the interval and shifts both registers by its leading ones. */
function takeUpper(split: i32): void {
  interval += 0x10000 - split;
  code += 0x10000 - split;
  shift(clz(~(interval << 16)));
}

/** Decodes one decision, 0 or 1, in the context of the byte at an address. */
export function decide(context: usize): i32 {
  const state = i32(load<u8>(context));
  const split = interval + i32(load<u16>(states + (state << 3)));
  if (split <= fence) {
    interval = split;
    return state & 1;
  }
  return adapt(context, state, split);
}

function adapt(context: usize, state: i32, unlimited: i32): i32 {
  const entry = states + (state << 3);
  const split = min(unlimited, 0x6000 + ((unlimited + interval) >> 2));
  if (split > code) {
    store<u8>(context, load<u8>(entry, 5));
    takeUpper(split);
    return (state & 1) ^ 1;
  }
  if (interval >= i32(load<u16>(entry, 2))) store<u8>(context, load<u8>(entry, 4));
  interval = split;
  shift(1);
  return state & 1;
}

/** Decodes one decision without a context, with the split of IW44. */
export function decideEvenly(): i32 {
  const split = 0x8000 + ((3 * interval) >> 3);
  if (split > code) {
    takeUpper(split);
    return 1;
  }
  interval = split;
  shift(1);
  return 0;
}
