/** Lookup tables (DICOM PS3.3, C.11.1 and C.11.2). */
import type { DataSet } from './elements.ts';

const MAX_ENTRIES = 65_536;

export interface LookupTable {
  /** The value of the first entry. Lower values take the first entry; values behind the last entry take the last. */
  first: number;
  entries: Uint16Array;
  /** The largest value that an entry could have. */
  most: number;
}

/** Reads the three numbers that describe a table (C.11.1.1.1). */
export function readDescriptor(words: Uint16Array, signed: boolean): { count: number; first: number; bits: number } {
  const first = words[1] ?? 0;
  return { count: words[0] || MAX_ENTRIES, first: signed ? (first << 16) >> 16 : first, bits: words[2] ?? 16 };
}

/**
 * Reads the entries of a table: a word each, or a byte each where there are too few bytes for words.
 * @returns at most `count` entries
 */
export function readEntries(dataSet: DataSet, tag: number, count: number): Uint16Array {
  const bytes = dataSet.bytes(tag);
  if (bytes && bytes.length < count * 2 && bytes.length >= count) return new Uint16Array(bytes.subarray(0, count));
  return dataSet.words(tag)?.subarray(0, count) ?? new Uint16Array();
}

/** @param signed whether the values that are looked up may be negative */
export function readTable(
  dataSet: DataSet,
  descriptorTag: number,
  dataTag: number,
  signed: boolean,
): LookupTable | undefined {
  const words = dataSet.words(descriptorTag);
  if (!words || words.length < 3) return undefined;
  const vr = dataSet.get(descriptorTag)?.vr;
  const { count, first, bits } = readDescriptor(words, vr === 'SS' || (vr !== 'US' && signed));
  const entries = readEntries(dataSet, dataTag, count);
  if (entries.length === 0) return undefined;
  let largest = 0;
  for (const entry of entries) if (entry > largest) largest = entry;
  // Some writers declare 16 bits and use 8, or the reverse.
  const declared = bits >= 1 && bits <= 16 ? 2 ** bits - 1 : 0xffff;
  return { first, entries, most: Math.max(declared, largest) };
}

export function lookUp({ first, entries }: LookupTable, value: number): number {
  const index = Math.round(value) - first;
  return entries[index < 0 ? 0 : index >= entries.length ? entries.length - 1 : index]!;
}
