/** The WebAssembly modules of codecs of our own, and the memory that each works on. */
import { trackMemory } from './memory.ts';

/** An address in the memory, in bytes. */
export type Address = number;

/** Of every codec: documented in assembly/memory.ts. */
interface MemoryFunctions {
  reserve(bytes: number): Address;
}

/** Behind a block, and behind the last of several rows, codecs read and write up to this far, in bytes. */
const BEYOND = 64;

export class CodecModule<Functions extends MemoryFunctions> {
  readonly run: Functions;
  readonly #memory: WebAssembly.Memory;

  /** @param imports none but for a module that checks its addresses */
  constructor(module: WebAssembly.Module, imports: WebAssembly.Imports = {}) {
    const { exports } = new WebAssembly.Instance(module, imports);
    trackMemory({}, { exports });
    this.run = exports as unknown as Functions;
    this.#memory = exports.memory as WebAssembly.Memory;
  }

  /** Of the memory, which never shrinks. */
  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /** A block with anything in it; undefined where the memory cannot grow that far. */
  reserve(bytes: number): Address | undefined {
    // Addresses come as signed numbers.
    return this.run.reserve(bytes + BEYOND) >>> 0 || undefined;
  }

  /** A block with a copy. */
  place(data: Uint8Array): Address | undefined {
    const at = this.reserve(data.length);
    if (at !== undefined) this.bytes(at, data.length).set(data);
    return at;
  }

  /** A view, which is good until the memory grows. */
  bytes(at: Address, count: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#memory.buffer as ArrayBuffer, at, count);
  }
}

/** Memory that an idle thread keeps for its next file, in bytes. */
const MAX_KEPT_BYTES = 32 * 2 ** 20;

/** The codec of a thread while nobody uses it. */
export class IdleCodec<Codec extends { memoryBytes: number }> {
  readonly #make: (module: WebAssembly.Module) => Codec;
  #codec: Codec | undefined;

  constructor(make: (module: WebAssembly.Module) => Codec) {
    this.#make = make;
  }

  /** Runs `work` with a codec, which is kept for the next time unless its memory became large. */
  lend<T>(module: WebAssembly.Module, work: (codec: Codec) => T): T {
    const codec = this.#codec ?? this.#make(module);
    this.#codec = undefined;
    const result = work(codec);
    if (codec.memoryBytes <= MAX_KEPT_BYTES) this.#codec = codec;
    return result;
  }
}
