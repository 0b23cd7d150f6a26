/** Packs the files of a result into one ZIP. */
import { type Zippable, zipSync } from 'fflate';
import { transferable } from './transferable.ts';

export interface PackedFile {
  name: string;
  bytes: Uint8Array;
  /** Whether deflate makes it smaller. Most image formats are compressed already. */
  isCompressible: boolean;
}

/** The earliest time that a ZIP can store, in every time zone, so that the same files give the same bytes. */
const NO_TIME = new Date(1980, 0, 1);

/** @returns the ZIP, and the names of its files in order */
export function packFiles(files: readonly PackedFile[]): { data: ArrayBuffer; files: string[] } {
  const packed: Zippable = Object.fromEntries(
    files.map(({ name, bytes, isCompressible }) => [name, [bytes, { level: isCompressible ? 9 : 0, mtime: NO_TIME }]]),
  );
  return { data: transferable(zipSync(packed)), files: Object.keys(packed) };
}
