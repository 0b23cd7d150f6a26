/** One encoding of a picture, as the searches and the modes look at it. */
import type { OutputFormat } from '../../codecs/formats.ts';
import { writeMetadata } from '../../codecs/metadata/index.ts';
import type { Metadata } from '../../codecs/metadata/metadata.ts';
import type { Picture } from '../../codecs/picture.ts';
import { type EncodeContext, type Encoding, encode, type LossyEncoding } from '../../codecs/write.ts';
import type { Found } from './search.ts';

export interface Candidate {
  data: Uint8Array;
  /** Size of `data`, which is what the searches look at. */
  bytes: number;
  encoding: Encoding;
}

/** From this quality on, full colour resolution is worth its bytes. */
const FULL_CHROMA_FROM = 90;

export type LossyOptions = Pick<LossyEncoding, 'baseline' | 'chromaQuality' | 'repeated' | 'wholePixels'>;

/** What is tried in this order by formats that let the resolution of colour be chosen: that of the default quality, full, and half. */
const CHROMA_OPTIONS: Partial<Record<OutputFormat, readonly LossyOptions[]>> = {
  jpeg: [{ chromaQuality: 80 }, { chromaQuality: 100 }, { chromaQuality: 1 }],
  avif: [{ chromaQuality: 80 }, { chromaQuality: 100 }],
  // Always half, but made with more or less care.
  webp: [{}, { chromaQuality: 100 }, { chromaQuality: 80 }],
};

/**
 * Searches for a size with one resolution of colour, with which files grow evenly, and where that ends too far below, with the others.
 * @param search with these options
 * @param isClose whether what was found is to be the result
 */
export async function searchChroma<R extends { bytes: number }>(
  format: OutputFormat,
  search: (options: LossyOptions) => Promise<Found<R>>,
  isClose: (found: Found<R>) => boolean,
): Promise<Found<R>> {
  const [usual = {}, ...others] = CHROMA_OPTIONS[format] ?? [];
  let best = await search(usual);
  for (const options of others) {
    // What is too large is hardly smaller with other colours.
    if (!best.fits || isClose(best)) break;
    best = better(best, await search(options));
  }
  return best;
}

/** Of two files the larger one that fits. */
export function better<R extends { bytes: number }>(one: Found<R>, other: Found<R>): Found<R> {
  if (one.fits !== other.fits) return one.fits ? one : other;
  return one.result.bytes > other.result.bytes === one.fits ? one : other;
}

export function lossyEncoding(quality: number, options: LossyOptions = {}): LossyEncoding {
  const { chromaQuality = quality } = options;
  return { lossless: false, quality, ...options, fullChroma: chromaQuality >= FULL_CHROMA_FROM };
}

/** Encodes a picture together with the metadata of the result. */
export async function encodeCandidate(
  context: EncodeContext,
  picture: Picture,
  format: OutputFormat,
  encoding: Encoding,
  metadata: Metadata,
): Promise<Candidate> {
  const encoded = await encode(context, picture, format, encoding, metadata);
  // Also when there is nothing to write: libvips records a resolution of its own.
  const data = writeMetadata(format, encoded, metadata);
  return { data, bytes: data.length, encoding };
}
