/** Finds places that cameras write as text into their maker notes. The layouts are those that ExifTool documents. */
import type { Range } from './bytes.ts';
import { collectUntilDamage } from './damage.ts';
import { type Field, openTiff, readDirectory, type TiffStream } from './directory.ts';

/** Tags of location, country, state, city, landmark and city again. */
const PANASONIC_PLACES: ReadonlySet<number> = new Set([0x67, 0x69, 0x6b, 0x6d, 0x6f, 0x80]);
/** LocationInfo: country code and place name. */
const NIKON_PLACES: ReadonlySet<number> = new Set([0x39]);

/** Signatures of notes whose directory follows directly, with offsets that count from the start of the EXIF stream. */
const PANASONIC_SIGNATURES = ['Panasonic\0\0\0', 'LEICA\0\0\0'];
/** Followed by two bytes of version, two of padding and an embedded TIFF stream. */
const NIKON_SIGNATURE = 'Nikon\0';
const NIKON_HEADER = 10;

/** Returns the values to wipe as ranges of the EXIF stream. Unreadable notes yield none. */
export function locationInMakerNote(stream: TiffStream, { at, length }: Field): Range[] {
  return collectUntilDamage<Range[]>([], (ranges) => {
    const note = stream.reader.slice(at, length);
    const text = stream.reader.text(at, Math.min(length, 16));
    const panasonic = PANASONIC_SIGNATURES.find((signature) => text.startsWith(signature));
    if (panasonic) {
      ranges.push(...values(readDirectory(stream, at + panasonic.length).fields, PANASONIC_PLACES, 0));
    } else if (text.startsWith(NIKON_SIGNATURE)) {
      const own = openTiff(note.subarray(NIKON_HEADER), 'EXIF');
      ranges.push(...values(readDirectory(own, own.first).fields, NIKON_PLACES, at + NIKON_HEADER));
    }
  });
}

const values = (fields: readonly Field[], tags: ReadonlySet<number>, base: number): Range[] =>
  fields.filter(({ tag }) => tags.has(tag)).map(({ at, length }) => ({ start: base + at, end: base + at + length }));
