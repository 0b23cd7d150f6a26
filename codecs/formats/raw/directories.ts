/** Reads the directories of TIFF-based camera raws, with bounded work for the main thread. */
import { tryParse } from '../../metadata/damage.ts';
import { type Directory, fieldOf, numbersOf, readEntries, type TiffStream } from '../../metadata/directory.ts';

const SUB_DIRECTORIES = 330;
/** Real cameras write five or six. */
const MAX_DIRECTORIES = 24;
const MAX_ENTRIES = 2_000;
/** Enough for an image of 100 megapixels in tiles of 256 x 256. */
const MAX_NUMBERS = 4_096;

type Entries = Pick<Directory, 'fields'>;

/**
 * Returns the directories of the chain and those below them, starting with the first. Those outside the file are left
 * out.
 */
export function rawDirectories(stream: TiffStream): Entries[] {
  const found: Entries[] = [];
  const waiting = [stream.first];
  const seen = new Set<number>();
  for (let at = waiting.shift(); at !== undefined && found.length < MAX_DIRECTORIES; at = waiting.shift()) {
    if (at === 0 || seen.has(at)) continue;
    seen.add(at);
    const directory = tryParse(() => entriesAt(stream, at!));
    if (!directory) continue;
    found.push(directory);
    waiting.push(...numbersIn(stream, directory, SUB_DIRECTORIES).slice(0, MAX_DIRECTORIES), directory.next);
  }
  return found;
}

function entriesAt(stream: TiffStream, at: number) {
  const { reader, big } = stream;
  const count = big ? reader.u64(at) : reader.u16(at);
  return count > MAX_ENTRIES ? undefined : readEntries(stream, at);
}

/** Returns the unsigned integers of a tag; none where it is missing or damaged. */
export function numbersIn(stream: TiffStream, { fields }: Entries, tag: number): number[] {
  const field = fieldOf({ fields } as Directory, tag);
  if (!field || field.count > MAX_NUMBERS) return [];
  return tryParse(() => numbersOf(stream, field)) ?? [];
}

export const numberIn = (stream: TiffStream, directory: Entries, tag: number): number | undefined =>
  numbersIn(stream, directory, tag)[0];

export const RAW_TAG = {
  newSubfileType: 254,
  width: 256,
  height: 257,
  compression: 259,
  photometric: 262,
  make: 271,
  stripOffsets: 273,
  orientation: 274,
  stripByteCounts: 279,
  tileOffsets: 324,
  tileByteCounts: 325,
  subDirectories: SUB_DIRECTORIES,
  leafData: 34310,
  dngVersion: 50706,
} as const;

/** Photometric interpretations of sensor data (DNG 1.7.1, PhotometricInterpretation). */
const SENSOR_DATA = [32803, 34892];

export function holdsSensorData(stream: TiffStream, directory: Entries): boolean {
  const photometric = numberIn(stream, directory, RAW_TAG.photometric);
  return photometric !== undefined && SENSOR_DATA.includes(photometric);
}

const REDUCED_RESOLUTION = 1;

/** Whether the directory is a thumbnail or preview rather than the main image. */
export const isReduced = (stream: TiffStream, directory: Entries): boolean =>
  ((numberIn(stream, directory, RAW_TAG.newSubfileType) ?? 0) & REDUCED_RESOLUTION) !== 0;
