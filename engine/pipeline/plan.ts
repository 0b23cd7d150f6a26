/** What a pipeline does with a picture, decided before any step is done: what a dry run tells, and what a run follows. */
import { hasAlpha, sampleMax } from '../../codecs/colour.ts';
import { type InputFormat, OUTPUTS, type OutputFormat } from '../../codecs/formats.ts';
import { formatOf, openSource } from '../../codecs/read.ts';
import { type OpenRequest, type Source, WHOLE_PICTURE } from '../../codecs/source.ts';
import { checkSize } from '../../codecs/write.ts';
import type { WorkerContext } from '../context.ts';
import { resizeParams } from '../operations/compress/geometry.ts';
import { type Resolution, resolutionOf } from '../operations/compress/metadata.ts';
import { type CompressParams, compressParams } from '../operations/compress/params.ts';
import { checkFrames, checkMode } from '../operations/compress/plan.ts';
import { outputFormat } from '../operations/compress/source.ts';
import { keptColour } from '../operations/compress/write.ts';
import { isStreamed, largestShrink, type Shrink } from '../operations/decoding.ts';
import { checkResultSize } from '../operations/result-size.ts';
import { checkSourceSize } from '../operations/source-size.ts';
import { planResize } from '../steps/resize.ts';
import type { Size } from '../steps/step.ts';
import type { SourceFile } from '../task.ts';
import { asksFor, holds } from './conditions.ts';
import { effectOf, isPixelStep } from './effects.ts';
import { inStep } from './errors.ts';
import { SourceFacts } from './facts.ts';
import { runsModel } from './model-steps.ts';
import { ENCODING_OPS } from './ops.ts';
import type { PipelineParams, SkipReason, Step } from './record.ts';

/** A step with what has been decided about it. */
export interface DecidedStep {
  /** From 1. */
  index: number;
  step: Step;
  /** Why it is not done; null when it is. */
  reason: SkipReason | null;
  /** Of the picture before and after it. */
  before: Size;
  after: Size;
}

export interface Course {
  file: Uint8Array;
  facts: SourceFacts;
  /** As it came. */
  stored: Source;
  /** As it is opened. */
  source: Source;
  steps: DecidedStep[];
  output: OutputFormat;
  /** Of the encoding, with what the other steps say about it. */
  params: CompressParams;
  resolution: Resolution;
  decoding: Omit<OpenRequest, 'tolerant'>;
}

const DEFAULTS = compressParams.parse({});

/**
 * @throws Failure as reading a header does; `image_too_large`, `invalid_parameter` and `unsupported_output`, which name the
 * step at fault
 */
export async function planCourse(
  context: WorkerContext,
  { data, filename }: SourceFile,
  { steps, maxPixels }: PipelineParams,
): Promise<Course> {
  const file = new Uint8Array(data);
  const format: InputFormat = await formatOf(file, filename);
  const stored = await openSource(context, { bytes: file, format, page: 1, filename });
  checkSourceSize(context, stored, 1);
  const facts = new SourceFacts(file, stored.header);
  const source = stored;
  const decided = await decide(context, source, { steps, maxPixels, facts });

  const encoding = decided.find(({ step, reason }) => reason === null && isEncoding(step));
  const asked = encodingParams(encoding?.step, decided);
  const output = await outputFormat(context, source, asked);
  const resolution = resolutionFor(asked, decided);
  const params = { ...asked, dpi: resolution.dpi };
  const atEncoding = async (work: () => void) => (encoding ? inStep(encoding.step, encoding.index, work) : work());
  await atEncoding(() => checkMode(output, params));

  const done = decided.filter(({ reason }) => reason === null);
  const { header } = source;
  const oneFrame = done.some(({ step }) => runsModel(step));
  const animation = header.frames > 1 && OUTPUTS[output].animation && !oneFrame;
  const frames = animation ? header.frames : 1;
  checkFrames(context, source, frames);
  for (const { step, index, after } of done) {
    await inStep(step, index, () => checkResultSize(context, header, after, frames));
  }
  const last = decided.at(-1)?.after ?? header;
  if (output !== 'ico') await atEncoding(() => checkSize(output, last.width, last.height));

  const shrink = source.shrinks && !animation ? decoderShrink(done) : 1;
  const sequential = isStreamed(context, source, { frames, shrink, inOrder: done.every(walksInOrder) });
  const eightBits = done.some(({ step }) => step.op === 'blur_faces' || runsModel(step));
  const colour = eightBits ? WHOLE_PICTURE : keptColour(output, params);
  const { keepDepth, keepProfile } = colour;
  return {
    file,
    facts,
    stored,
    source,
    steps: decided,
    output,
    params,
    resolution,
    decoding: { animation, shrink, sequential, keepDepth, keepProfile },
  };
}

