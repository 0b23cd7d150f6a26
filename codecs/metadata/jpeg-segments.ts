/** JPEG as a list of marker segments and scans (ITU-T T.81, annex B). */
import { corruptImage } from '../errors.ts';
import { bufferOf, concat, Reader, uint16 } from './bytes.ts';

export const MARKER = {
  soi: 0xd8,
  eoi: 0xd9,
  sos: 0xda,
  app0: 0xe0,
  app1: 0xe1,
  app2: 0xe2,
  app13: 0xed,
  app14: 0xee,
  app15: 0xef,
  com: 0xfe,
} as const;

/** Maximum bytes of payload in one segment, without its length field. */
export const MAX_PAYLOAD = 0xffff - 2;

/** What the payloads of XMP (part 3) and of ICC profiles (ICC.1, annex B.4) start with. */
export const XMP = 'http://ns.adobe.com/xap/1.0/\0';
export const ICC = 'ICC_PROFILE\0';

/** Writes a segment with its marker and length. The parts have at most {@link MAX_PAYLOAD} bytes. */
export const segmentOf = (marker: number, ...parts: readonly Uint8Array[]): Uint8Array => {
  const payload = concat(parts);
  return concat([Uint8Array.of(0xff, marker), uint16(payload.length + 2), payload]);
};

export interface Segment {
  marker: number;
  /** Offset of the 0xff of the marker. */
  start: number;
  end: number;
  /** The bytes after the length; for a scan, the header only. */
  payload: Uint8Array;
}

/** Whether the marker is application data or a comment. Decoders need none of these but JFIF and Adobe. */
export const isDescriptive = (marker: number): boolean =>
  (marker >= MARKER.app0 && marker <= MARKER.app15) || marker === MARKER.com;

/** Whether the marker is a start of frame, which declares the components. */
export const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/**
 * Yields the segments from the start of image to the end of the first image. A scan's entropy-coded data belong to its
 * segment. Bytes between segments, and everything behind the end of image, belong to no segment.
 * @param from offset of the first segment; default: the one behind the start of image
 * @throws Failure `corrupt_image`
 */
export function* segmentsOf(bytes: Uint8Array, from = 2): Generator<Segment> {
  let segment = segmentAt(startOf(bytes), from);
  while (segment) {
    if (segment.marker === MARKER.sos) segment.end = scanEnd(bufferOf(bytes), segment.end);
    yield segment;
    segment = segmentAt(bytes, segment.end);
  }
}

/** A segment needs only four bytes. No real image has so many in front of its first scan. */
const MAX_HEAD_SEGMENTS = 100_000;

/**
 * Yields the segments in front of the first scan, where all metadata are stored, and the header of that scan. Does not
 * read further.
 * @throws Failure `corrupt_image`
 */
export function* headSegments(bytes: Uint8Array): Generator<Segment> {
  let segment = segmentAt(startOf(bytes), 2);
  for (let count = 0; segment && count < MAX_HEAD_SEGMENTS; count++) {
    yield segment;
    if (segment.marker === MARKER.sos) return;
    segment = segmentAt(bytes, segment.end);
  }
}

function startOf(bytes: Uint8Array): Uint8Array {
  if (new Reader(bytes, 'jpeg').u16(0) !== 0xff00 + MARKER.soi) throw corruptImage('jpeg', 'no start of image');
  return bytes;
}

/**
 * Reads the next segment (a scan without its data), or undefined at the end of the image.
 * @throws Failure `corrupt_image`
 */
function segmentAt(bytes: Uint8Array, at: number): Segment | undefined {
  const start = nextMarker(bufferOf(bytes), at);
  if (start === -1) return undefined;
  const reader = new Reader(bytes, 'jpeg');
  const marker = reader.u8(start + 1);
  if (marker === MARKER.eoi) return undefined;
  const end = start + 2 + reader.u16(start + 2);
  return { marker, start, end, payload: reader.slice(start + 4, end - start - 4) };
}

/** Offset of the 0xff of the next marker that starts a segment or ends the image; -1 at the end of the data. */
function nextMarker(buffer: Buffer, from: number): number {
  let at = buffer.indexOf(0xff, from);
  while (at !== -1) {
    // 0xff may be repeated as fill bytes without limit.
    while (buffer[at + 1] === 0xff) at += 1;
    const code = buffer[at + 1];
    // Codes below 0xc0 are stuffing, TEM and reserved codes; restart markers have no length.
    if (code !== undefined && code >= 0xc0 && !isRestart(code) && code !== MARKER.soi) return at;
    at = buffer.indexOf(0xff, at + 1);
  }
  return -1;
}

const isRestart = (code: number): boolean => code >= 0xd0 && code <= 0xd7;

function scanEnd(buffer: Buffer, from: number): number {
  const end = nextMarker(buffer, from);
  return end === -1 ? buffer.length : end;
}
