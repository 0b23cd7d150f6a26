/** Metadata of the result. */
import { Failure } from '../../../base/failure.ts';
import type { DecodedImage } from '../../../codecs/decoded-image.ts';
import type { FileFacts } from '../../../codecs/facts/facts.ts';
import type { OutputFormat } from '../../../codecs/formats/registry.ts';
import { fitMetadata, selectMetadata, writeMetadata } from '../../../codecs/metadata/index.ts';
import type { Metadata } from '../../../codecs/metadata/metadata.ts';
import type { EncodingParams } from '../../steps/compress.ts';

export interface MetadataRequest {
  stored: Metadata;
  params: EncodingParams;
  output: OutputFormat;
  image: DecodedImage;
  dpi: number | undefined;
  unchanged: boolean;
}

/** The metadata of the result: the source's metadata selected by the mode, as far as the format can store it. */
export function resultMetadata({ stored, params, output, image, dpi, unchanged }: MetadataRequest): Metadata {
  const [{ width, height }] = image.frames;
  const { icc: _source, ...selected } = selectMetadata(stored, params.metadata, {
    width,
    height,
    pixelsChanged: !unchanged,
  });
  const density = dpi === undefined ? selected.density : { x: dpi, y: dpi };
  return fitMetadata(output, {
    ...selected,
    ...(image.icc ? { icc: image.icc } : {}),
    ...(density ? { density } : {}),
  });
}

/**
 * Whether metadata that the request wanted to keep was lost. A colour profile that was applied is not lost. Results carry
 * blocks; comments, texts and content credentials are only in files that are returned as they are.
 * @param kept the blocks of the result
 */
export function dropsMetadata(
  { blocks: stored, comment, texts, c2pa, ownMetadata }: FileFacts,
  kept: Metadata,
  { metadata }: Pick<EncodingParams, 'metadata'>,
  converted: boolean,
): boolean {
  if (metadata === 'strip') return false;
  const blocks = metadata === 'color' ? (['icc'] as const) : (['icc', 'exif', 'xmp', 'iptc'] as const);
  const isBlockLost = blocks.some(
    (block) => stored[block] !== undefined && kept[block] === undefined && !(block === 'icc' && converted),
  );
  const hasMore = comment !== undefined || (texts?.size ?? 0) > 0 || c2pa === true || ownMetadata === true;
  return isBlockLost || (metadata !== 'color' && hasMore);
}

/** Whether a file that is kept is returned as it is. */
export const keepsAllMetadata = ({ metadata, dpi }: Pick<EncodingParams, 'metadata' | 'dpi'>): boolean =>
  metadata === 'keep' && dpi === undefined;

/**
 * The source's own file with its metadata handled as requested and its pixels unchanged. Undefined if its container is
 * too damaged to be rewritten, although its pixels could be read.
 */
export function originalFile(
  bytes: Uint8Array,
  format: OutputFormat,
  metadata: Metadata,
  params: Pick<EncodingParams, 'metadata' | 'dpi'>,
): Uint8Array | undefined {
  if (keepsAllMetadata(params)) return bytes;
  try {
    return writeMetadata(format, bytes, metadata);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
