/** Compresses a document, such as a PDF, to a smaller one with the same text and structure, without rasterising it. */
import { Failure } from '../../../base/failure.ts';
import type { Header } from '../../../codecs/decoded-image.ts';
import { corruptImage } from '../../../codecs/errors.ts';
import { loadCodec } from '../../../codecs/formats/codecs.ts';
import { isOutput, OUTPUTS } from '../../../codecs/formats/registry.ts';
import { openSource } from '../../../codecs/read.ts';
import { type Source, WHOLE_IMAGE } from '../../../codecs/source.ts';
import { withFreedHandles } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
import { fingerprintOf, rgbOf } from '../../quality/measure.ts';
import { lumaOf } from '../../quality/rgb.ts';
import type { Luminance } from '../../quality/scales.ts';
import { searchTarget } from '../../quality/search.ts';
import { similarity } from '../../quality/similarity.ts';
import type { ImageResult, Outcome } from '../../result.ts';
import type { EncodingParams } from '../../steps/compress.ts';
import { transferable } from '../transferable.ts';
import { keepsAllMetadata } from './metadata.ts';

/** A file whose result is not made from its pixels. */
export interface Unrasterised {
  bytes: Uint8Array;
  /** The unchanged source. */
  source: Source;
  params: EncodingParams;
  /** When the work began. */
  started: number;
}

/**
 * Whether the encoding leaves a document a document, if no step needs pixels.
 * @param page the page that the request names
 */
export function staysDocument(
  { format }: Pick<Header, 'format'>,
  params: Pick<EncodingParams, 'format' | 'dpi'>,
  page: number | undefined,
): boolean {
  const isAsked = params.format === 'auto' || params.format === format;
  return page === undefined && isAsked && params.dpi === undefined && isOutput(format) && 'document' in OUTPUTS[format];
}

/** Pages that are compared with those of the source, at most. They are spread over the document. */
const MAX_COMPARED_PAGES = 8;
/** 50 dots per inch: enough to see that nothing is missing, moved or of another colour. */
const COMPARED_SCALE = 1 / 3;
/** At this scale, images of quality 5 have 0.97. */
const MIN_SIMILARITY = 0.9;

const MAX_QUALITY = 100;

/**
 * Makes the document smaller. A document that must not change, or that would look different, is returned as it is.
 * @throws Failure `corrupt_image`, `image_too_large` for files that cannot be rendered
 */
export async function compressDocument(context: WorkerContext, document: Unrasterised): Promise<ImageResult> {
  const { bytes, source, params, started } = document;
  const { header } = source;
  const pages = comparedPages(header.pages);
  const before = await previewsOf(context, document, bytes, pages);
  const decodedAt = performance.now();
  const recoded = await recode(context, document);
  const closeness = recoded ? await closenessOf(context, document, recoded, { pages, before }) : 1;
  const file = recoded && closeness >= MIN_SIMILARITY ? recoded : bytes;
  const processedAt = performance.now();
  return {
    data: transferable(file),
    format: header.format,
    width: header.width,
    height: header.height,
    dpi: null,
    outcome: outcomeOf(file.length, bytes.length, params),
    warnings: [
      ...(params.min_bytes === undefined ? [] : (['min_size_unavailable'] as const)),
      // The position cannot be separated from the rest of the metadata.
      ...(params.metadata === 'no_gps' && file !== bytes ? (['metadata_dropped'] as const) : []),
    ],
    source: { format: header.format, bytes: bytes.length, width: header.width, height: header.height },
    ...(params.score ? { similarity: file === bytes ? 1 : closeness } : {}),
    ...(params.fingerprint ? { fingerprint: await fingerprintOf(source) } : {}),
    phases: { decode: decodedAt - started, process: 0, encode: processedAt - decodedAt },
  };
}

/** @returns undefined if the document stays as it is */
async function recode(
  { modules }: WorkerContext,
  { bytes, source, params }: Unrasterised,
): Promise<Uint8Array | undefined> {
  const { target_bytes: targetBytes, quality } = params;
  const keepsMetadata = keepsAllMetadata(params);
  if (targetBytes !== undefined && keepsMetadata && bytes.length <= targetBytes) return undefined;
  const { recodeDocument } = await loadCodec(source.header.format);
  const encode = async (quality: number) => {
    const recoded = await recodeDocument!(bytes, { modules, quality, keepsMetadata });
    return recoded && { ...recoded, bytes: recoded.file.length };
  };
  const first = await encode(targetBytes === undefined ? quality : MAX_QUALITY);
  if (!first) return undefined;
  if (targetBytes === undefined || first.bytes <= targetBytes) {
    return first.bytes < bytes.length || first.isStripped ? first.file : undefined;
  }
  const { result } = await searchTarget({
    encode: async (quality) => (await encode(quality))!,
    ...{ targetBytes, min: 1, max: MAX_QUALITY - 1 },
  });
  return result.file;
}

function outcomeOf(bytes: number, sourceBytes: number, { target_bytes: target }: EncodingParams): Outcome {
  if (target !== undefined) return bytes > target ? 'unreachable' : 'target_met';
  return bytes < sourceBytes ? 'reduced' : bytes === sourceBytes ? 'kept_original' : 'grown';
}

/** Page numbers, spread evenly. */
function comparedPages(pages: number): number[] {
  const count = Math.min(pages, MAX_COMPARED_PAGES);
  return Array.from({ length: count }, (_, at) => 1 + Math.floor((at * pages) / count));
}

/** The least similarity of a page, 0 to 1; 0 if the file cannot be drawn. */
async function closenessOf(
  context: WorkerContext,
  document: Unrasterised,
  recoded: Uint8Array,
  { pages, before }: { pages: readonly number[]; before: readonly Luminance[] },
): Promise<number> {
  try {
    const after = await previewsOf(context, document, recoded, pages);
    const isSized = after.every(
      ({ width, height }, at) => width === before[at]!.width && height === before[at]!.height,
    );
    return isSized ? Math.min(...after.map((luma, at) => similarity(before[at]!, luma))) : 0;
  } catch (error) {
    if (error instanceof Failure) return 0;
    throw error;
  }
}

/** Luminance of the pages, drawn small. @throws Failure also if the file has other pages than the source */
async function previewsOf(
  context: WorkerContext,
  { source }: Unrasterised,
  bytes: Uint8Array,
  pages: readonly number[],
): Promise<Luminance[]> {
  const { vips } = context;
  const { format } = source.header;
  const drawn: Luminance[] = [];
  for (const page of pages) {
    const { header, scaled } = await openSource(context, { bytes, format, page });
    if (header.pages !== source.header.pages) throw corruptImage(format, `${header.pages} pages`);
    await withFreedHandles(vips, async () => {
      const { frames } = await scaled!(COMPARED_SCALE).open(WHOLE_IMAGE);
      drawn.push(lumaOf(rgbOf(vips, frames[0])));
    });
  }
  return drawn;
}
