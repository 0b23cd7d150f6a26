/**
 * Reads AVIF image sequences (ISO/IEC 14496-12, section 8; ISO/IEC 23008-12, section 7): the samples of the colour track
 * and of its alpha track. Only the structure is read.
 */
import type { Size } from '../../base/geometry.ts';
import { Reader } from '../metadata/bytes.ts';
import { tryParse } from '../metadata/damage.ts';
import { type Box, boxesOf, bytesOfBox, presentBoxes } from '../metadata/isobmff.ts';

export interface CodedTrack {
  /** The box `av1C`. */
  configuration: Uint8Array;
  /** Boxes `colr`. */
  colours: Uint8Array[];
  /** One temporal unit (AV1, section 7.5) per frame. */
  samples: Uint8Array[];
}

export interface ImageSequence extends Size {
  colour: CodedTrack;
  alpha: CodedTrack | undefined;
  /** In whole milliseconds, one per frame. */
  delays: number[];
  /** Number of plays; 0 is for ever. */
  plays: number;
  /** Samples are missing at the end. */
  endsEarly: boolean;
  /** Whether every frame is coded without reference to others. */
  isIntra: boolean;
}

interface Track extends Size, CodedTrack {
  /** Whether every frame is coded without reference to others. */
  isIntra: boolean;
  handler: string;
  durations: number[];
  timescale: number;
  plays: number;
  count: number;
}

/** Larger numbers are not read: each frame costs a view of its bytes. */
const MAX_SAMPLES = 100_000;
const FULL_BOX = 4;
/** Fixed fields of an image's sample entry, in front of its boxes; the size is at 24. */
const SAMPLE_ENTRY_FIELDS = 78;
const SIZE_AT = 24;
/** Flag of `elst`: the edit is repeated until the duration of the track is reached. */
const REPEATED = 1;

/**
 * Reads the sequence of a file.
 * @returns undefined for a file without one, and for a truncated one whose frames refer to others
 */
export function readSequence(bytes: Uint8Array): ImageSequence | undefined {
  const reader = new Reader(bytes, 'avif');
  const tracks = tryParse(() => tracksOf(reader));
  const colour = tracks?.find(({ handler }) => handler === 'pict');
  const alpha = tracks?.find(({ handler }) => handler === 'auxv');
  if (!colour || colour.samples.length === 0) return undefined;
  const isIntra = colour.isIntra && (alpha?.isIntra ?? true);
  const { width, height, timescale, durations, plays, count } = colour;
  const frames = Math.min(colour.samples.length, alpha?.samples.length ?? Number.POSITIVE_INFINITY);
  const endsEarly = frames < count;
  if (frames === 0 || (endsEarly && !isIntra)) return undefined;
  return {
    ...{ width, height, plays, isIntra, endsEarly },
    colour,
    alpha,
    delays: delaysOf(durations.slice(0, frames), timescale),
  };
}

/** Rounding errors are carried over, so that the total does not drift. */
function delaysOf(durations: readonly number[], timescale: number): number[] {
  let exact = 0;
  let rounded = 0;
  return durations.map((duration) => {
    exact += (1000 * duration) / timescale;
    const delay = Math.round(exact) - rounded;
    rounded += delay;
    return delay;
  });
}

const inside = (reader: Reader, found: Box | undefined, skipped = 0): Box[] =>
  found ? boxesOf(reader, found.contentStart + skipped, found.end) : [];

const child = (boxes: readonly Box[], type: string): Box | undefined => boxes.find((found) => found.type === type);

function tracksOf(reader: Reader): Track[] {
  const movie = inside(reader, child(presentBoxes(reader), 'moov'));
  return movie.filter(({ type }) => type === 'trak').flatMap((track) => trackOf(reader, track) ?? []);
}

