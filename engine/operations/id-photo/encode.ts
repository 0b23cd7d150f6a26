/** Fits the file of a photo into its byte range: down by quality, up by padding. */

import type { DecodedImage } from '../../../codecs/decoded-image.ts';
import type { Encoding } from '../../../codecs/encoding.ts';
import type { Metadata } from '../../../codecs/metadata/metadata.ts';
import { padTo } from '../../../codecs/metadata/padding.ts';
import type { WorkerContext } from '../../context.ts';
import { encodeCandidate, lossyEncoding, searchChroma } from '../../quality/candidate.ts';
import { searchTarget } from '../../quality/search.ts';
import type { Outcome } from '../../result.ts';
import type { Photo } from './photo.ts';

/** Above this quality a JPEG grows without visible improvement. */
const MAX_QUALITY = 95;

/** Readers of ID photos expect a baseline JPEG (ISO/IEC 19794-5). */
const BASELINE = { baseline: true };

/** The encodings to try: the first is kept if it fits, otherwise the highest quality that fits. */
interface QualityLadder {
  first: Encoding;
  /** In ascending order. */
  qualities: readonly number[];
}

const DESCENTS: Readonly<Record<Photo['format'], QualityLadder>> = {
  jpeg: {
    first: lossyEncoding(MAX_QUALITY, BASELINE),
    qualities: Array.from({ length: MAX_QUALITY - 1 }, (_, index) => index + 1),
  },
  // All colours first, then palettes. A palette takes as long as ten JPEGs, and quality 60 nearly always has all 256
  // colours. Each of these steps has about 25% more bytes than the one below, and three are tried instead of seven.
  png: { first: { lossless: true, png: { keepLayout: true } }, qualities: [1, 2, 5, 15, 40, 60, 100] },
};

/** @param image in memory, at the size of the result */
export async function encodePhoto(
  context: WorkerContext,
  image: DecodedImage,
  { format, dpi, minBytes, maxBytes }: Pick<Photo, 'format' | 'dpi' | 'minBytes' | 'maxBytes'>,
): Promise<{ bytes: Uint8Array; outcome: Outcome }> {
  const metadata: Metadata = { density: { x: dpi, y: dpi } };
  // Pad at once: the last bytes of padding may exceed the range.
  const encode = async (encoding: Encoding) => {
    const { data } = await encodeCandidate(context, image, format, encoding, metadata);
    const padded = minBytes === undefined ? data : padTo(format, data, minBytes);
    return { data: padded, bytes: padded.length };
  };
  const { first, qualities } = DESCENTS[format];
  const best = await encode(first);
  if (maxBytes === undefined) return { bytes: best.data, outcome: minBytes === undefined ? 'done' : 'target_met' };
  if (best.bytes <= maxBytes) return { bytes: best.data, outcome: 'target_met' };
  const { result } = await searchChroma(
    format,
    (options) =>
      searchTarget({
        encode: (step) => encode(lossyEncoding(qualities[step - 1]!, { ...BASELINE, ...options })),
        targetBytes: maxBytes,
        min: 1,
        max: qualities.length,
        encodings: Math.ceil(Math.log2(qualities.length + 1)),
      }),
    ({ quality }) => quality < qualities.length,
  );
  // A palette PNG may be larger than the true-colour one.
  const smallest = result.bytes < best.bytes ? result : best;
  return { bytes: smallest.data, outcome: smallest.bytes <= maxBytes ? 'target_met' : 'unreachable' };
}
