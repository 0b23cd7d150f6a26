/**
 * Writes AVIF image sequences (ISO/IEC 14496-12, section 8; ISO/IEC 23008-12, section 7; AV1-ISOBMFF) around frames that
 * are coded each on their own. Readers without animation show the first frame.
 */
import type { Size } from '../../base/geometry.ts';
import type { Timing } from '../decoded-image.ts';
import { bytesOf, concat, uint16, uint32, uint64 } from '../metadata/bytes.ts';
import { box, fullBox } from '../metadata/isobmff.ts';
import type { CodedTrack } from './sequence.ts';
import { ALPHA_TYPE, stillMeta } from './still-file.ts';

export interface SequenceFile extends Size {
  colour: CodedTrack;
  alpha: CodedTrack | undefined;
  timing: Timing;
}

/** Times are in milliseconds. */
const TIMESCALE = 1000;
/** The language "und" (ISO/IEC 14496-12, 8.4.2.3). */
const UNDETERMINED = 0x55c4;
const FIXED_ONE = 0x10000;
const UNITY = concat([FIXED_ONE, 0, 0, 0, FIXED_ONE, 0, 0, 0, 0x40000000].map((value) => uint32(value)));
/** The duration of a track that is repeated for ever: all bits set. */
const ENDLESS = concat([uint32(0xffffffff), uint32(0xffffffff)]);
/** All frames are intra coded, intra prediction is used, and no frame refers to another (ISO/IEC 23008-12, 7.2.3). */
const INTRA_ONLY = 0xc0000000;
const FLAG = { enabled: 1, selfContained: 1, repeated: 1, visual: 1 } as const;
const DEPTH = 24;
const SEVENTY_TWO_DPI = 0x480000;
const BOX_HEADER = 8;
const COLOUR_TRACK = 1;
const ALPHA_TRACK = 2;

/**
 * Both tracks have as many samples as the timing has frames. The samples of a frame follow each other, so that a file
 * that ends early has whole frames.
 */
export function sequenceFile(sequence: SequenceFile): Uint8Array {
  const { colour, alpha } = sequence;
  const type = box('ftyp', bytesOf('avis'), uint32(0), bytesOf('avifavismsf1iso8mif1miaf'));
  const data = colour.samples.flatMap((sample, index) => (alpha ? [sample, alpha.samples[index]!] : [sample]));
  const headAt = (start: number) => {
    const offsets = offsetsOf(data, start);
    const perFrame = alpha ? 2 : 1;
    const ofTrack = (track: number) => offsets.filter((_, index) => index % perFrame === track);
    const first = (track: CodedTrack) => ({ configuration: track.configuration, data: track.samples[0]! });
    const meta = stillMeta(
      { ...sequence, colour: { ...first(colour), colours: colour.colours }, alpha: alpha && first(alpha) },
      [offsets[0]!, offsets[1]!],
    );
    const tracks = [
      trackBox(sequence, colour, COLOUR_TRACK, ofTrack(0)),
      ...(alpha ? [trackBox(sequence, alpha, ALPHA_TRACK, ofTrack(1))] : []),
    ];
    return concat([type, meta, box('moov', movieHeader(sequence), ...tracks)]);
  };
  const start = headAt(0).length + BOX_HEADER;
  return concat([headAt(start), box('mdat', ...data)]);
}

function offsetsOf(samples: readonly Uint8Array[], start: number): number[] {
  let at = start;
  return samples.map(({ length }) => {
    at += length;
    return at - length;
  });
}

const lengthOf = ({ delays }: Timing): number => delays.reduce((sum, delay) => sum + delay, 0);

/** The duration of all plays. */
const durationOf = (timing: Timing): Uint8Array =>
  timing.loop === 0 ? ENDLESS : uint64(lengthOf(timing) * timing.loop);

const NO_TIMES = new Uint8Array(16);

const movieHeader = ({ timing }: SequenceFile): Uint8Array =>
  fullBox(
    'mvhd',
    1,
    0,
    ...[NO_TIMES, uint32(TIMESCALE), durationOf(timing), uint32(FIXED_ONE), uint16(0x100), new Uint8Array(10)],
    ...[UNITY, new Uint8Array(24), uint32(ALPHA_TRACK + 1)],
  );

function trackBox(
  { width, height, timing }: SequenceFile,
  track: CodedTrack,
  id: number,
  offsets: readonly number[],
): Uint8Array {
  const isAlpha = id === ALPHA_TRACK;
  const size = [uint32(width * FIXED_ONE), uint32(height * FIXED_ONE)];
  const edit = concat([uint32(1), uint64(lengthOf(timing)), uint64(0), uint32(FIXED_ONE)]);
  const handler = isAlpha ? 'auxv' : 'pict';
  return box(
    'trak',
    fullBox(
      'tkhd',
      1,
      FLAG.enabled,
      ...[NO_TIMES, uint32(id), uint32(0), durationOf(timing), new Uint8Array(16), UNITY, ...size],
    ),
    ...(isAlpha ? [box('tref', box('auxl', uint32(COLOUR_TRACK)))] : []),
    box('edts', fullBox('elst', 1, FLAG.repeated, edit)),
    box(
      'mdia',
      fullBox('mdhd', 1, 0, NO_TIMES, uint32(TIMESCALE), uint64(lengthOf(timing)), uint16(UNDETERMINED), uint16(0)),
      fullBox('hdlr', 0, 0, uint32(0), bytesOf(handler), new Uint8Array(13)),
      box(
        'minf',
        fullBox('vmhd', 0, FLAG.visual, new Uint8Array(8)),
        box('dinf', fullBox('dref', 0, 0, uint32(1), fullBox('url ', 0, FLAG.selfContained))),
        sampleTable({ width, height }, track, { timing, isAlpha, offsets }),
      ),
    ),
  );
}

function sampleTable(
  size: Size,
  track: CodedTrack,
  { timing, isAlpha, offsets }: { timing: Timing; isAlpha: boolean; offsets: readonly number[] },
): Uint8Array {
  const { samples } = track;
  const count = uint32(samples.length);
  const times = timing.delays.flatMap((delay) => [uint32(1), uint32(delay)]);
  return box(
    'stbl',
    fullBox('stsd', 0, 0, uint32(1), sampleEntry(size, track, isAlpha)),
    fullBox('stts', 0, 0, count, ...times),
    // One sample per chunk.
    fullBox('stsc', 0, 0, uint32(1), uint32(1), uint32(1), uint32(1)),
    fullBox('stsz', 0, 0, uint32(0), count, ...samples.map(({ length }) => uint32(length))),
    fullBox('stco', 0, 0, count, ...offsets.map((offset) => uint32(offset))),
  );
}

function sampleEntry({ width, height }: Size, track: CodedTrack, isAlpha: boolean): Uint8Array {
  return box(
    'av01',
    ...[new Uint8Array(6), uint16(1), new Uint8Array(16), uint16(width), uint16(height)],
    ...[uint32(SEVENTY_TWO_DPI), uint32(SEVENTY_TWO_DPI), uint32(0), uint16(1), new Uint8Array(32)],
    ...[uint16(DEPTH), uint16(0xffff), track.configuration, ...track.colours],
    fullBox('ccst', 0, 0, uint32(INTRA_ONLY)),
    ...(isAlpha ? [fullBox('auxi', 0, 0, bytesOf(`${ALPHA_TYPE}\0`))] : []),
  );
}
