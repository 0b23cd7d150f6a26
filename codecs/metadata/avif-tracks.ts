/**
 * The movie of an AVIF image sequence (ISO/IEC 14496-12, section 8): removes metadata and moves the offsets of frames.
 */

import { corruptImage } from '../errors.ts';
import { parseLocations } from './avif-items.ts';
import { concat, type Range, type Reader, uint32, uint64 } from './bytes.ts';
import { type Box, box, boxesOf, bytesOfBox, contentOf, readerOf } from './isobmff.ts';

const CONTAINERS: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);
const DROPPED: ReadonlySet<string> = new Set(['meta', 'udta', 'uuid', 'free', 'skip']);
/** Headers that start with the times of creation and modification. */
const TIMED: ReadonlySet<string> = new Set(['mvhd', 'tkhd', 'mdhd']);
/** Box levels from the movie down to the sample table. */
const MAX_LEVELS = 5;
/** Fixed fields of an image's sample entry, in front of its boxes. */
const SAMPLE_ENTRY_FIELDS = 78;
const IMAGE_ENTRY = 'av01';
const PROFILES: ReadonlySet<string> = new Set(['prof', 'rICC']);

/** Whether a `colr` box holds an ICC profile rather than numbers that the decoder needs. */
export const isProfile = (reader: Reader, { type, contentStart }: Box): boolean =>
  type === 'colr' && PROFILES.has(reader.text(contentStart, 4));

/** Returns the ranges of the tracks' own metadata items. @throws Failure `corrupt_image` */
export function trackMetadata(reader: Reader, movie: Box): Range[] {
  return boxesOf(reader, movie.contentStart, movie.end)
    .filter(({ type }) => type === 'trak')
    .flatMap((track) => boxesOf(reader, track.contentStart, track.end).filter(({ type }) => type === 'meta'))
    .flatMap((meta) => boxesOf(reader, meta.contentStart + 4, meta.end).filter(({ type }) => type === 'iloc'))
    .flatMap((locations) => [...parseLocations(reader, locations).values()])
    .filter(({ source }) => source === 'file')
    .flatMap(({ extents }) => extents.map(({ offset, length }) => ({ start: offset, end: offset + length })));
}

export interface MovieChanges {
  keepProfiles: boolean;
  /** Maps an offset in the old file to the new one. */
  moved: (offset: number) => number;
}

/** Copies the box and its content without metadata, with new chunk offsets. @throws Failure `corrupt_image` */
export function rewriteMovie(reader: Reader, found: Box, changes: MovieChanges, level = 0): Uint8Array {
  if (level > MAX_LEVELS) throw corruptImage(reader.format, 'boxes in boxes');
  const { type, contentStart, end } = found;
  if (CONTAINERS.has(type)) {
    const children = boxesOf(reader, contentStart, end).filter((child) => !DROPPED.has(child.type));
    return box(type, ...children.map((child) => rewriteMovie(reader, child, changes, level + 1)));
  }
  if (TIMED.has(type)) return withoutTimes(reader, found);
  if (type === 'stco' || type === 'co64') return movedChunks(reader, found, changes.moved);
  if (type === 'stsd' && !changes.keepProfiles) return withoutProfiles(reader, found);
  return bytesOfBox(reader, found);
}

function withoutTimes(reader: Reader, found: Box): Uint8Array {
  const content = contentOf(reader, found).slice();
  const timeSize = content[0] === 1 ? 8 : 4;
  content.fill(0, 4, 4 + 2 * timeSize);
  return box(found.type, content);
}

function movedChunks(file: Reader, found: Box, moved: (offset: number) => number): Uint8Array {
  const reader = readerOf(file, found);
  const size = found.type === 'stco' ? 4 : 8;
  const offsets = reader.slice(8, reader.u32(4) * size).slice();
  for (let at = 0; at < offsets.length; at += size) {
    offsets.set(size === 4 ? uint32(moved(reader.u32(8 + at))) : uint64(moved(reader.u64(8 + at))), at);
  }
  return box(found.type, reader.slice(0, 8), offsets);
}

function withoutProfiles(reader: Reader, { type, contentStart, end }: Box): Uint8Array {
  const entries = boxesOf(reader, contentStart + 8, end).map((entry) => {
    const fieldsEnd = entry.contentStart + SAMPLE_ENTRY_FIELDS;
    if (entry.type !== IMAGE_ENTRY) return bytesOfBox(reader, entry);
    const children = boxesOf(reader, fieldsEnd, entry.end).filter((child) => !isProfile(reader, child));
    const fields = reader.slice(entry.contentStart, SAMPLE_ENTRY_FIELDS);
    return box(entry.type, fields, ...children.map((child) => bytesOfBox(reader, child)));
  });
  return box(type, concat([reader.slice(contentStart, 8), ...entries]));
}
