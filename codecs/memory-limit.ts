/** Limits the memory that a WebAssembly module may take, before it is compiled. Main-thread safe. */
import { readUnsigned, unsigned } from './leb128.ts';

const PAGE_BYTES = 65_536;
const HEADER_BYTES = 8;
const MEMORY_SECTION = 5;

/**
 * Returns the module with a maximum in its memory section (WebAssembly Core Specification, 5.5.8), at which
 * `memory.grow` fails. Compilers set 4 GB or no maximum, and a hostile image makes a codec take all of it.
 *
 * @param wasm a module that has one memory of its own
 * @param maxBytes a multiple of 65536, and at least the initial memory of the module
 */
export function limitMemory(wasm: Uint8Array, maxBytes: number): Uint8Array<ArrayBuffer> {
  for (let at = HEADER_BYTES; at < wasm.length; ) {
    const [length, content] = readUnsigned(wasm, at + 1);
    const end = content + length;
    if (wasm[at] === MEMORY_SECTION) {
      const section = memorySection(wasm.subarray(content, end), maxBytes / PAGE_BYTES);
      return new Uint8Array(Buffer.concat([wasm.subarray(0, at), section, wasm.subarray(end)]));
    }
    at = end;
  }
  throw new Error('the module has no memory of its own');
}

const ONE_MEMORY = 1;
const HAS_MAXIMUM = 1;

function memorySection(content: Uint8Array, maxPages: number): Uint8Array {
  const [start] = readUnsigned(content, 2);
  const limited = [ONE_MEMORY, HAS_MAXIMUM, ...unsigned(start), ...unsigned(maxPages)];
  return Uint8Array.from([MEMORY_SECTION, ...unsigned(limited.length), ...limited]);
}
