/** One encoding of a picture, as the searches and the modes look at it. */
import type { OutputFormat } from '../../codecs/formats.ts';
import { writeMetadata } from '../../codecs/metadata/index.ts';
import type { Metadata } from '../../codecs/metadata/metadata.ts';
import type { Picture } from '../../codecs/picture.ts';
import { type EncodeContext, type Encoding, encode, type LossyEncoding } from '../../codecs/write.ts';

export interface Candidate {
  data: Uint8Array;
  /** Size of `data`, which is what the searches look at. */
  bytes: number;
  encoding: Encoding;
}

/** From this quality on, full colour resolution is worth its bytes. */
const FULL_CHROMA_FROM = 90;

export function lossyEncoding(quality: number, effort: Pick<LossyEncoding, 'thorough' | 'baseline'>): LossyEncoding {
  return { lossless: false, quality, ...effort, fullChroma: quality >= FULL_CHROMA_FROM };
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
