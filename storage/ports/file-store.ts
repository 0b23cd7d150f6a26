/** Stores the bytes of results, of the sources of jobs and of the originals of scans, by name. */
import type { Readable } from 'node:stream';

/** Bytes from `start` to `end`, both inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Data about a file to be stored. */
export interface NewFile {
  /** The account that owns it. Default: derived from its name. */
  accountId?: string;
  /** Bytes of files of the same account that will be removed once this one is stored. */
  replacedBytes?: number;
}

export interface FileStore {
  /** Bytes of all files. */
  readonly usedBytes: number;
  /**
   * Stores a file. It becomes visible completely or, when this throws, not at all.
   * @throws Failure `storage_full`
   */
  put(id: string, data: Uint8Array, file?: NewFile): Promise<void>;
  /**
   * Stores a file from a stream of bytes. Space is reserved as they arrive. Errors of `chunks` are passed on.
   * @returns the number of bytes
   * @throws Failure `storage_full`
   */
  putStream(id: string, chunks: AsyncIterable<Uint8Array>, file?: NewFile): Promise<number>;
  /** Opens a file as a stream; undefined when it does not exist. The caller must consume or destroy the stream. */
  open(id: string, range?: ByteRange): Promise<Readable | undefined>;
  /** Removes a file. A missing file is not an error. */
  remove(id: string): Promise<void>;
  ids(): Iterable<string>;
  /** Removes partial files left by a crash, if they were last written at or before `time` (milliseconds). */
  removeLeftovers(time: number): Promise<void>;
}

/** Opens the store of one kind of files, such as `jobs`. All stores share one quota. */
export type OpenFileStore = (name: string) => Promise<FileStore>;
