/** Decompresses blocks from untrusted files, with limits on the size and the number of the results. */
import { brotliDecompressSync, inflateSync } from 'node:zlib';

/** A compressed kilobyte can unpack to a gigabyte. The largest real profiles and packets have a few megabytes. */
const MAX_BLOCK_BYTES = 16 * 1024 * 1024;
/** A file can hold thousands of such blocks, but needs no more than one of each kind. */
const MAX_BLOCKS = 8;

/** Decompresses the blocks of one file. */
export class Unpacker {
  readonly #blockBytes: number;
  #blocksLeft: number;

  /** The defaults suit blocks of metadata. */
  constructor({ blocks = MAX_BLOCKS, blockBytes = MAX_BLOCK_BYTES }: { blocks?: number; blockBytes?: number } = {}) {
    this.#blocksLeft = blocks;
    this.#blockBytes = blockBytes;
  }

  /** Returns undefined when the data are damaged or too large. */
  inflate(data: Uint8Array): Uint8Array | undefined {
    return this.#unpack(() => inflateSync(data, { maxOutputLength: this.#blockBytes }));
  }

  /** Returns undefined when the data are damaged or too large. */
  unbrotli(data: Uint8Array): Uint8Array | undefined {
    return this.#unpack(() => brotliDecompressSync(data, { maxOutputLength: this.#blockBytes }));
  }

  #unpack(work: () => Buffer): Uint8Array | undefined {
    if (this.#blocksLeft === 0) return undefined;
    this.#blocksLeft -= 1;
    try {
      return new Uint8Array(work());
    } catch {
      return undefined;
    }
  }
}
