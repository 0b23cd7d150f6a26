/** Plans how the result is written, from the encoding step and the other steps that affect it. */
import { isOutput, OUTPUTS, type OutputFormat } from '../../codecs/formats/registry.ts';
import type { Source } from '../../codecs/source.ts';
import { checkSize } from '../../codecs/write.ts';
import type { WorkerContext } from '../context.ts';
import { type Resolution, resolutionOf } from '../operations/compress/metadata.ts';
import { checkMode, outputFormat } from '../operations/compress/source.ts';
import { staysUnrasterised } from '../operations/compress/unrasterised.ts';
import type { GifParams } from '../operations/gif/params.ts';
import type { IdPhotoParams } from '../operations/id-photo/params.ts';
import type { EncodingParams } from '../steps/compress.ts';
import { drawIcon } from '../steps/icon.ts';
import { STEP_PARAMS } from '../steps/registry.ts';
import { canAddTransparency, isDone, type Size } from '../steps/step.ts';
import { inStep } from './errors.ts';
import type { ImageEncoding } from './make-image.ts';
import { type Outputs, qualityFor } from './outputs.ts';
import type { DecidedStep, Step } from './record.ts';
import { isEncoding } from './step.ts';

export type PipelineEncoding =
  /** Encoded as by compress. */
  | (ImageEncoding & {
      kind: 'image';
      /** No step needs pixels, so an SVG may be returned as SVG, and a document as it is. */
      staysUnrasterised: boolean;
    })
  | { kind: 'photo'; params: IdPhotoParams }
  /** Encoded as by gif. */
  | { kind: 'animation'; params: GifParams };

/** The format that an SVG is planned with; keeps transparency. */
const SVG_FALLBACK_FORMAT = 'png';
const DEFAULTS = { ...STEP_PARAMS.compress.parse({}), ...STEP_PARAMS.metadata.parse({}) };

/**
 * @param decided the size of its encoding step is set here
 * @throws Failure `unsupported_output`; it names the step
 */
export async function planEncoding(
  context: WorkerContext,
  source: Source,
  decided: readonly DecidedStep[],
  page?: number,
): Promise<PipelineEncoding> {
  const encoding = await chooseEncoding(context, source, decided, page);
  if (encoding.kind !== 'image') return encoding;
  const { output, params } = encoding;
  const chosen = decided.find((each) => isDone(each) && isEncoding(each.step));
  const last = decided.at(-1)?.after ?? source.header;
  const check = () => {
    checkMode(output, params);
    if (!OUTPUTS[output].icon) checkSize(output, last.width, last.height);
    else if (chosen) chosen.after = iconSize(context, last);
  };
  await (chosen ? inStep(chosen.step, chosen.index, check) : check());
  return encoding;
}

/** The encoding that follows from the steps, whatever the size of the image. */
export async function chooseEncoding(
  context: WorkerContext,
  source: Source,
  decided: readonly DecidedStep[],
  page?: number,
): Promise<PipelineEncoding> {
  const done = decided.filter(isDone);
  const chosen = done.find(({ step }) => isEncoding(step));
  const edit = done.find(({ step }) => step.op === 'gif')?.step;
  if (chosen?.step.op === 'id_photo') return { kind: 'photo', params: chosen.step.params };
  if (!chosen && edit?.op === 'gif') return { kind: 'animation', params: edit.params };

  const asked = paramsOf(chosen?.step, done);
  const animation = edit?.op === 'gif' && asked.format === 'auto' ? edit.params.format : undefined;
  const isUntouched = !edit && !done.some(({ definition }) => definition.apply);
  const isUnrasterised = isUntouched && staysUnrasterised(source.header, asked, page);
  const isDrawing = isUnrasterised && !isOutput(source.header.format);
  // An SVG need not be rendered to know its fallback format.
  const output = animation ?? (isDrawing ? SVG_FALLBACK_FORMAT : await formatFor(context, source, asked, done));
  const resolution = resolutionFor(asked, done);
  const params = { ...asked, dpi: resolution.dpi };
  return { kind: 'image', output, params, resolution, staysUnrasterised: isUnrasterised };
}

/**
 * Plans how each format of several results is written: as the encoding step says, with the quality and the mode of the
 * request in place of its own.
 * @throws Failure `unsupported_output`
 */
export function planOutputEncodings(
  decided: readonly DecidedStep[],
  outputs: Outputs,
  sizes: readonly Size[],
): ImageEncoding[] {
  const done = decided.filter(isDone);
  const asked = paramsOf(done.find(({ step }) => isEncoding(step))?.step, done);
  const resolution = resolutionFor(asked, done);
  return outputs.formats.map((output) => {
    const { mode = asked.mode } = outputs;
    const quality = qualityFor(outputs, output) ?? asked.quality;
    const params = { ...asked, format: output, mode, quality, dpi: resolution.dpi };
    checkMode(output, params);
    for (const { width, height } of sizes) checkSize(output, width, height);
    return { output, params, resolution };
  });
}

/** The compress parameters of the encoding step, with the metadata mode of the last step that sets one. */
function paramsOf(step: Step | undefined, done: readonly DecidedStep[]): EncodingParams {
  const named = done.findLast(({ step }) => step.op === 'metadata')?.step;
  const metadata = named?.op === 'metadata' ? named.params.metadata : DEFAULTS.metadata;
  if (step?.op === 'convert') return { ...DEFAULTS, ...step.params, metadata };
  if (step?.op === 'compress') return { ...DEFAULTS, ...step.params, metadata: step.params.metadata ?? metadata };
  return { ...DEFAULTS, metadata };
}

/** If the source's format cannot be written, transparency of the result decides the format. */
async function formatFor(
  context: WorkerContext,
  source: Source,
  params: EncodingParams,
  done: readonly DecidedStep[],
): Promise<OutputFormat> {
  const clears = done.some(canAddTransparency);
  if (params.format === 'auto' && !isOutput(source.header.format) && clears) return 'png';
  return await outputFormat(context, source, params);
}

/** The resolution of the encoding step, otherwise of the last resize that sets one. */
function resolutionFor({ dpi }: EncodingParams, done: readonly DecidedStep[]): Resolution {
  let resolution: Resolution = { dpi: undefined, warnings: [] };
  for (const { step, before, after } of done) {
    if (step.op !== 'resize') continue;
    const said = resolutionOf(step.params, before, after);
    if (said.dpi !== undefined) resolution = said;
  }
  return dpi === undefined ? resolution : { ...resolution, dpi };
}

/** Gets the exact size of the icon from libvips, without computing pixels. */
function iconSize({ vips, modules }: WorkerContext, { width, height }: Size): Size {
  const blank = vips.Image.black(width, height);
  const drawn = drawIcon(blank, { vips, modules, transparent: true, background: '' });
  return { width: drawn.width, height: drawn.height };
}
