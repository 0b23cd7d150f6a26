/**
 * Reads numbers from the directories of a TIFF or BigTIFF with bounded work for the main thread (TIFF 6.0, section 2).
 * Everything else about directories is in metadata/directory.ts.
 */
import { imageTooLarge } from '../../errors.ts';
import { Reader } from '../../metadata/bytes.ts';
import { tryParse } from '../../metadata/damage.ts';

const LITTLE_ENDIAN = 0x4949;
const BIG_MAGIC = 43;
/** A hostile file can hold three million empty directories, or one of 500,000 entries. */
const MAX_DIRECTORIES = 1_000;
const MAX_ENTRIES = 100_000;

/** Maps each requested tag to its first number. */
export type TiffTags = ReadonlyMap<number, number>;

/**
 * Reads tags of the directories.
 * @param bytes with the signature of a TIFF
 * @param directories how many to read, in order, one per page
 * @throws Failure `corrupt_image` when a directory is not inside the file
 */
export function readTiffTags(bytes: Uint8Array, wanted: readonly number[], directories = MAX_DIRECTORIES): TiffTags[] {
  const reader = new Reader(bytes, 'TIFF', new Reader(bytes, 'TIFF').u16(0) === LITTLE_ENDIAN);
  const big = reader.u16(2) === BIG_MAGIC;
  const offset = (at: number) => (big ? reader.u64(at) : reader.u32(at));
  const entryBytes = big ? 20 : 12;
  const valueAt = big ? 12 : 8;
  const valueBytes = big ? 8 : 4;

  const found: TiffTags[] = [];
  let entriesLeft = MAX_ENTRIES;
  for (let at = offset(big ? 8 : 4); at !== 0 && found.length < directories; ) {
    const count = big ? reader.u64(at) : reader.u16(at);
    entriesLeft -= count;
    if (entriesLeft < 0) break;
    const entriesAt = at + (big ? 8 : 2);
    const tags = new Map<number, number>();
    for (let entry = 0; entry < count; entry++) {
      const entryAt = entriesAt + entry * entryBytes;
      const tag = reader.u16(entryAt);
      if (!wanted.includes(tag)) continue;
      const type = reader.u16(entryAt + 2);
      const values = big ? reader.u64(entryAt + 4) : reader.u32(entryAt + 4);
      // Values that do not fit are stored elsewhere, and the field holds their offset.
      const isApart = values * (TYPE_BYTES[type] ?? 0) > valueBytes;
      const value = firstNumber(reader, type, isApart ? offset(entryAt + valueAt) : entryAt + valueAt);
      if (value !== undefined) tags.set(tag, value);
    }
    found.push(tags);
    at = offset(entriesAt + count * entryBytes);
  }
  return found;
}

/**
 * Largest number of pages. Decoders read every directory to count the pages, in 70 µs each, and a file of 20 MB can
 * have three million.
 */
export const MAX_TIFF_PAGES = 10_000;

/**
 * Counts the directories without reading their tags. Stops at the first directory that it has seen before, like
 * libtiff. Leaves damage to the decoder.
 * @throws Failure `image_too_large` when there are more pages than {@link MAX_TIFF_PAGES}
 */
export function checkTiffPages(bytes: Uint8Array): void {
  const met = new Set<number>();
  tryParse(() => {
    for (const at of directoryOffsets(bytes)) {
      if (met.has(at) || met.size > MAX_TIFF_PAGES) return;
      met.add(at);
    }
  });
  if (met.size > MAX_TIFF_PAGES) throw imageTooLarge(`${MAX_TIFF_PAGES} pages`, 'more');
}

function* directoryOffsets(bytes: Uint8Array): Generator<number> {
  const reader = new Reader(bytes, 'TIFF', new Reader(bytes, 'TIFF').u16(0) === LITTLE_ENDIAN);
  const big = reader.u16(2) === BIG_MAGIC;
  const offset = (at: number) => (big ? reader.u64(at) : reader.u32(at));
  for (let at = offset(big ? 8 : 4); at !== 0; ) {
    yield at;
    at = offset(big ? at + 8 + reader.u64(at) * 20 : at + 2 + reader.u16(at) * 12);
  }
}

/** Bytes per value, by type; only for numeric types. */
const TYPE_BYTES: Record<number, number> = { 1: 1, 3: 2, 4: 4, 16: 8 };

function firstNumber(reader: Reader, type: number, at: number): number | undefined {
  switch (type) {
    case 1: // BYTE
      return reader.u8(at);
    case 3: // SHORT
      return reader.u16(at);
    case 4: // LONG
      return reader.u32(at);
    case 16: // LONG8
      return reader.u64(at);
    default:
      return undefined;
  }
}