const isEncoding = ({ op }: Step) => (ENCODING_OPS as readonly string[]).includes(op);

interface Decision extends PipelineParams {
  facts: SourceFacts;
}

async function decide(
  context: WorkerContext,
  source: Source,
  { steps, maxPixels, facts }: Decision,
): Promise<DecidedStep[]> {
  const { header } = source;
  const effects = { context, maxPixels, orientation: header.orientation };
  const decided: DecidedStep[] = [];
  let size: Size = { width: header.width, height: header.height };
  let encoded = false;
  for (const [at, step] of steps.entries()) {
    const index = at + 1;
    const before = size;
    const decision = await inStep(step, index, async (): Promise<{ reason: SkipReason | null; after: Size }> => {
      if (encoded && isEncoding(step)) return { reason: 'earlier_encoding_used', after: before };
      const { when } = step;
      if (when) {
        const seeThrough = header.hasAlpha && asksFor(when, 'has_alpha') && (await isSeeThrough(source));
        const { bytes, format, animated } = facts;
        const known = {
          ...before,
          bytes,
          format,
          animated,
          hasAlpha: seeThrough,
          get hasGps() {
            return facts.hasGps;
          },
          get dpi() {
            return facts.dpi;
          },
        };
        if (!holds(when, known)) return { reason: 'condition', after: before };
      }
      if (!isPixelStep(step)) return { reason: null, after: before };
      const { size: after, changes } = effectOf(step, before, effects);
      const changed = changes || after.width !== before.width || after.height !== before.height;
      return { reason: changed ? null : 'no_change', after };
    });
    encoded ||= isEncoding(step) && decision.reason === null;
    size = decision.after;
    decided.push({ index, step, before, ...decision });
  }
  return decided;
}

/** Whether any pixel of any frame is see-through. */
async function isSeeThrough({ header, streams, open }: Source): Promise<boolean> {
  const animation = header.frames > 1;
  const { frames } = await open({
    ...WHOLE_PICTURE,
    animation,
    sequential: header.orientation === 1 && (streams || animation),
    tolerant: true,
  });
  return frames.some((frame) => hasAlpha(frame) && frame.extractBand(frame.bands - 1).min() < sampleMax(frame));
}

/** The parameters of compress that an encoding step means, with the metadata of the last step that names them. */
function encodingParams(step: Step | undefined, decided: readonly DecidedStep[]): CompressParams {
  const named = decided.findLast(({ step, reason }) => reason === null && step.op === 'metadata')?.step;
  const metadata = named?.op === 'metadata' ? named.params.metadata : DEFAULTS.metadata;
  if (step?.op === 'convert') return { ...DEFAULTS, ...step.params, metadata };
  if (step?.op === 'compress') return { ...DEFAULTS, ...step.params, metadata: step.params.metadata ?? metadata };
  return { ...DEFAULTS, metadata };
}

/** What the encoding says of the resolution, else the last resize that says something. */
function resolutionFor(params: CompressParams, decided: readonly DecidedStep[]): Resolution {
  let resolution: Resolution = { dpi: undefined, warnings: [] };
  for (const { step, reason, before, after } of decided) {
    if (step.op !== 'resize' || reason !== null) continue;
    const said = resolutionOf(step.params, before, planResize(before, resizeParams(step.params)), after);
    if (said.dpi !== undefined) resolution = said;
  }
  return params.dpi === undefined ? resolution : { ...resolution, dpi: params.dpi };
}

/** How far the decoder may shrink the picture: as far as the first step that changes its size does, if that scales it. */
function decoderShrink(done: readonly DecidedStep[]): Shrink {
  for (const { step, before } of done) {
    if (step.op === 'resize') {
      const { scaled } = planResize(before, resizeParams(step.params));
      return largestShrink(Math.min(before.width / scaled.width, before.height / scaled.height));
    }
    if (!isFree(step)) return 1;
  }
  return 1;
}

/** Steps that do the same to a smaller version of the picture. */
function isFree(step: Step): boolean {
  if (step.op === 'rotate') return step.params.rotate % 90 === 0;
  return step.op === 'orient' || step.op === 'flip' || step.op === 'metadata';
}

/** Whether a step takes the rows in the order in which a decoder gives them. */
function walksInOrder({ step }: DecidedStep): boolean {
  switch (step.op) {
    case 'crop':
      return step.params.crop_ratio === undefined || step.params.crop_gravity === 'centre';
    case 'flip':
      return !step.params.flip.includes('v');
    case 'adjust':
      return !step.params.enhance;
    case 'rotate':
    case 'remove_background':
    case 'upscale':
    case 'blur_faces':
      return false;
    default:
      return true;
  }
}
