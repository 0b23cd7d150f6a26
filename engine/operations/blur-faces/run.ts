/** Runs `blur-faces` in the worker: decode, find faces unless the request gives boxes, cover them, encode. */
import { Failure } from '../../../base/failure.ts';
import { writeMetadata } from '../../../codecs/metadata/index.ts';
import { checkSize } from '../../../codecs/write.ts';
import type { LoadedModel } from '../../../models/runtime.ts';
import type { WorkerContext } from '../../context.ts';
import type { SourceFile } from '../../source-file.ts';
import { headerOfKeptPages, onEveryPage } from '../every-page.ts';
import { retryTruncated } from '../retry-truncated.ts';
import { type EncodedStill, encodeStill, openStill, type Still } from '../still.ts';
import { transferable } from '../transferable.ts';
import { coverFaces } from './cover-faces.ts';
import { type BlurFacesInput, type BlurFacesResult, blurFaces } from './definition.ts';
import { COVERED_FORMATS, type CoveredFormat } from './params.ts';

/** @throws Failure `model_unavailable` if there are no `boxes`, `unsupported_output`, and as for `openStill` */
export async function run(context: WorkerContext, input: BlurFacesInput): Promise<BlurFacesResult> {
  // Before decoding, because without a model the task fails.
  const model = input.params.boxes === undefined ? await context.models.open('faces') : undefined;
  return retryTruncated(context.vips, input.image, (tolerant) => coverPages(context, input, model, tolerant));
}

/** Covers the faces of all pages, if the result has them. */
async function coverPages(
  context: WorkerContext,
  { image, params }: BlurFacesInput,
  model: LoadedModel | undefined,
  tolerant: boolean,
): Promise<BlurFacesResult> {
  const header = await headerOfKeptPages(context, image, params);
  if (!header) return coverPage(context, { image, params }, model, tolerant);
  const { joined, results } = await onEveryPage(context, {
    ...{ image, header },
    run: ({ image, page }) => coverPage(context, { image, params: { ...params, page } }, model, tolerant),
  });
  const faces = results.reduce((sum, result) => sum + result.faces, 0);
  const warnings = joined.warnings.filter((warning) => warning !== 'no_faces_found' || faces === 0);
  return { ...joined, faces, warnings };
}

async function coverPage(
  context: WorkerContext,
  { image, params }: BlurFacesInput,
  model: LoadedModel | undefined,
  tolerant: boolean,
): Promise<BlurFacesResult> {
  const started = performance.now();
  const still = await openStill(context, image, { estimate: blurFaces.estimate, page: params.page, tolerant });
  const { frame, source } = still;
  const { width, height } = frame;
  const format = params.format === 'auto' ? outputFormatFor(still) : params.format;
  checkSize(format, width, height);
  const decodedAt = performance.now();

  const { covered, warnings } = await coverFaces(context, frame, params, model);
  const processedAt = performance.now();

  const untouched = covered === 0 && !tolerant ? strippedSource(still, image, format) : undefined;
  const encoded = untouched ?? (await encodeStill(context, frame, { format, header: still.header }));
  return {
    data: transferable(encoded.bytes),
    format,
    width,
    height,
    dpi: null,
    outcome: 'done',
    warnings: [...still.warnings, ...encoded.warnings, ...warnings],
    source,
    phases: { decode: decodedAt - started, process: processedAt - decodedAt, encode: performance.now() - processedAt },
    faces: covered,
  };
}

const outputFormatFor = ({ source }: Still): CoveredFormat =>
  COVERED_FORMATS.find((format) => format === source.format) ?? 'jpeg';

/**
 * Copies the source file without its metadata, if it shows the same image. An unchanged image need not be encoded
 * again.
 */
function strippedSource(still: Still, { data }: SourceFile, format: CoveredFormat): EncodedStill | undefined {
  const { header, warnings, source } = still;
  const same = format === source.format && header.pages === 1 && header.orientation === 1 && warnings.length === 0;
  if (!same) return undefined;
  try {
    return { bytes: writeMetadata(format, new Uint8Array(data), {}), warnings: [] };
  } catch (error) {
    // The container is too damaged to be rewritten, although its pixels could be read.
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
