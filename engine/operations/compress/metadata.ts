/** Metadata of the result. */
import { Failure } from '../../../base/failure.ts';
import type { DecodedImage } from '../../../codecs/decoded-image.ts';
import type { FileFacts } from '../../../codecs/facts/facts.ts';
import type { OutputFormat } from '../../../codecs/formats/registry.ts';
import { fitMetadata, selectMetadata, writeMetadata } from '../../../codecs/metadata/index.ts';
import type { Metadata } from '../../../codecs/metadata/metadata.ts';
import type { Warning } from '../../result.ts';
import type { EncodingParams } from '../../steps/compress.ts';
import { DEFAULT_DPI, printResolution } from '../../steps/print.ts';
import { inPixels, planResize, type SizeRequest } from '../../steps/resize.ts';
import type { Size } from '../../steps/step.ts';

export interface Resolution {
  /** The resolution to record; undefined if the request gives none. */
  dpi: number | undefined;
  warnings: Warning[];
}

/**
 * The resolution to record. An image with too few pixels for its print size gets a lower one.
 * @param before size before the resize
 * @param result size including everything added later
 */
export function resolutionOf(params: SizeRequest, before: Size, result: Size): Resolution {
  if (params.print_width === undefined && params.print_height === undefined) return { dpi: params.dpi, warnings: [] };
  const plan = planResize(before, inPixels(params));
  const wanted = planResize(before, { ...inPixels(params), enlarge: true });
  const enough = plan.canvas.width >= wanted.canvas.width && plan.canvas.height >= wanted.canvas.height;
  if (enough) return { dpi: params.dpi ?? DEFAULT_DPI, warnings: [] };
  return { dpi: printResolution(result, params), warnings: ['print_resolution_low'] };
}

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
