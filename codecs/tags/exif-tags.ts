/** Reads EXIF as names and values. */
import { tryParse } from '../metadata/damage.ts';
import { type Field, numbersOf, openTiff, readEntries, type TiffStream } from '../metadata/directory.ts';
import { TAG } from '../metadata/tags.ts';
import { GPS_NAMES, INTEROPERABILITY_NAMES, MAIN_AND_EXIF_NAMES } from './exif-names.ts';
import { DECODERS, plainValue } from './exif-values.ts';
import { describeMakerNote } from './maker-notes.ts';
import type { MetadataBudget, MetadataObject } from './plain.ts';

/** The entries of one directory and the stream that they point into. */
export interface Section {
  stream: TiffStream;
  fields: readonly Field[];
  /** Offset of the next directory of the chain; 0 after the last. */
  next: number;
}

/** The directories of one image, which some cameras store in separate streams. */
export interface ExifSections {
  main?: Section;
  exif?: Section;
  gps?: Section;
  interoperability?: Section;
  /** The thumbnail directory, which follows the first directory. */
  thumbnail?: Section;
  /** Notes stored outside the EXIF directory. */
  makerNote?: { stream: TiffStream; at: number; length: number };
}

/** Reads the directories that a stream starts with and points at. Damaged ones are left out. */
export function exifSections(stream: TiffStream): ExifSections {
  const main = sectionAt(stream, stream.first);
  const exif = childOf(main, TAG.exifIfd);
  // Some writers put the GPS pointer into the EXIF directory.
  const gps = childOf(main, TAG.gpsIfd) ?? childOf(exif, TAG.gpsIfd);
  const interoperability = childOf(exif, TAG.interoperabilityIfd);
  const thumbnail = main && sectionAt(stream, main.next);
  return {
    ...(main ? { main } : {}),
    ...(exif ? { exif } : {}),
    ...(gps ? { gps } : {}),
    ...(interoperability ? { interoperability } : {}),
    ...(thumbnail ? { thumbnail } : {}),
  };
}

/** Reads the sections of an EXIF block; none when it cannot be parsed. */
export const openExifSections = (exif: Uint8Array): ExifSections =>
  tryParse(() => exifSections(openTiff(exif, 'EXIF'))) ?? {};

/** Reads the directory at an offset; undefined when there is none or the offset is 0. Never throws. */
export const sectionAt = (stream: TiffStream, at: number): Section | undefined =>
  tryParse(() => (at === 0 ? undefined : { stream, ...readEntries(stream, at) }));

/** Reads up to `most` directories of the chain that the stream starts with. Never throws. */
export function chainOf(stream: TiffStream, most: number): Section[] {
  const chain: Section[] = [];
  const seen = new Set<number>();
  for (let at = stream.first; !seen.has(at) && chain.length < most; ) {
    const section = sectionAt(stream, at);
    if (!section) break;
    chain.push(section);
    seen.add(at);
    at = section.next;
  }
  return chain;
}

function childOf(section: Section | undefined, tag: number): Section | undefined {
  const at = section && tryParse(() => numberIn(section, tag));
  return at ? sectionAt(section.stream, at) : undefined;
}

/** Returns the first number of an unsigned integer field. @throws Failure `corrupt_image` */
export function numberIn({ stream, fields }: Section, tag: number): number | undefined {
  const field = fields.find((candidate) => candidate.tag === tag);
  return field && numbersOf(stream, field)[0];
}

/**
 * Reads the tags of all directories by ExifTool's names. When several directories have the same tag, the later one in
 * the order main, EXIF, GPS, interoperability wins. Coordinates are in degrees, exposure times in seconds, apertures as
 * f-numbers. Never throws.
 */
export function readExifTags(sections: ExifSections, allowance: MetadataBudget): MetadataObject {
  const { main, exif, gps, interoperability, makerNote } = sections;
  const tags: MetadataObject = {
    ...collect(main, MAIN_AND_EXIF_NAMES, allowance),
    ...collect(exif, MAIN_AND_EXIF_NAMES, allowance),
    ...collect(gps, GPS_NAMES, allowance),
    ...collect(interoperability, INTEROPERABILITY_NAMES, allowance),
  };
  const notes = makerNote ?? noteIn(exif) ?? noteIn(main);
  const make = typeof tags.Make === 'string' ? tags.Make : '';
  if (notes) tags.MakerNote = describeMakerNote(notes.stream, notes, make, allowance);
  return tags;
}

function noteIn(section: Section | undefined): ExifSections['makerNote'] {
  const field = section?.fields.find(({ tag }) => tag === TAG.makerNote);
  return section && field && field.length > 0 ? { stream: section.stream, ...field } : undefined;
}

/** Reads the named tags of one directory, the first of each. */
function collect(
  section: Section | undefined,
  names: ReadonlyMap<number, string>,
  allowance: MetadataBudget,
): MetadataObject {
  const tags: MetadataObject = {};
  if (!section) return tags;
  const { stream, fields } = section;
  for (const field of fields) {
    const name = names.get(field.tag);
    if (name === undefined || name in tags || field.tag === TAG.makerNote) continue;
    if (!allowance.take()) break;
    const value = tryParse(() => (DECODERS[name] ?? plainValue)(stream, field, allowance));
    if (value !== undefined) tags[name] = value;
  }
  return tags;
}
