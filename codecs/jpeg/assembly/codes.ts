/** Huffman codes from symbol counts (ITU-T T.81, annex K.2). */
import { codesOfLength, findCodeLengths, symbolAt } from '../../assembly/code-lengths';

const SYMBOLS: i32 = 256;
const MAX_LENGTH: i32 = 16;

/**
 * Makes the codes of a table.
 * @param counts of 256 symbols, 32 bits each; at least one is not 0
 * @param segment receives the table as in a DHT segment: 16 counts of codes, then the symbols
 * @param codes receives code << 8 | length for each symbol, 32 bits each
 * @returns the number of bytes of `segment`
 */
export function makeCodes(counts: usize, segment: usize, codes: usize): i32 {
  const count = findCodeLengths(counts, SYMBOLS, MAX_LENGTH, true);
  memory.fill(codes, 0, 256 * 4);
  let longest = MAX_LENGTH;
  while (codesOfLength(longest) === 0) longest -= 1;
  let next = count - 1;
  let code: u32 = 0;
  for (let length = 1; length <= MAX_LENGTH; length++) {
    // Without the code of the spare symbol.
    const own = codesOfLength(length) - i32(length === longest);
    store<u8>(segment + length - 1, <u8>own);
    for (let index = 0; index < own; index++) {
      const symbol = <usize>symbolAt(next);
      store<u8>(segment + 16 + (count - 1 - next), <u8>symbol);
      store<u32>(codes + (symbol << 2), (code << 8) | length);
      next -= 1;
      code += 1;
    }
    code <<= 1;
  }
  return 16 + count - 1;
}
