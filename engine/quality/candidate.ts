/** One encoding of an image, as used by the searches and the modes. */

import type { DecodedImage } from '../../codecs/decoded-image.ts';
import type { EncodeContext, Encoding, LossyEncoding } from '../../codecs/encoding.ts';
import { OUTPUTS, type OutputFormat } from '../../codecs/formats/registry.ts';
import { writeMetadata } from '../../codecs/metadata/index.ts';
import type { Metadata } from '../../codecs/metadata/metadata.ts';
import { encode } from '../../codecs/write.ts';
import type { Found } from './search.ts';

export interface Candidate {
  data: Uint8Array;
  /** Size of `data`, which the searches compare. */
  bytes: number;
  encoding: Encoding;
}

/** At this quality and above, full chroma resolution is worth its bytes. */
const MIN_FULL_CHROMA_QUALITY = 90;

export type LossyOptions = Pick<LossyEncoding, 'baseline' | 'chromaQuality' | 'repeated' | 'wholePixels'>;

/**
 * Searches for a size with one chroma resolution, with which file sizes grow evenly. If the result is too far below the
 * target, tries the others.
 * @param search runs a search with these options
 * @param isClose whether the found file is close enough to be the result
 */
export async function searchChroma<R extends { bytes: number }>(
  format: OutputFormat,
  search: (options: LossyOptions) => Promise<Found<R>>,
  isClose: (found: Found<R>) => boolean,
): Promise<Found<R>> {
  const [usual = {}, ...others] = (OUTPUTS[format].chromaQualities ?? []).map(
    (chromaQuality): LossyOptions => (chromaQuality === undefined ? {} : { chromaQuality }),
  );
  let best = await search(usual);
  for (const options of others) {
    // If it is too large, another chroma resolution hardly makes it smaller.
    if (!best.fits || isClose(best)) break;
    best = better(best, await search(options));
  }
  return best;
}

/** Returns the larger file that fits; if neither fits, the smaller one. */
export function better<R extends { bytes: number }>(one: Found<R>, other: Found<R>): Found<R> {
  if (one.fits !== other.fits) return one.fits ? one : other;
  return one.result.bytes > other.result.bytes === one.fits ? one : other;
}

export function lossyEncoding(quality: number, options: LossyOptions = {}): LossyEncoding {
  const { chromaQuality = quality } = options;
  return { lossless: false, quality, ...options, fullChroma: chromaQuality >= MIN_FULL_CHROMA_QUALITY };
}

/** Encodes an image and adds the metadata of the result. */
export async function encodeCandidate(
  context: EncodeContext,
  image: DecodedImage,
  format: OutputFormat,
  encoding: Encoding,
  metadata: Metadata,
): Promise<Candidate> {
  const encoded = await encode(context, image, format, encoding, metadata);
  // Even if there is no metadata to write, because libvips writes a resolution of its own.
  const data = writeMetadata(format, encoded, metadata);
  return { data, bytes: data.length, encoding };
}
