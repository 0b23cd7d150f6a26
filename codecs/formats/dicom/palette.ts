/** Palette colours (DICOM PS3.3, C.7.9.1 and C.7.9.2). */
import { corruptImage } from '../../errors.ts';
import { FORMATS } from '../registry.ts';
import type { DataSet } from './elements.ts';
import type { StoredValues } from './stored.ts';
import { readDescriptor, readEntries } from './tables.ts';
import { TAG } from './tags.ts';

const CHANNELS = [
  { descriptor: TAG.redDescriptor, table: TAG.redTable, segments: TAG.redSegments },
  { descriptor: TAG.greenDescriptor, table: TAG.greenTable, segments: TAG.greenSegments },
  { descriptor: TAG.blueDescriptor, table: TAG.blueTable, segments: TAG.blueSegments },
];
const DISCRETE = 0;
const LINEAR = 1;
const INDIRECT = 2;
/** More than any table of 65,536 entries needs. Segments may be empty, so copies of copies of them could be endless. */
const MAX_SEGMENTS = 131_072;

export interface Palette {
  /** The value that the first colour belongs to. */
  first: number;
  /** 8-bit RGB. */
  colours: Uint8Array;
}

/** @throws Failure `corrupt_image` for a missing or impossible palette */
export function readPalette(dataSet: DataSet, signed: boolean): Palette {
  let first = 0;
  let deepest = 0;
  const channels = CHANNELS.map(({ descriptor, table, segments }) => {
    const words = dataSet.words(descriptor);
    if (!words || words.length < 3) throw corruptImage(FORMATS.dicom.name, 'no palette');
    const described = readDescriptor(words, signed);
    first = described.first;
    const coded = described.bits === 8 ? dataSet.bytes(segments) : dataSet.words(segments);
    const entries = coded?.length ? expand(coded, described.count) : readEntries(dataSet, table, described.count);
    for (const entry of entries) if (entry > deepest) deepest = entry;
    return entries;
  });
  const count = Math.max(...channels.map((entries) => entries.length));
  if (count === 0) throw corruptImage(FORMATS.dicom.name, 'an empty palette');

  // The declared depth is often wrong, but only tables of 16 bits have values above 255.
  const shift = deepest > 0xff ? 8 : 0;
  const colours = new Uint8Array(count * 3);
  for (const [channel, entries] of channels.entries()) {
    for (let index = 0; index < entries.length; index++) colours[index * 3 + channel] = entries[index]! >> shift;
  }
  return { first, colours };
}

export function applyPalette(values: StoredValues, { first, colours }: Palette): Uint8Array {
  const last = colours.length / 3 - 1;
  const rgb = new Uint8Array(values.length * 3);
  for (let index = 0, write = 0; index < values.length; index++, write += 3) {
    const entry = values[index]! - first;
    const read = Math.max(0, Math.min(entry, last)) * 3;
    rgb[write] = colours[read]!;
    rgb[write + 1] = colours[read + 1]!;
    rgb[write + 2] = colours[read + 2]!;
  }
  return rgb;
}

/**
 * Expands segments (C.7.9.2): lists of entries, straight lines from the last entry, and copies of earlier segments.
 * @param coded numbers of the size of an entry
 */
function expand(coded: Uint8Array | Uint16Array, count: number): Uint16Array {
  const entries = new Uint16Array(count);
  let filled = 0;
  let steps = 0;

  /** Adds one segment that is not a copy and returns the offset of the next one. */
  const put = (at: number): number => {
    if (++steps > MAX_SEGMENTS) throw corruptImage(FORMATS.dicom.name, 'a palette without end');
    const length = Math.min(coded[at + 1] ?? 0, count - filled);
    if (coded[at] === DISCRETE) {
      entries.set(coded.subarray(at + 2, at + 2 + length), filled);
      filled += length;
      return at + 2 + (coded[at + 1] ?? 0);
    }
    if (coded[at] !== LINEAR || filled === 0) throw corruptImage(FORMATS.dicom.name, 'an impossible palette segment');
    const from = entries[filled - 1]!;
    const to = coded[at + 2] ?? 0;
    const slope = (to - from) / (coded[at + 1] ?? 1);
    for (let step = 1; step <= length; step++) entries[filled++] = Math.round(from + slope * step);
    return at + 3;
  };

  for (let at = 0; at + 1 < coded.length && filled < count; ) {
    if (coded[at] !== INDIRECT) {
      at = put(at);
      continue;
    }
    const { offset, end } = readOffset(coded, at + 2);
    let source = offset;
    for (let copies = coded[at + 1]!; copies > 0 && filled < count; copies--) source = put(source);
    at = end;
  }
  return entries.subarray(0, filled);
}

/** Reads a 32-bit byte offset, stored with its lowest part first. */
function readOffset(coded: Uint8Array | Uint16Array, at: number): { offset: number; end: number } {
  const size = coded.BYTES_PER_ELEMENT;
  let bytes = 0;
  for (let part = 0; part < 4 / size; part++) bytes += (coded[at + part] ?? 0) * 2 ** (8 * size * part);
  if (bytes % size !== 0) throw corruptImage(FORMATS.dicom.name, 'an impossible palette segment');
  return { offset: bytes / size, end: at + 4 / size };
}
