/** Finds the places of a source that may name an image, by the kind of the file (spec/shapes.md, section 18.5). */
import { posix } from 'node:path';
import type { Candidate } from './candidate.ts';

type Reader = (text: string) => Candidate[];

/** By the ends of the file names, in lower case. */
const READERS: ReadonlyMap<string, Reader> = new Map();

/** Whether files of this name are read. */
export function isReadable(path: string): boolean {
  return readerOf(path) !== undefined;
}

/**
 * The places in their order, none within another. Text that is broken is read as far as it can be. Takes time by the length of
 * the text.
 * @param path only its name counts
 * @returns nothing for kinds of files that are not known
 */
export function readCandidates(path: string, text: string): Candidate[] {
  return readerOf(path)?.(text) ?? [];
}

function readerOf(path: string): Reader | undefined {
  const name = posix.basename(path).toLowerCase();
  return READERS.get(name.slice(name.lastIndexOf('.') + 1));
}
