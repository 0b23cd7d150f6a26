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

export type LossyOptions = Pick<LossyEncoding, 'baseline' | 'chromaQuality'>;

/** That of the default quality, and full. */
const CHROMA_QUALITIES = [80, 100];

/**
 * Searches for a size. A JPEG keeps one resolution of colour on the way, with which it grows evenly; where the best quality fits, full
 * resolution may use the rest.
 * @param search with these options, up to the quality `max`
 */
export async function searchChroma<R extends { bytes: number }>(
  format: OutputFormat,
  max: number,
  search: (options: LossyOptions) => Promise<Found<R>>,
): Promise<R> {
  const [usual, full] = CHROMA_QUALITIES as [number, number];
  const found = await search({ chromaQuality: usual });
  if (format !== 'jpeg' || !found.fits || found.quality < max) return found.result;
  const other = await search({ chromaQuality: full });
  return other.fits && other.result.bytes > found.result.bytes ? other.result : found.result;
}

export function lossyEncoding(quality: number, options: LossyOptions = {}): LossyEncoding {
  return { lossless: false, quality, ...options, fullChroma: quality >= FULL_CHROMA_FROM };
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
