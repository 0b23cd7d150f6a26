/** Bringing the file of a photo inside its range of bytes: by quality alone, and by padding upwards. */
import type { Metadata } from '../../../codecs/metadata/metadata.ts';
import { padTo } from '../../../codecs/metadata/padding.ts';
import type { Picture } from '../../../codecs/picture.ts';
import type { Encoding } from '../../../codecs/write.ts';
import type { WorkerContext } from '../../context.ts';
import { encodeCandidate, lossyEncoding } from '../../quality/candidate.ts';
import { searchTarget } from '../../quality/search.ts';
import type { Outcome } from '../../result.ts';
import type { Photo } from './photo.ts';

/** Above this quality a JPEG grows and nobody sees why. */
const BEST_QUALITY = 95;

/** Readers of ID photos expect a baseline JPEG (ISO/IEC 19794-5), and the slow settings make progressive ones. */
const THOROUGH = false;

/** Tried first, and kept when it fits; then the highest quality that does. The first PNG has every colour, the others a palette. */
const ENCODINGS: Readonly<Record<Photo['format'], { first: Encoding; most: number }>> = {
  jpeg: { first: lossyEncoding(BEST_QUALITY, THOROUGH), most: BEST_QUALITY - 1 },
  png: { first: { lossless: true, flat: false }, most: 100 },
};

export interface EncodedPhoto {
  bytes: Uint8Array;
  outcome: Outcome;
}

/** @param picture in memory, as large as the result */
export async function encodePhoto(
  context: WorkerContext,
  picture: Picture,
  { format, dpi, minBytes, maxBytes }: Pick<Photo, 'format' | 'dpi' | 'minBytes' | 'maxBytes'>,
): Promise<EncodedPhoto> {
  const metadata: Metadata = { density: { x: dpi, y: dpi } };
  // Padded at once: the last bytes of padding may reach beyond the range.
  const encode = async (encoding: Encoding) => {
    const { data } = await encodeCandidate(context, picture, format, encoding, metadata);
    const padded = minBytes === undefined ? data : padTo(format, data, minBytes);
    return { data: padded, bytes: padded.length };
  };
  const { first, most } = ENCODINGS[format];
  const best = await encode(first);
  if (maxBytes === undefined) return { bytes: best.data, outcome: minBytes === undefined ? 'done' : 'target_met' };
  if (best.bytes <= maxBytes) return { bytes: best.data, outcome: 'target_met' };
  const { result } = await searchTarget({
    encode: (quality) => encode(lossyEncoding(quality, THOROUGH)),
    targetBytes: maxBytes,
    min: 1,
    max: most,
  });
  // A palette may be larger than what it replaces.
  const smallest = result.bytes < best.bytes ? result : best;
  return { bytes: smallest.data, outcome: smallest.bytes <= maxBytes ? 'target_met' : 'unreachable' };
}
