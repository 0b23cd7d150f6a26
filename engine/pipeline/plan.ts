/** Plans a pipeline for an image before any step runs. A dry run returns the plan, a run executes it. */
import { OUTPUTS } from '../../codecs/formats/registry.ts';
import { formatOf, openSource } from '../../codecs/read.ts';
import { type OpenRequest, type Source, WHOLE_IMAGE } from '../../codecs/source.ts';
import type { WorkerContext } from '../context.ts';
import { type DecodedSize, FULL_SIZE, resizeParams, sizeBefore } from '../operations/compress/geometry.ts';
import { checkFrames } from '../operations/compress/plan.ts';
import { colourToDecode } from '../operations/compress/write.ts';
import { checkEncoding, isStreamed } from '../operations/decoding.ts';
import { type GifPlan, planGif } from '../operations/gif/plan.ts';
import { checkResultSize } from '../operations/result-size.ts';
import { checkSourceSize } from '../operations/source-size.ts';
import type { SourceFile } from '../source-file.ts';
import { planResize } from '../steps/resize.ts';
import { decide } from './decide.ts';
import { type PipelineEncoding, planEncoding } from './encoding.ts';
import { inStep } from './errors.ts';
import { SourceFacts } from './facts.ts';
import type { DecidedStep, PipelineParams } from './record.ts';
import { isScaleIndependent, needsPlainSamples, readsRowsInOrder, takesOneFrame } from './step-traits.ts';

/** Everything that is known before the steps run. */
export interface ExecutionPlan {
  file: Uint8Array;
  facts: SourceFacts;
  /** The unchanged source. */
  stored: Source;
  /** The source as it is opened. */
  source: Source;
  steps: DecidedStep[];
  encoding: PipelineEncoding;
  /** The frames of the result of a gif step. */
  edit: GifPlan | undefined;
  decoding: Omit<OpenRequest, 'tolerant'>;
}

/**
 * @throws Failure as for reading a header; `image_too_large`, `invalid_parameter` and `unsupported_output`, which name
 * the failing step
 */
export async function planPipeline(
  context: WorkerContext,
  { data, filename }: SourceFile,
  pipeline: PipelineParams,
): Promise<ExecutionPlan> {
  const file = new Uint8Array(data);
  const format = await formatOf(file, filename);
  const stored = await openSource(context, { bytes: file, format, page: 1, filename });
  checkSourceSize(context, stored, 1);
  const facts = new SourceFacts(file, stored.header);
  const { source, steps } = await decide(context, stored, { ...pipeline, facts });
  const encoding = await planEncoding(context, source, steps);
  const done = steps.filter(({ reason }) => reason === null);
  const gif = done.find(({ step }) => step.op === 'gif')?.step;
  const edit = gif?.op === 'gif' ? planGif(context, source, { ...gif.params, page: 1 }) : undefined;
  const decoding = edit
    ? { ...WHOLE_IMAGE, animation: edit.animation, sequential: edit.sequential }
    : await planDecoding(context, source, encoding, done);
  return { file, facts, stored, source, steps, encoding, edit, decoding };
}

async function planDecoding(
  context: WorkerContext,
  source: Source,
  encoding: PipelineEncoding,
  done: readonly DecidedStep[],
): Promise<ExecutionPlan['decoding']> {
  const { header } = source;
  const oneFrame = done.some(({ step }) => takesOneFrame(step));
  const moves = encoding.kind === 'picture' && OUTPUTS[encoding.output].animation;
  const animation = header.frames > 1 && moves && !oneFrame;
  const frames = animation ? header.frames : 1;
  checkFrames(context, source, frames);
  for (const { step, index, after } of done) {
    await inStep(step, index, () => checkResultSize(context, header, after, frames));
  }
  const { shrink, size } = source.shrinks && !animation ? decodedSize(done) : FULL_SIZE;
  const inOrder = done.every(({ step }) => readsRowsInOrder(step));
  const sequential = isStreamed(context, source, { frames, shrink, inOrder });
  if (encoding.kind === 'picture' && !OUTPUTS[encoding.output].icon) {
    const result = done.at(-1)?.after ?? header;
    const { output } = encoding;
    checkEncoding(context, source, { frames, shrink }, { result, output, streamed: sequential });
  }
  const plain = encoding.kind !== 'picture' || done.some(({ step }) => needsPlainSamples(step));
  const { keepProfile, keepDepth } = plain ? WHOLE_IMAGE : colourToDecode(encoding.output, encoding.params);
  return { animation, shrink, size, sequential, keepProfile, keepDepth };
}

/**
 * How much the decoder may shrink the image: down to the size after the first step that changes its size, if that step
 * is a resize.
 */
function decodedSize(done: readonly DecidedStep[]): DecodedSize {
  const at = done.findIndex(({ step }) => !isScaleIndependent(step));
  const first = done[at];
  if (first?.step.op !== 'resize') return FULL_SIZE;
  const turns = done.slice(0, at).filter(({ step }) => step.op === 'rotate' && step.params.rotate % 180 !== 0).length;
  return sizeBefore(first.before, planResize(first.before, resizeParams(first.step.params)), turns % 2 === 1);
}
