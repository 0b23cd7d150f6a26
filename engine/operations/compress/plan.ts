/** Plans compress from the header, and with `trim` also from the pixels. */

import type { Size } from '../../../base/geometry.ts';
import { OUTPUTS } from '../../../codecs/formats/registry.ts';
import type { Source } from '../../../codecs/source.ts';
import { checkSize } from '../../../codecs/write.ts';
import type { WorkerContext } from '../../context.ts';
import { checkEncodings, checkFrames, type DecodingRequest, planDecoding } from '../../pipeline/decoding.ts';
import type { ImageEncoding, ImagePlan } from '../../pipeline/make-image.ts';
import { Measurement } from '../../pipeline/measurement.ts';
import type { Warning } from '../../result.ts';
import { crop } from '../../steps/crop.ts';
import { renderingScale, resizeWithoutPadding, resolutionOf } from '../../steps/resize.ts';
import { type BoundStep, isDone, type SizedStep } from '../../steps/step.ts';
import { keepsAnimation } from '../frame-use.ts';
import type { SourceParams } from '../parameters.ts';
import { checkResultSize } from '../result-size.ts';
import type { CompressParams } from './params.ts';
import { checkMode, outputFormat } from './source.ts';
import { stepsOf } from './steps.ts';
import { staysUnrasterised } from './unrasterised.ts';

interface Request {
  file: Uint8Array;
  /** The unchanged source. */
  stored: Source;
  params: CompressParams & SourceParams;
  hasLogo: boolean;
  /** Accept a file that ends early, as far as it can be read. */
  tolerant: boolean;
}

/** A size that an SVG or a document already has is still a request for pixels; a maximum size that it fits is not. */
const ASKS_FOR_PIXELS = [
  'width',
  'height',
  'percent',
  'print_width',
  'print_height',
  'crop',
  'crop_ratio',
] as const satisfies readonly (keyof CompressParams)[];

/** Whether no pixels are needed: an SVG stays an SVG, and a document a document. */
export function needsNoPixels(
  context: WorkerContext,
  { stored, params, hasLogo }: Omit<Request, 'file' | 'tolerant'>,
): boolean {
  if (
    !staysUnrasterised(stored.header, params, params.page) ||
    ASKS_FOR_PIXELS.some((name) => params[name] !== undefined)
  )
    return false;
  return !sizeSteps(context, stored, stepsOf(params, hasLogo, false)).some(isDone);
}

/** @throws Failure `image_too_large`, `invalid_parameter`, `unsupported_output` */
export async function planCompress(
  context: WorkerContext,
  { file, stored, params: asked, hasLogo, tolerant }: Request,
): Promise<{ plan: ImagePlan; encoding: ImageEncoding; warnings: Warning[] }> {
  const measurement = new Measurement(context, { tolerant, logo: undefined, report: undefined, runsModels: false });
  const { source, params } = await renderedAsAsked(context, measurement, stored, asked);
  const { header } = source;
  const output = await outputFormat(context, source, params);
  const { page } = params;
  checkMode(output, params);
  const animation = header.frames > 1 && keepsAnimation(output, header.format) && (page ?? 1) === 1;
  const frames = animation ? header.frames : 1;
  checkFrames(context, source, frames);
  const request = { animation, encodings: [{ output, params }], isMeasured: params.trim };
  const bound = stepsOf(params, hasLogo, !OUTPUTS[output].alpha);
  const steps = await measuredSteps(context, measurement, source, bound, request);
  const result = steps.at(-1)!.after;
  checkResultSize(context, header, result, frames);
  if (!OUTPUTS[output].icon) checkSize(output, result.width, result.height);
  const done = steps.filter(isDone);
  const decoding = planDecoding(context, source, done, request);
  checkEncodings(context, source, done.at(-1)?.after ?? header, decoding, request.encodings);
  const resize = steps.find(({ definition }) => definition === resizeWithoutPadding)!;
  const resolution = resolutionOf(params, resize.before, result);
  const begun = measurement.begunFor(source, decoding);
  return {
    plan: { file, page, stored, source, steps, decoding, begun },
    encoding: { output, params, resolution },
    warnings: measurement.warnings,
  };
}

/** The sizes of the steps, of which the first may measure the image. */
async function measuredSteps(
  context: WorkerContext,
  measurement: Measurement,
  source: Source,
  steps: readonly BoundStep[],
  request: DecodingRequest,
): Promise<SizedStep[]> {
  const sized = sizeSteps(context, source, steps);
  const [first, ...rest] = steps as [BoundStep, ...BoundStep[]];
  if (!first.definition.measure) return sized;
  const decoding = planDecoding(context, source, sized.filter(isDone), request);
  const params = await measurement.complete(first, source, [], decoding);
  return sizeSteps(context, source, [{ ...first, params }, ...rest]);
}

/** @throws Failure `invalid_parameter` if the crop is outside the image */
function sizeSteps(context: WorkerContext, source: Source, steps: readonly BoundStep[]): SizedStep[] {
  let { width, height }: Size = source.header;
  let canvas: Size | undefined;
  return steps.map(({ definition, params }) => {
    const before = { width, height };
    const effect = definition.effect(params, before, { context, source, maxPixels: 0, canvas });
    ({ width, height } = effect.size);
    canvas = effect.canvas ?? canvas;
    const isUsed = effect.changes || (definition === crop && namesCrop(params as CompressParams));
    return { definition, params, reason: isUsed ? null : 'no_change', before, after: { width, height } };
  });
}

/** A crop is done even if it cuts nothing: its pixels are those of the whole image, so it is decoded at full size. */
const namesCrop = (params: Pick<CompressParams, 'crop' | 'crop_ratio'>): boolean =>
  params.crop !== undefined || params.crop_ratio !== undefined;

/** Renders a vector source at the requested size, smaller or larger, instead of resampling it. */
async function renderedAsAsked<P extends CompressParams>(
  context: WorkerContext,
  measurement: Measurement,
  source: Source,
  params: P,
): Promise<{ source: Source; params: P }> {
  // A crop is given in pixels of the image at its own size.
  if (!source.scaled || params.crop !== undefined) return { source, params };
  const request = { animation: false, encodings: [] };
  const steps = await measuredSteps(context, measurement, source, stepsOf(params, false, false), request);
  const { before } = steps.find(({ definition }) => definition === resizeWithoutPadding)!;
  const scale = renderingScale(before, params);
  if (scale === 1) return { source, params };
  return { source: source.scaled(scale), params: { ...params, percent: undefined } };
}
