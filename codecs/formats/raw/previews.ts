/**
 * Finds the JPEG previews in camera raws. Every maker stores them elsewhere, half of them in undocumented notes, but
 * each starts and ends like a JPEG file; so the whole file is searched.
 */
import { readJpegFrame } from '../../jpeg-frame.ts';
import { bufferOf, type Range } from '../../metadata/bytes.ts';
import { tryParse } from '../../metadata/damage.ts';
import { MARKER, segmentsOf } from '../../metadata/jpeg-segments.ts';

export interface Preview {
  bytes: Uint8Array;
  /** As stored. */
  width: number;
  height: number;
  /** Whether its last byte is present. */
  complete: boolean;
}

/** Start of image and the first byte of the marker that follows. */
const START = Buffer.from([0xff, MARKER.soi, 0xff]);
/** Limits the work for a hostile file; cameras store at most five. */
const MAX_CANDIDATES = 64;
/** Baseline, extended and progressive. Lossless (0xc3) is the coding of sensor data. */
const DCT_FRAME_MARKERS: readonly number[] = [0xc0, 0xc1, 0xc2];
const BITS = 8;
/** No camera stores a smaller one. Sensor data can hold the bytes of one by chance. */
const MIN_PREVIEW_SIDE = 16;

/**
 * Returns the previews, complete ones first and then by size, the largest first.
 * @param without ranges that are parts of the raw image itself, ascending
 */
export function findPreviews(bytes: Uint8Array, without: readonly Range[] = []): Preview[] {
  const buffer = bufferOf(bytes);
  const found: Preview[] = [];
  let candidates = 0;
  for (let at = buffer.indexOf(START); at !== -1 && candidates < MAX_CANDIDATES; ) {
    const skipped = without.find(({ start, end }) => start <= at && at < end);
    const preview = skipped ? undefined : previewAt(bytes, at);
    if (!skipped) candidates++;
    if (preview) found.push(preview);
    const next = skipped?.end ?? (preview?.complete ? at + preview.bytes.length : at + 1);
    at = buffer.indexOf(START, next);
  }
  return found.sort((a, b) => Number(b.complete) - Number(a.complete) || b.width * b.height - a.width * a.height);
}

function previewAt(bytes: Uint8Array, at: number): Preview | undefined {
  const rest = bytes.subarray(at);
  const frame = tryParse(() => readJpegFrame(rest));
  if (!frame || !DCT_FRAME_MARKERS.includes(frame.marker) || frame.precision !== BITS) return undefined;
  const { width, height } = frame;
  if (Math.min(width, height) < MIN_PREVIEW_SIDE) return undefined;
  const end = endOfJpeg(rest);
  if (end === undefined) return undefined;
  const complete = rest[end] === 0xff && rest[end + 1] === MARKER.eoi;
  return { bytes: complete ? rest.subarray(0, end + 2) : rest, width, height, complete };
}

/** Returns the end of the last segment; undefined without a scan, or if it is not a JPEG. */
function endOfJpeg(bytes: Uint8Array): number | undefined {
  return tryParse(() => {
    let end: number | undefined;
    for (const segment of segmentsOf(bytes)) {
      if (segment.marker === MARKER.sos || end !== undefined) end = segment.end;
    }
    return end;
  });
}
