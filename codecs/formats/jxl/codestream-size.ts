/** Reads the size in the header of a JPEG XL codestream (ISO/IEC 18181-1, "SizeHeader"). */

/** Width to height, for the ratios that have a number of their own. */
const RATIOS: Readonly<Record<number, readonly [number, number]>> = {
  1: [1, 1],
  2: [12, 10],
  3: [4, 3],
  4: [3, 2],
  5: [16, 9],
  6: [5, 4],
  7: [2, 1],
};
/** Bits of a length, indexed by the selector before it. */
const LENGTH_BITS = [9, 13, 18, 30] as const;
const SIGNATURE_BITS = 16;
/** Two lengths of 2 + 30 bits, a flag and a ratio. */
const MAX_HEADER_BYTES = 12;

/**
 * Reads the size.
 * @param codestream starts with its signature 0xff0a
 * @returns undefined when it ends early
 */
export function readJxlSize(codestream: Uint8Array): { width: number; height: number } | undefined {
  if (codestream[0] !== 0xff || codestream[1] !== 0x0a) return undefined;
  // Bits are read from the lowest up.
  const bits = [...codestream.subarray(0, MAX_HEADER_BYTES)].reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  let at = SIGNATURE_BITS;
  const read = (count: number): number => {
    const value = Number((bits >> BigInt(at)) & ((1n << BigInt(count)) - 1n));
    at += count;
    return value;
  };

  const inEights = read(1) === 1;
  const readLength = () => (inEights ? 8 * (1 + read(5)) : 1 + read(LENGTH_BITS[read(2) as 0 | 1 | 2 | 3]));
  const height = readLength();
  const ratio = RATIOS[read(3)];
  const width = ratio ? Math.floor((height * ratio[0]) / ratio[1]) : readLength();
  return at <= codestream.length * 8 ? { width, height } : undefined;
}
