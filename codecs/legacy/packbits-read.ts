/**
 * Expands PackBits, the run-length code of the Macintosh Toolbox (Apple Technical Note TN1023, "Understanding
 * PackBits").
 */

export interface Expanded {
  /** Where reading and writing ended. */
  read: number;
  write: number;
}

/**
 * Expands packets of `bytes` from `at` to `end` into `out` from `to` to `outEnd`, whichever ends first.
 * @param step 2 when runs and literals consist of 16-bit numbers, as in the rows of 16-bit pixels of a PICT
 */
export function unpackBits(
  bytes: Uint8Array,
  at: number,
  end: number,
  out: Uint8Array,
  to: number,
  outEnd: number,
  step: 1 | 2 = 1,
): Expanded {
  const last = Math.min(end, bytes.length);
  let read = at;
  let write = to;
  while (read < last && write < outEnd) {
    const packet = bytes[read++]!;
    if (packet < 128) {
      const length = Math.min((packet + 1) * step, last - read, outEnd - write);
      out.set(bytes.subarray(read, read + length), write);
      read += length;
      write += length;
    } else if (packet > 128) {
      if (read + step > last) break;
      const runEnd = Math.min(outEnd, write + (257 - packet) * step);
      if (step === 1) out.fill(bytes[read]!, write, runEnd);
      else for (let x = write; x < runEnd; x++) out[x] = bytes[read + ((x - write) & 1)]!;
      read += step;
      write = runEnd;
    }
  }
  return { read, write };
}
