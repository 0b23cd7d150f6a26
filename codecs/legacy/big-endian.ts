/** Converts big-endian 16-bit samples to native byte order. */
export function readBigEndian16(bytes: Uint8Array, at: number, present: number, samples: number): Uint16Array {
  const words = new Uint16Array(samples);
  for (let index = 0, read = at; index < present; index++, read += 2) {
    words[index] = (bytes[read]! << 8) | bytes[read + 1]!;
  }
  return words;
}
