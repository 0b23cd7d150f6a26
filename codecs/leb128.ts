/**
 * Reads and writes the LEB128 numbers of WebAssembly's binary format (WebAssembly Core Specification, 5.2.2).
 * Main-thread safe.
 */

/** Reads an unsigned number. Also returns the offset after it. */
export function readUnsigned(bytes: Uint8Array, start: number): [value: number, end: number] {
  let value = 0;
  for (let at = start, scale = 1; ; at++, scale *= 0x80) {
    const byte = bytes[at]!;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return [value, at + 1];
  }
}

export function unsigned(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest & 0x7f) | 0x80);
  return Uint8Array.from([...bytes, rest]);
}

/** Writes a non-negative number in the signed encoding. */
export function signed(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x40n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.from([...bytes, Number(rest)]);
}
