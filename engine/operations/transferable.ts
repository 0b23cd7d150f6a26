/** A buffer with exactly these bytes, for transfer to the main thread. */
export function transferable(bytes: Uint8Array): ArrayBuffer {
  const whole = bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer;
  return whole ? bytes.buffer : new Uint8Array(bytes).buffer;
}
