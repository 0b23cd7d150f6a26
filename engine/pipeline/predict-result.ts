/** Predicts the size of the result, as far as possible without encoding it. */
import { OUTPUTS } from '../../codecs/formats/registry.ts';
import { readMetadata, writeMetadata } from '../../codecs/metadata/index.ts';
import type { WorkerContext } from '../context.ts';
import { canShrinkTo, recodeFile } from '../operations/compress/recoded.ts';
import { areaOf, editsFrames, isDone } from '../steps/step.ts';
import type { PipelineEncoding } from './encoding.ts';
import { isStoredAs } from './make-image.ts';
import { type ExecutionPlan, plansPages } from './plan.ts';
import { predictSize, type SizeFacts } from './predict.ts';
import type { DecidedStep, PredictedBytes } from './record.ts';

/** Minimum share of a target that the quality search nearly always uses. */
const MIN_TARGET_SHARE = 0.8;
/** If the size at this quality is below the target, the result is below it too. */
const MAX_QUALITY_CODING = { quality: 100 };

export function predictedBytes(context: Pick<WorkerContext, 'modules'>, plan: ExecutionPlan): PredictedBytes {
  const { encoding } = plan;
  const kept = encoding.kind === 'image' ? keptBytes(context, plan, encoding) : undefined;
  if (kept !== undefined) return exactly(kept);
  const { target, least = 0 } = limitsOf(encoding);
  if (target !== undefined) {
    const best = predictSize({ ...sizeFacts(plan), coding: MAX_QUALITY_CODING });
    const min = Math.min(Math.round(target * MIN_TARGET_SHARE), best.min);
    return { bytes: target, min, max: target, basis: 'target' };
  }
  const { bytes, min, max } = predictSize(sizeFacts(plan));
  const padded = (size: number) => Math.max(size, least);
  return { bytes: padded(bytes), min: padded(min), max: padded(max), basis: 'estimate' };
}

export const exactly = (bytes: number): PredictedBytes => ({ bytes, min: bytes, max: bytes, basis: 'exact' });

/**
 * Size of the source's own file if it is certain to be returned: a source that already fits a target is not encoded.
 */
function keptBytes(
  context: Pick<WorkerContext, 'modules'>,
  { file, facts, source, steps, decoding }: ExecutionPlan,
  encoding: Extract<PipelineEncoding, { kind: 'image' }>,
): number | undefined {
  const { output, params } = encoding;
  const { target_bytes: target, mode } = params;
  if (target === undefined || mode === 'smart' || mode === 'lossless' || params.dpi !== undefined) return undefined;
  if (!isStoredAs(output, source.header, decoding.animation) || steps.some(worksOnPixels)) return undefined;
  // Other colour models are converted, and a file with metadata may be rewritten.
  const { model = 'rgb' } = facts.stored.colour ?? {};
  const bare = Object.keys(readMetadata(facts.format, file)).length === 0;
  if (!bare || (model !== 'rgb' && model !== 'gray')) return undefined;
  const kept = params.metadata === 'keep' ? file : writeMetadata(output, file, {});
  const bytes = (canShrinkTo(target, kept) ? recodeFile(context, output, kept) : kept).length;
  return bytes <= target && (params.min_bytes ?? 0) <= bytes ? bytes : undefined;
}

const worksOnPixels = (decided: DecidedStep) =>
  editsFrames(decided) || (isDone(decided) && decided.definition.apply !== undefined);

/** The limits of the file size. */
function limitsOf(encoding: PipelineEncoding): { target: number | undefined; least: number | undefined } {
  if (encoding.kind === 'own') {
    const { min: least, max: target } = encoding.file.bytes?.(encoding.writtenBy.params) ?? {};
    return { target, least };
  }
  const { params, output } = encoding;
  return {
    target: params.mode === 'lossless' ? undefined : params.target_bytes,
    least: OUTPUTS[output].pad ? (params.min_bytes ?? 0) : 0,
  };
}

function sizeFacts(plan: ExecutionPlan): SizeFacts {
  const { facts, stored, source, decoding, edit } = plan;
  const { header } = stored;
  const { lossless, quality } = facts.stored.coding ?? {};
  // The other pages are assumed to be like the first.
  const pages = plansPages(plan) ? header.pages : 1;
  const frames = edit ? edit.count : decoding.animation ? header.frames : pages;
  const { pixels, scale } = visiblePixels(plan);
  return {
    source: {
      format: facts.format,
      bytes: facts.bytes,
      pixels: source.header.width * source.header.height * header.frames * pages,
      animated: header.frames > 1,
      lossless,
      quality,
    },
    pixels: Math.max(1, pixels * frames),
    scale,
    ...formatAndCoding(plan.encoding),
  };
}

/** Initial quality of the encoders of steps that write the file themselves. */
const OWN_QUALITY = 90;

function formatAndCoding(encoding: PipelineEncoding): Pick<SizeFacts, 'format' | 'coding'> {
  if (encoding.kind === 'own') {
    const { file, writtenBy } = encoding;
    const isLossless = file.isLossless?.(writtenBy.params) === true;
    return { format: file.format(writtenBy.params), coding: isLossless ? 'lossless' : { quality: OWN_QUALITY } };
  }
  const { mode, quality } = encoding.params;
  return { format: encoding.output, coding: mode === 'smart' || mode === 'lossless' ? mode : { quality } };
}

/** Pixels of one frame of the result that show the source, and their number per pixel of the source. */
function visiblePixels({ source, steps, edit }: ExecutionPlan): { pixels: number; scale: number } {
  let pixels = areaOf(source.header);
  let scale = 1;
  if (edit) {
    pixels = areaOf(edit.scaled);
    scale = pixels / areaOf(edit.cropped);
  }
  for (const { definition, params, before, after } of steps.filter(isDone)) {
    const { scale: factor = 1, kept = 1 } = definition.visible?.(params, before, after) ?? {};
    pixels *= factor * kept;
    scale *= factor;
  }
  return { pixels, scale };
}