function trackOf(reader: Reader, track: Box): Track | undefined {
  const parts = inside(reader, track);
  const media = inside(reader, child(parts, 'mdia'));
  const table = inside(reader, child(inside(reader, child(media, 'minf')), 'stbl'));
  const [handler, header, entries, sizes, times] = [
    child(media, 'hdlr'),
    child(media, 'mdhd'),
    child(table, 'stsd'),
    child(table, 'stsz'),
    child(table, 'stts'),
  ];
  if (!handler || !header || !entries || !sizes || !times) return undefined;
  const entry = child(inside(reader, entries, 2 * FULL_BOX), 'av01');
  if (!entry) return undefined;
  const settings = boxesOf(reader, entry.contentStart + SAMPLE_ENTRY_FIELDS, entry.end);
  const configuration = child(settings, 'av1C');
  const timescale = reader.u32(header.contentStart + (reader.u8(header.contentStart) === 1 ? 20 : 12));
  const count = reader.u32(sizes.contentStart + 8);
  if (!configuration || timescale === 0 || count === 0 || count > MAX_SAMPLES) return undefined;
  const sync = child(table, 'stss');
  return {
    handler: reader.text(handler.contentStart + 8, 4),
    width: reader.u16(entry.contentStart + SIZE_AT),
    height: reader.u16(entry.contentStart + SIZE_AT + 2),
    configuration: bytesOfBox(reader, configuration),
    colours: settings.filter(({ type }) => type === 'colr').map((found) => bytesOfBox(reader, found)),
    samples: samplesOf(reader, table, sizes, count),
    isIntra: sync === undefined || reader.u32(sync.contentStart + FULL_BOX) === count,
    durations: durationsOf(reader, times, count),
    plays: playsOf(reader, parts),
    ...{ timescale, count },
  };
}

function durationsOf(reader: Reader, { contentStart }: Box, count: number): number[] {
  const durations: number[] = [];
  const entries = reader.u32(contentStart + FULL_BOX);
  for (let entry = 0; entry < entries && durations.length < count; entry += 1) {
    const at = contentStart + 2 * FULL_BOX + 8 * entry;
    const repeats = Math.min(reader.u32(at), count - durations.length);
    for (let index = 0; index < repeats; index += 1) durations.push(reader.u32(at + 4));
  }
  while (durations.length < count) durations.push(0);
  return durations;
}

/** Returns the samples that the file has completely, up to the first that is missing. */
function samplesOf(reader: Reader, table: readonly Box[], sizes: Box, count: number): Uint8Array[] {
  const samples: Uint8Array[] = [];
  const uniform = reader.u32(sizes.contentStart + FULL_BOX);
  const sizeOf = (index: number) => uniform || reader.u32(sizes.contentStart + 12 + 4 * index);
  tryParse(() => {
    for (const { offset, perChunk } of chunksOf(reader, table)) {
      let at = offset;
      for (let place = 0; place < perChunk && samples.length < count; place += 1) {
        const size = sizeOf(samples.length);
        samples.push(reader.slice(at, size));
        at += size;
      }
    }
  });
  return samples;
}

/** Yields the offset of each chunk in the file, and its number of samples (ISO/IEC 14496-12, 8.7.4 and 8.7.5). */
function* chunksOf(reader: Reader, table: readonly Box[]): Generator<{ offset: number; perChunk: number }> {
  const [short, long, runs] = [child(table, 'stco'), child(table, 'co64'), child(table, 'stsc')];
  const offsets = short ?? long;
  if (!offsets || !runs) return;
  const [chunks, entries] = [offsets, runs].map(({ contentStart }) => reader.u32(contentStart + FULL_BOX)) as [
    number,
    number,
  ];
  const run = (entry: number) => runs.contentStart + 2 * FULL_BOX + 12 * entry;
  let entry = 0;
  for (let chunk = 0; chunk < Math.min(chunks, MAX_SAMPLES); chunk += 1) {
    // Chunks are counted from 1.
    while (entry + 1 < entries && reader.u32(run(entry + 1)) <= chunk + 1) entry += 1;
    const at = offsets.contentStart + 2 * FULL_BOX;
    const offset = short ? reader.u32(at + 4 * chunk) : reader.u64(at + 8 * chunk);
    yield { offset, perChunk: reader.u32(run(entry) + 4) };
  }
}

/**
 * An edit that is repeated plays until the duration of the track is reached, which is unknown (all bits set) for an
 * animation without end (ISO/IEC 23008-12, section 9.6).
 */
function playsOf(reader: Reader, track: readonly Box[]): number {
  const [header, edits] = [child(track, 'tkhd'), child(inside(reader, child(track, 'edts')), 'elst')];
  if (!header || !edits || (reader.u24(edits.contentStart + 1) & REPEATED) === 0) return 1;
  const isWide = reader.u8(header.contentStart) === 1;
  const duration = isWide ? reader.u64(header.contentStart + 28) : reader.u32(header.contentStart + 20);
  const isEndless = isWide ? duration >= 2 ** 64 - 2 ** 11 : duration === 2 ** 32 - 1;
  if (isEndless) return 0;
  const isWideEdit = reader.u8(edits.contentStart) === 1;
  const once = isWideEdit ? reader.u64(edits.contentStart + 8) : reader.u32(edits.contentStart + 8);
  return once > 0 ? Math.max(1, Math.round(duration / once)) : 0;
}
