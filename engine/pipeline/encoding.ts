/** Plans how the result is written, from the encoding step and the other steps that affect it. */
import type { Size } from '../../base/geometry.ts';
import { isOutput, OUTPUTS, type OutputFormat } from '../../codecs/formats/registry.ts';
import type { Source } from '../../codecs/source.ts';
import { checkSize } from '../../codecs/write.ts';
import type { WorkerContext } from '../context.ts';
import { checkMode, outputFormat } from '../operations/compress/source.ts';
import { staysUnrasterised } from '../operations/compress/unrasterised.ts';
import type { EncodingParams } from '../steps/compress.ts';
import { encodingParamsOf } from '../steps/encoding.ts';
import { drawIcon } from '../steps/icon.ts';
import { canAddTransparency, editsFrames, isDone, type OwnFile, type Resolution } from '../steps/step.ts';
import { inStep } from './errors.ts';
import type { ImageEncoding } from './make-image.ts';
import { type Outputs, qualityFor } from './outputs.ts';
import type { DecidedStep } from './record.ts';
import { isEncoding } from './step.ts';

export type PipelineEncoding =
  /** Encoded as by compress. */
  | (ImageEncoding & {
      kind: 'image';
      /** No step needs pixels, so an SVG may be returned as SVG, and a document as it is. */
      staysUnrasterised: boolean;
    })
  /** Written by a step itself. */
  | OwnEncoding;

export interface OwnEncoding {
  kind: 'own';
  writtenBy: DecidedStep;
  file: OwnFile<unknown>;
}

/** The format that an SVG is planned with; keeps transparency. */
const SVG_FALLBACK_FORMAT = 'png';

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
  const edit = done.find(editsFrames);
  const writtenBy = chosen ?? edit;
  const file = writtenBy?.definition.file;
  if (writtenBy && file) return { kind: 'own', writtenBy, file };

  const asked = encodingParamsOf(chosen, done);
  const animation = asked.format === 'auto' ? edit?.definition.file?.format(edit.params) : undefined;
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
  const asked = encodingParamsOf(
    done.find(({ step }) => isEncoding(step)),
    done,
  );
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

/** The resolution of the encoding step, otherwise of the last step that sets one. */
function resolutionFor({ dpi }: EncodingParams, done: readonly DecidedStep[]): Resolution {
  let resolution: Resolution = { dpi: undefined, warnings: [] };
  for (const { definition, params, before, after } of done) {
    const said = definition.resolution?.(params, before, after);
    if (said?.dpi !== undefined) resolution = said;
  }
  return dpi === undefined ? resolution : { ...resolution, dpi };
}

/** Gets the exact size of the icon from libvips, without computing pixels. */
function iconSize({ vips, modules }: WorkerContext, { width, height }: Size): Size {
  const blank = vips.Image.black(width, height);
  const drawn = drawIcon(blank, { vips, modules, transparent: true, background: '' });
  return { width: drawn.width, height: drawn.height };
}
