/** Plans a pipeline for an image before any step runs. A dry run returns the plan, a run executes it. */
import type { OutputFormat } from '../../codecs/formats/registry.ts';
import { formatOf, openSource } from '../../codecs/read.ts';
import { type Source, WHOLE_IMAGE } from '../../codecs/source.ts';
import type { WorkerContext } from '../context.ts';
import { keepsAnimation } from '../operations/frame-use.ts';
import { keepsPages } from '../operations/kept-pages.ts';
import { checkResultSize } from '../operations/result-size.ts';
import { checkSourceSize } from '../operations/source-size.ts';
import type { Warning } from '../result.ts';
import type { SourceFile } from '../source-file.ts';
import { editsFrames, type FrameEdit, isDone, isMeasured, takesOneFrame } from '../steps/step.ts';
import { type DecideRequest, decide, type MeasureStep } from './decide.ts';
import { checkEncodings, checkFrames, type Decoding, type DecodingRequest, planDecoding } from './decoding.ts';
import { chooseEncoding, type PipelineEncoding, planEncoding } from './encoding.ts';
import { inStep } from './errors.ts';
import { SourceFacts } from './facts.ts';
import type { ImageEncoding, ImagePlan } from './make-image.ts';
import { Measurement, type MeasurementOptions } from './measurement.ts';
import type { DecidedStep, PipelineParams } from './record.ts';

/** Everything that is known before the steps run. */
export interface ExecutionPlan extends ImagePlan {
  facts: SourceFacts;
  steps: DecidedStep[];
  encoding: PipelineEncoding;
  /** The frames of the result, if a step makes them. */
  edit: FrameEdit | undefined;
  /** What the steps have warned of that were measured. */
  warnings: Warning[];
}

/** A source with the decisions about its steps. */
export type DecidedSource = Pick<ExecutionPlan, 'file' | 'page' | 'facts' | 'stored' | 'source' | 'steps'>;

/** Opens the source of a pipeline and decides which steps run. @throws as `planPipeline` */
export async function decideSource(
  context: WorkerContext,
  { data, filename }: SourceFile,
  pipeline: Omit<DecideRequest, 'facts'>,
  page?: number,
): Promise<DecidedSource> {
  const file = new Uint8Array(data);
  const format = await formatOf(file, filename);
  const stored = await openSource(context, { bytes: file, format, page, filename });
  checkSourceSize(context, stored, 1);
  const facts = new SourceFacts(file, stored.header);
  return { file, page, facts, stored, ...(await decide(context, stored, { ...pipeline, facts })) };
}

/**
 * @throws Failure as for reading a header; `image_too_large`, `invalid_parameter` and `unsupported_output`, which name
 * the failing step
 * @param page of a source whose pages are all in the result
 */
export async function planPipeline(
  context: WorkerContext,
  image: SourceFile,
  pipeline: PipelineParams,
  options: MeasurementOptions,
  page?: number,
): Promise<ExecutionPlan> {
  const measurement = new Measurement(context, options);
  const measure: MeasureStep = async (step, source, expected, before) => {
    const encoding = await chooseEncoding(context, source, expected, page);
    const encodings = encoding.kind === 'image' ? [encoding] : [];
    const done = expected.filter(isDone);
    const decoding = await decodingFor(context, source, done, encodings, { isMeasured: true });
    return await measurement.complete(step, source, expected.slice(0, before), decoding);
  };
  const decided = await decideSource(context, image, { ...pipeline, measure }, page);
  const { source, steps } = decided;
  const encoding = await planEncoding(context, source, steps, page);
  const done = steps.filter(isDone);
  const editor = done.find(editsFrames);
  const edit = editor?.definition.editFrames?.(editor.params, source, context);
  const decoding = edit
    ? decodingOfEdit(source, encoding, edit, editor?.definition.file?.format(editor.params))
    : await checkedDecoding(context, source, done, encoding.kind === 'image' ? [encoding] : [], {
        isMeasured: steps.some(isMeasured),
      });
  return {
    ...{ ...decided, encoding, edit, decoding },
    ...{ begun: measurement.begunFor(source, decoding), warnings: measurement.warnings },
  };
}

/**
 * How the source is decoded whose frames a step edits; the result may still be one frame of it.
 * @param format in which that step writes its file
 */
function decodingOfEdit(
  { header }: Source,
  encoding: PipelineEncoding,
  { animation, sequential }: FrameEdit,
  format: OutputFormat | undefined,
): Decoding {
  const isKept = encoding.kind === 'own' || keepsAnimation(encoding.output, header.format, format);
  return { ...WHOLE_IMAGE, animation: animation && isKept, sequential };
}

/** Whether the result has all pages of its source. */
export const plansPages = ({ stored, page, encoding }: Pick<ExecutionPlan, 'stored' | 'page' | 'encoding'>): boolean =>
  encoding.kind === 'image' && !encoding.staysUnrasterised && keepsPages(stored.header, page, encoding.output);

/** @param options of several results */
export async function decodingFor(
  context: WorkerContext,
  source: Source,
  done: readonly DecidedStep[],
  encodings: readonly ImageEncoding[],
  options: Pick<DecodingRequest, 'isReadAgain' | 'isMeasured'> = {},
): Promise<Decoding> {
  const { header } = source;
  const moves = encodings.some(({ output }) => keepsAnimation(output, header.format));
  const animation = header.frames > 1 && moves && !done.some(takesOneFrame);
  const frames = animation ? header.frames : 1;
  checkFrames(context, source, frames);
  for (const { step, index, after } of done) {
    await inStep(step, index, () => checkResultSize(context, header, after, frames));
  }
  return planDecoding(context, source, done, { animation, encodings, ...options });
}

/** The same for the final steps, whose result must fit into memory too. */
export async function checkedDecoding(...request: Parameters<typeof decodingFor>): Promise<Decoding> {
  const [context, source, done, encodings] = request;
  const decoding = await decodingFor(...request);
  checkEncodings(context, source, done.at(-1)?.after ?? source.header, decoding, encodings);
  return decoding;
}
