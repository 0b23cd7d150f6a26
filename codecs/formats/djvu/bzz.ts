/** BZZ: block sorting with a move-to-front list and the Z'-coder (DjVu 3 Specification, 2005, appendix 4). */
import { ZpDecoder } from './zp.ts';

const MAX_BLOCK = 4 << 20;
const CONTEXTS = 262;
/** Number of positions in the move-to-front list whose frequencies are kept. */
const RANKED = 4;
/** The end marker, coded as a position of the list. */
const END_MARKER = 256;
const RESCALE_FROM = 0x10000000;

/**
 * Expands a BZZ stream. A damaged or truncated one returns the blocks before the damage.
 * @param maxBytes a stream that holds more counts as damaged
 */
export function expandBzz(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const zp = new ZpDecoder(bytes);
  const contexts = new Uint8Array(CONTEXTS);
  const blocks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    let size = 0;
    for (let bit = 0; bit < 24; bit++) size = (size << 1) | zp.decodePlain();
    if (size < 2 || size > MAX_BLOCK || size - 1 > maxBytes - total || zp.starved) break;
    const block = expandBlock(zp, contexts, size);
    if (!block) break;
    blocks.push(block);
    total += block.length;
  }
  return blocks.length === 1 ? blocks[0]! : Buffer.concat(blocks);
}

function expandBlock(zp: ZpDecoder, contexts: Uint8Array, size: number): Uint8Array | undefined {
  const sorted = decodeSorted(zp, contexts, size);
  return sorted && unsort(sorted.symbols, sorted.marker);
}

interface SortedBlock {
  symbols: Uint8Array;
  /** Index of the end marker. */
  marker: number;
}

/** Decodes positions in the move-to-front list and looks up their symbols. */
function decodeSorted(zp: ZpDecoder, contexts: Uint8Array, size: number): SortedBlock | undefined {
  const forgetting = zp.decodePlain() === 0 ? 0 : 1 + zp.decodePlain();
  // Grows with the decoded data, not with the declared size.
  let symbols = new Uint8Array(Math.min(size, 1 << 16));
  const list = Uint8Array.from({ length: 256 }, (_, symbol) => symbol);
  const frequencies = new Uint32Array(RANKED);
  let step = 4;
  let marker = -1;
  let place = 3;
  for (let at = 0; at < size; at++) {
    if (zp.starved) return undefined;
    if (at === symbols.length) {
      const longer = new Uint8Array(Math.min(size, at * 2));
      longer.set(symbols);
      symbols = longer;
    }
    place = decodePlace(zp, contexts, Math.min(place, 2));
    if (place === END_MARKER) {
      marker = at;
      continue;
    }
    const symbol = list[place]!;
    symbols[at] = symbol;

    step += step >> forgetting;
    if (step > RESCALE_FROM) {
      step >>= 24;
      for (let rank = 0; rank < RANKED; rank++) frequencies[rank]! >>>= 24;
    }
    const frequency = step + (place < RANKED ? frequencies[place]! : 0);
    let to = place;
    if (to >= RANKED) {
      list.copyWithin(RANKED, RANKED - 1, to);
      to = RANKED - 1;
    }
    for (; to > 0 && frequency >= frequencies[to - 1]!; to--) {
      list[to] = list[to - 1]!;
      frequencies[to] = frequencies[to - 1]!;
    }
    list[to] = symbol;
    frequencies[to] = frequency;
  }
  return marker < 1 ? undefined : { symbols, marker };
}

/** Decodes a position in the list, or {@link END_MARKER}: 0, 1, then ranges each twice as long as the one before. */
function decodePlace(zp: ZpDecoder, contexts: Uint8Array, last: number): number {
  if (zp.decode(contexts, last)) return 0;
  if (zp.decode(contexts, 3 + last)) return 1;
  let at = 6;
  for (let bits = 1; bits < 8; bits++) {
    if (zp.decode(contexts, at)) return (1 << bits) + zp.decodeBits(contexts, at + 1, bits);
    at += 1 << bits;
  }
  return END_MARKER;
}

/** Inverts the Burrows-Wheeler transform; undefined when the block is invalid. */
function unsort(symbols: Uint8Array, marker: number): Uint8Array | undefined {
  const size = symbols.length;
  const counts = new Int32Array(256);
  const ranks = new Int32Array(size);
  for (let at = 0; at < size; at++) {
    if (at === marker) continue;
    const symbol = symbols[at]!;
    ranks[at] = counts[symbol]!++;
  }
  // The end marker sorts before all symbols.
  const starts = new Int32Array(256);
  let start = 1;
  for (let symbol = 0; symbol < 256; symbol++) {
    starts[symbol] = start;
    start += counts[symbol]!;
  }
  const block = new Uint8Array(size - 1);
  let at = 0;
  for (let write = size - 2; write >= 0; write--) {
    const symbol = symbols[at]!;
    block[write] = symbol;
    at = starts[symbol]! + ranks[at]!;
  }
  return at === marker ? block : undefined;
}
