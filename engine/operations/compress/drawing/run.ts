/** Compresses an SVG to a smaller SVG with the same shapes, without rasterising it. */
import type { Source } from '../../../../codecs/source.ts';
import { isPacked } from '../../../../codecs/svg/markup.ts';
import type { WorkerContext } from '../../../context.ts';
import { fingerprintOf } from '../../../quality/measure.ts';
import type { ImageResult, Outcome } from '../../../result.ts';
import type { EncodingParams } from '../../../steps/compress.ts';
import { checkHeldBytes } from '../../decoding.ts';
import { checkSourceSize } from '../../source-size.ts';
import { transferable } from '../../transferable.ts';
import type { Unrasterised } from '../document.ts';
import { candidatesFor } from './candidates.ts';
import { isVisuallyEqual, type Preview, renderPreview, similarityOf } from './sketch.ts';

const PACKED_EXTENSION = 'svgz';

/**
 * Compresses an SVG. Every returned file looks like the source.
 * @returns undefined if only a raster image can satisfy the request: within fewer bytes, or without metadata that
 * cannot be removed
 * @throws Failure `corrupt_image`, `image_too_large` for files that cannot be rendered
 */
export async function compressDrawing(
  context: WorkerContext,
  { bytes, source, params, started }: Unrasterised,
): Promise<ImageResult | undefined> {
  const before = await renderPreview(context, bytes);
  const decodedAt = performance.now();
  const chosen = await choose(context, bytes, before, params);
  const { target_bytes: target } = params;
  if (!chosen || (target !== undefined && chosen.file.length > target)) return undefined;
  const { header } = source;
  const processedAt = performance.now();
  return {
    data: transferable(chosen.file),
    format: 'svg',
    ...(isPacked(chosen.file) ? { extension: PACKED_EXTENSION } : {}),
    width: header.width,
    height: header.height,
    dpi: null,
    outcome: target === undefined ? chosen.outcome : 'target_met',
    // Location metadata in an SVG cannot be identified, so all metadata is removed.
    warnings: params.metadata === 'no_gps' && chosen.isStripped ? ['metadata_dropped'] : [],
    source: { format: 'svg', bytes: bytes.length, width: header.width, height: header.height },
    ...(params.score ? { similarity: similarityOf(context, before, chosen.after) } : {}),
    ...(params.fingerprint ? { fingerprint: await fingerprint(context, source) } : {}),
    phases: { decode: decodedAt - started, process: processedAt - decodedAt, encode: performance.now() - processedAt },
  };
}

interface Chosen {
  file: Uint8Array;
  outcome: Outcome;
  after: Preview;
  /** Whether metadata was removed. */
  isStripped: boolean;
}

async function choose(
  context: WorkerContext,
  bytes: Uint8Array,
  before: Preview,
  params: EncodingParams,
): Promise<Chosen | undefined> {
  const candidates = candidatesFor(bytes, params);
  if (!candidates) return undefined;
  const { minified, original } = candidates;
  const isStripped = original !== bytes;
  const exact = params.mode === 'lossless' ? 0 : undefined;
  for (const file of minified.filter(({ length }) => length < bytes.length)) {
    const after = await renderPreview(context, file);
    if (isVisuallyEqual(before, after, exact)) return { file, outcome: 'reduced', after, isStripped };
  }
  if (!isStripped) return { file: bytes, outcome: 'kept_original', after: before, isStripped };
  const after = await renderPreview(context, original);
  return isVisuallyEqual(before, after, 0)
    ? { file: original, outcome: 'kept_original', after, isStripped }
    : undefined;
}

/** Computes the fingerprint at the SVG's own size, as for every image. */
async function fingerprint(context: WorkerContext, source: Source): Promise<string> {
  checkSourceSize(context, source, 1);
  checkHeldBytes(context, source);
  return await fingerprintOf(source);
}
