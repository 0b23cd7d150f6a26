/** EXIF as names and values. */
import { attempt, tolerate } from '../metadata/damage.ts';
import { type Field, numbersOf, openTiff, readFields, type TiffStream } from '../metadata/directory.ts';
import { TAG } from '../metadata/tags.ts';
import { GPS_NAMES, INTEROPERABILITY_NAMES, MAIN_AND_EXIF_NAMES } from './exif-names.ts';
import { DECODERS, plainValue, textIn } from './exif-values.ts';
import { describeMakerNote } from './maker-notes.ts';
import type { Allowance, PlainObject } from './plain.ts';

/** The entries of one directory, in the stream that they point into. */
export interface Section {
  stream: TiffStream;
  fields: readonly Field[];
}

/** The directories of one picture, which some cameras keep in files of their own. */
export interface ExifSections {
  main?: Section;
  exif?: Section;
  gps?: Section;
  interoperability?: Section;
  /** Where the notes stand, if not in the EXIF directory. */
  makerNote?: Section;
}

/** The directories that a stream starts with and points at. A damaged one is left out. */
export function exifSections(stream: TiffStream): ExifSections {
  const main = sectionAt(stream, stream.first);
  const exif = childOf(main, TAG.exifIfd);
  // Some writers let the EXIF directory point at the place.
  const gps = childOf(main, TAG.gpsIfd) ?? childOf(exif, TAG.gpsIfd);
  const interoperability = childOf(exif, TAG.interoperabilityIfd);
  return {
    ...(main ? { main } : {}),
    ...(exif ? { exif } : {}),
    ...(gps ? { gps } : {}),
    ...(interoperability ? { interoperability } : {}),
  };
}

/** The sections of an EXIF block; none when it cannot be understood. */
export function openExifSections(exif: Uint8Array): ExifSections {
  return attempt(() => exifSections(openTiff(exif, 'EXIF'))) ?? {};
}

export function sectionAt(stream: TiffStream, at: number): Section | undefined {
  return attempt(() => (at === 0 ? undefined : { stream, fields: readFields(stream, at) }));
}

function childOf(section: Section | undefined, tag: number): Section | undefined {
  const at = section && attempt(() => numberIn(section, tag));
  return at ? sectionAt(section.stream, at) : undefined;
}

/** First number of an unsigned integer field. @throws Failure `corrupt_image` */
export function numberIn({ stream, fields }: Section, tag: number): number | undefined {
  const field = fields.find((candidate) => candidate.tag === tag);
  return field && numbersOf(stream, field)[0];
}

/**
 * The tags of all directories by ExifTool's names; where two of them hold the same one, that of the EXIF directory.
 * Coordinates are in degrees, times of exposure in seconds, apertures as f-numbers. Never throws.
 */
export function readExifTags(sections: ExifSections, allowance: Allowance): PlainObject {
  const tags: PlainObject = {};
  const { main, exif, gps, interoperability, makerNote } = sections;
  collect(main, MAIN_AND_EXIF_NAMES, tags, allowance);
  collect(exif, MAIN_AND_EXIF_NAMES, tags, allowance);
  collect(gps, GPS_NAMES, tags, allowance);
  collect(interoperability, INTEROPERABILITY_NAMES, tags, allowance);
  const notes = makerNote ?? exif;
  const field = notes?.fields.find(({ tag }) => tag === TAG.makerNote);
  if (notes && field && field.length > 0) {
    const make = typeof tags.Make === 'string' ? tags.Make : '';
    tags.MakerNote = describeMakerNote(notes.stream, field, make, allowance);
  }
  return tags;
}

function collect(
  section: Section | undefined,
  names: ReadonlyMap<number, string>,
  tags: PlainObject,
  allowance: Allowance,
): void {
  if (!section) return;
  const { stream, fields } = section;
  for (const field of fields) {
    const name = names.get(field.tag);
    if (name === undefined || field.tag === TAG.makerNote) continue;
    if (!allowance.take()) return;
    const value = attempt(() => (DECODERS[name] ?? plainValue)(stream, field, allowance));
    if (value !== undefined) tags[name] = value;
  }
}

/** The first text of a tag in the sections, for those who need one value only. */
export function textOf(section: Section | undefined, tag: number): string {
  const field = section?.fields.find((candidate) => candidate.tag === tag);
  return field && section
    ? tolerate({ text: '' }, (found) => {
        found.text = textIn(section.stream, field).trim();
      }).text
    : '';
}
