/** Cuts the bytes of a file into the parts of an upload. */

/** S3 takes 5 MiB and more; some stores want all parts but the last to be of one size. */
export const PART_BYTES = 8 * 2 ** 20;

export interface Part {
  /** Valid until the next part is asked for. */
  data: Uint8Array;
  isLast: boolean;
}

/** The parts of a buffer: nothing is copied. */
export function* partsOf(data: Uint8Array): Generator<Part> {
  let start = 0;
  do {
    const end = Math.min(start + PART_BYTES, data.byteLength);
    yield { data: data.subarray(start, end), isLast: end === data.byteLength };
    start = end;
  } while (start < data.byteLength);
}

/** The parts of a stream, each collected in the same memory. */
export async function* collectParts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Part> {
  // Not filled with zeros, so that the pages that a short stream does not reach take no memory.
  const memory = Buffer.allocUnsafeSlow(PART_BYTES);
  let length = 0;
  for await (let chunk of chunks) {
    while (chunk.byteLength > 0) {
      // Only now it is known that the full part is not the last.
      if (length === PART_BYTES) {
        yield { data: memory, isLast: false };
        length = 0;
      }
      const taken = chunk.subarray(0, PART_BYTES - length);
      memory.set(taken, length);
      length += taken.byteLength;
      chunk = chunk.subarray(taken.byteLength);
    }
  }
  yield { data: memory.subarray(0, length), isLast: true };
}
