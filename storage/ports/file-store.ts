/** Stores the bytes of results, of the sources of jobs and of the originals of scans, by name. */
import type { Readable } from 'node:stream';

/** Bytes from `start` to `end`, both inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Ids become names of files and objects, so characters that could lead elsewhere are not allowed. */
const ID = /^[A-Za-z0-9_]{1,64}$/;

export const isFileId = (text: string): boolean => ID.test(text);

/** @throws TypeError */
export function checkedId(id: string): string {
  if (!isFileId(id)) throw new TypeError(`Not the id of a file: ${id}`);
  return id;
}

/** How a file is sent to those who follow its address. */
export interface SentAs {
  contentType: string;
  contentDisposition: string;
  cacheControl: string;
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
  /** Names of all files, or of those that begin with `prefix`. */
  ids(prefix?: string): AsyncIterable<string>;
  /**
   * Names of files that nobody is about to record any more: those without a record were left by a crash. Ask for the
   * records afterwards.
   */
  settledIds(): Promise<string[]>;
  /** Removes what a crash has left of files that were being written. @param now the time in milliseconds */
  removeLeftovers(now: number): Promise<void>;
  /** Returns an address with which anybody can read a file for some seconds. Only where clients reach the store. */
  address?(id: string, seconds: number, sentAs: SentAs): Promise<string>;
}

/** Opens the store of one kind of files, such as `jobs`. All stores share one quota. */
export type OpenFileStore = (name: string) => Promise<FileStore>;
