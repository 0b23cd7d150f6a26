/** The Huffman codes of PIZ (ImfHuf): canonical codes of 16-bit samples, with one more symbol for repeats. */
import { corruptImage } from '../../errors.ts';
import { Reader } from '../../metadata/bytes.ts';
import { FORMATS } from '../registry.ts';

const SYMBOLS = (1 << 16) + 1;
const HEADER_BYTES = 20;
/** Longer codes would need far more samples than a block has, and more bits than a double holds. */
const MAX_CODE_BITS = 50;
/** Lengths from here on stand for runs of unused symbols: two and more, or six plus the next byte. */
const SHORT_RUN = 59;
const LONG_RUN = 63;
const MIN_LONG_RUN = 6;
/** Codes up to this length are decoded with one table lookup. */
const TABLE_BITS = 14;

interface Codes {
  /**
   * Indexed by the next {@link TABLE_BITS} bits: the symbol and, in the low bits, the length of its code; 0 when it is
   * longer.
   */
  table: Uint32Array;
  /** Indexed by length: the first code, and the index of its first symbol among the sorted ones. */
  firstCode: Float64Array;
  firstSymbol: Uint32Array;
  count: Uint32Array;
  symbols: Uint32Array;
}

/** Decodes `length` samples. @throws Failure `corrupt_image` when there are fewer */
export function huffmanDecode(packed: Uint8Array, length: number): Uint16Array {
  const data = new Uint16Array(length);
  if (packed.length === 0 && length === 0) return data;
  const reader = new Reader(packed, FORMATS.exr.name, true);
  const [first, last, bits] = [reader.u32(0), reader.u32(4), reader.u32(12)];
  if (first >= SYMBOLS || last >= SYMBOLS || first > last) throw damaged('symbols');
  const { lengths, end } = readLengths(packed, first, last);
  const codes = makeCodes(lengths);
  decode(packed, end * 8, Math.min(packed.length * 8, end * 8 + bits), codes, last, data);
  return data;
}

const damaged = (what: string) => corruptImage(FORMATS.exr.name, what);

/** Reads code lengths of six bits. */
function readLengths(packed: Uint8Array, first: number, last: number): { lengths: Uint8Array; end: number } {
  const lengths = new Uint8Array(SYMBOLS);
  let bit = HEADER_BYTES * 8;
  const take = (count: number) => {
    const value = peek(packed, bit, count);
    bit += count;
    if (bit > packed.length * 8) throw damaged('code lengths');
    return value;
  };
  for (let symbol = first; symbol <= last; ) {
    const length = take(6);
    if (length === LONG_RUN) symbol += take(8) + MIN_LONG_RUN;
    else if (length >= SHORT_RUN) symbol += length - SHORT_RUN + 2;
    else lengths[symbol++] = length;
  }
  return { lengths, end: Math.ceil(bit / 8) };
}

/** Reads up to 16 bits, the highest first; zeros behind the end. */
function peek(packed: Uint8Array, bit: number, count: number): number {
  const at = bit >>> 3;
  const word = ((packed[at] ?? 0) << 16) | ((packed[at + 1] ?? 0) << 8) | (packed[at + 2] ?? 0);
  return (word >> (24 - count - (bit & 7))) & ((1 << count) - 1);
}

/** Builds the codes, in which the longest have the smallest numbers. */
function makeCodes(lengths: Uint8Array): Codes {
  const count = new Uint32Array(MAX_CODE_BITS + 1);
  for (const length of lengths) {
    if (length > MAX_CODE_BITS) throw damaged(`a code of ${length} bits`);
    count[length]!++;
  }
  count[0] = 0;
  const firstCode = new Float64Array(MAX_CODE_BITS + 1);
  for (let length = MAX_CODE_BITS, code = 0; length > 0; length--) {
    firstCode[length] = code;
    code = Math.floor((code + count[length]!) / 2);
  }
  const firstSymbol = new Uint32Array(MAX_CODE_BITS + 2);
  for (let length = 1; length <= MAX_CODE_BITS; length++)
    firstSymbol[length + 1] = firstSymbol[length]! + count[length]!;
  const next = firstSymbol.slice();
  const symbols = new Uint32Array(firstSymbol[MAX_CODE_BITS + 1]!);
  const table = new Uint32Array(1 << TABLE_BITS);
  for (let symbol = 0; symbol < SYMBOLS; symbol++) {
    const length = lengths[symbol]!;
    if (length === 0) continue;
    const index = next[length]!++;
    symbols[index] = symbol;
    if (length > TABLE_BITS) continue;
    const code = firstCode[length]! + index - firstSymbol[length]!;
    const from = code * 2 ** (TABLE_BITS - length);
    table.fill(symbol * 64 + length, from, from + 2 ** (TABLE_BITS - length));
  }
  return { table, firstCode, firstSymbol, count, symbols };
}

function decode(packed: Uint8Array, from: number, to: number, codes: Codes, repeat: number, data: Uint16Array): void {
  let bit = from;
  let end = 0;
  while (end < data.length) {
    let symbol: number;
    const entry = codes.table[peek(packed, bit, TABLE_BITS)]!;
    if (entry !== 0) {
      symbol = entry >>> 6;
      bit += entry & 63;
    } else {
      const found = decodeLong(packed, bit, codes);
      symbol = found.symbol;
      bit += found.length;
    }
    if (bit > to) throw damaged('codes end early');
    if (symbol !== repeat) data[end++] = symbol;
    else {
      const times = peek(packed, bit, 8);
      bit += 8;
      if (end === 0 || bit > to) throw damaged('a repeat of nothing');
      data.fill(data[end - 1]!, end, end + times);
      end += times;
    }
  }
}

function decodeLong(packed: Uint8Array, bit: number, { firstCode, firstSymbol, count, symbols }: Codes) {
  let code = peek(packed, bit, TABLE_BITS);
  for (let length = TABLE_BITS + 1; length <= MAX_CODE_BITS; length++) {
    code = code * 2 + peek(packed, bit + length - 1, 1);
    const index = code - firstCode[length]!;
    if (index >= 0 && index < count[length]!) return { symbol: symbols[firstSymbol[length]! + index]!, length };
  }
  throw damaged('no such code');
}
