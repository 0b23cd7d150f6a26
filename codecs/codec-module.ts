/** Loads the WebAssembly modules of our own codecs and manages the memory of each. */
import { trackMemory } from './memory.ts';

/** An address in the memory, in bytes. */
export type Address = number;

/** The functions that every codec exports. Documented in assembly/memory.ts. */
interface MemoryFunctions {
  reserve(bytes: number): Address;
}

/** Bytes that codecs may read and write past the end of a block, and past the last of several rows. */
const SLACK_BYTES = 64;

export class CodecModule<Functions extends MemoryFunctions> {
  readonly run: Functions;
  readonly #memory: WebAssembly.Memory;

  /** @param imports only needed by a module built to check its addresses */
  constructor(module: WebAssembly.Module, imports: WebAssembly.Imports = {}) {
    const { exports } = new WebAssembly.Instance(module, imports);
    trackMemory({}, { exports });
    this.run = exports as unknown as Functions;
    this.#memory = exports.memory as WebAssembly.Memory;
  }

  /** Size of the memory, which never shrinks. */
  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /** Reserves a block with undefined content. Returns undefined if the memory cannot grow enough. */
  reserve(bytes: number): Address | undefined {
    // WebAssembly returns addresses as signed numbers.
    return this.run.reserve(bytes + SLACK_BYTES) >>> 0 || undefined;
  }

  /** Reserves a block and copies `data` into it. */
  place(data: Uint8Array): Address | undefined {
    const at = this.reserve(data.length);
    if (at !== undefined) this.bytes(at, data.length).set(data);
    return at;
  }

  /** Returns a view, which is valid until the memory grows. */
  bytes(at: Address, count: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#memory.buffer as ArrayBuffer, at, count);
  }
}

/** Largest memory that an idle thread keeps for its next file, in bytes. */
const MAX_KEPT_BYTES = 32 * 2 ** 20;

/** Holds the codec of a thread while it is idle. */
export class IdleCodec<Codec extends { memoryBytes: number }> {
  readonly #make: (module: WebAssembly.Module) => Codec;
  #codec: Codec | undefined;

  constructor(make: (module: WebAssembly.Module) => Codec) {
    this.#make = make;
  }

  /** Runs `work` with a codec. Keeps the codec for the next call unless its memory has become too large. */
  lend<T>(module: WebAssembly.Module, work: (codec: Codec) => T): T {
    const codec = this.#codec ?? this.#make(module);
    this.#codec = undefined;
    const result = work(codec);
    if (codec.memoryBytes <= MAX_KEPT_BYTES) this.#codec = codec;
    return result;
  }
}
