/** Describes a plan for a dry run. */

import { FORMATS, type FormatId, OUTPUTS } from '../../codecs/formats/registry.ts';
import { readMetadata } from '../../codecs/metadata/index.ts';
import { withFreedHandles } from '../../codecs/vips.ts';
import { convertsColours } from '../../codecs/working-space.ts';
import type { WorkerContext } from '../context.ts';
import { keepsGainMap, shownPart } from '../operations/compress/gain-map.ts';
import { maxDepth } from '../operations/compress/write.ts';
import { BYTE_BITS, sourceWarnings } from '../operations/source-warnings.ts';
import type { ImageResult, Warning } from '../result.ts';
import type { MetadataMode } from '../steps/metadata.ts';
import { STEP_PARAMS } from '../steps/registry.ts';
import { canAddTransparency, isDone, modelsOf } from '../steps/step.ts';
import type { OwnEncoding } from './encoding.ts';
import { type DecidedSource, type ExecutionPlan, plansPages } from './plan.ts';
import { type OutputsExecutionPlan, planOf } from './plan-outputs.ts';
import { exactly, predictedBytes } from './predict-result.ts';
import type { DecidedStep, OutputsPlan, PipelinePlan, PlannedStep, PlanSummary, Step } from './record.ts';
import { isEncoding } from './step.ts';

/**
 * @param asked the steps as requested
 * @param drawing the result, if it is an SVG: its size is only known by making it
 */
export async function describePlan(
  context: WorkerContext,
  plan: ExecutionPlan,
  asked: readonly Step[],
  drawing: ImageResult | undefined,
): Promise<PipelinePlan> {
  const last = plan.steps.at(-1);
  const { width, height } = last ? sizeAfter(last) : plan.source.header;
  const predicted = drawing ? exactly(drawing.data.byteLength) : predictedBytes(context, plan);
  const { encoding } = plan;
  return {
    source: describeSource(plan),
    steps: describeSteps(plan, asked, encoding.kind === 'image' ? encoding.params.metadata : undefined),
    result: {
      format: drawing?.format ?? formatOf(plan),
      ...(drawing?.extension === undefined ? {} : { extension: drawing.extension }),
      ...{ width, height, predicted },
    },
    warnings: drawing?.warnings ?? (await warningsOf(context, plan, predicted.basis === 'exact')),
  };
}

/** @param asked the steps as requested */
export async function describeOutputsPlan(
  context: WorkerContext,
  plan: OutputsExecutionPlan,
  asked: readonly Step[],
): Promise<OutputsPlan> {
  const plans = plan.resizes.flatMap((resize) => plan.encodings.map((encoding) => planOf(plan, resize, encoding)));
  const described: PipelinePlan[] = [];
  for (const one of plans) described.push(await describePlan(context, one, asked, undefined));
  return {
    source: describeSource(plan),
    steps: describeSteps(plan, asked, plan.encodings[0]?.params.metadata),
    outputs: described.map(({ result }) => result),
    warnings: [...new Set(described.flatMap(({ warnings }) => warnings))],
  };
}

function describeSource({ facts, stored: { header } }: DecidedSource): PlanSummary['source'] {
  const { width, height, frames, hasAlpha } = header;
  return { format: facts.format, bytes: facts.bytes, width, height, frames, hasAlpha, hasGps: facts.hasGps };
}

/** @param metadata the mode that an encoding step has from other steps; undefined if it has no such parameter */
const describeSteps = (
  { steps }: DecidedSource,
  asked: readonly Step[],
  metadata: MetadataMode | undefined,
): PlannedStep[] => asked.map((step, at) => describeStep(steps[at]!, step, metadata));

function describeStep(decided: DecidedStep, step: Step, metadata: MetadataMode | undefined): PlannedStep {
  const { index, reason } = decided;
  const takesMode = isEncoding(step) && 'metadata' in STEP_PARAMS[step.op].shape;
  const used = reason === null && takesMode && metadata !== undefined;
  return {
    index,
    op: step.op,
    reason,
    ...sizeAfter(decided),
    // With the parameters that other steps determine.
    params: used ? { ...step.params, metadata } : step.params,
    model: isDone(decided) && modelsOf(decided).length > 0,
  };
}

const sizeAfter = ({ after: { width, height }, isUnmeasured }: DecidedStep): Pick<PlannedStep, 'width' | 'height'> =>
  isUnmeasured ? { width: null, height: null } : { width, height };

function formatOf({ encoding }: ExecutionPlan): FormatId {
  if (encoding.kind === 'image') return encoding.output;
  return encoding.file.format(encoding.writtenBy.params);
}

/**
 * Warnings that are known before a run.
 * @param isKept whether the result is certain to be the source's own file
 */
async function warningsOf(context: WorkerContext, plan: ExecutionPlan, isKept: boolean): Promise<Warning[]> {
  const { page, stored, decoding, encoding } = plan;
  const converted = await convertsSource(context, plan);
  const { header } = stored;
  const isDeep = encoding.kind === 'image' && decoding.keepDepth;
  const depth = isKept ? header.storedDepth : isDeep ? maxDepth(encoding.output, encoding.params) : BYTE_BITS;
  return [
    ...plan.warnings,
    ...(encoding.kind === 'own' ? ownWarnings(encoding) : []),
    ...sourceWarnings({
      ...{ header, page, depth, converted },
      animation: decoding.animation,
      allPages: plansPages(plan),
    }),
    ...(flattens(plan) ? (['alpha_flattened'] as const) : []),
    ...(encoding.kind === 'image' ? imageWarnings(plan, encoding, converted) : []),
  ];
}

/** Whether decoding converts the colours to sRGB. Reads no pixels. */
async function convertsSource({ vips }: WorkerContext, plan: ExecutionPlan): Promise<boolean> {
  const { file, facts, source, decoding } = plan;
  const { size: _size, ...request } = decoding;
  // Profiles of some formats are only known to their decoder.
  if (source.opensLazily)
    return await withFreedHandles(vips, async () => {
      const opened = await source.open({ ...request, animation: false, sequential: true, tolerant: true });
      return opened.converted;
    });
  const { colour, blocks } = facts.stored;
  const codePoints = FORMATS[facts.format].readCodePoints?.(file);
  return convertsColours(vips, { model: colour?.model ?? 'rgb', icc: blocks.icc, codePoints }, decoding);
}

/** Whether a cut-out with a transparent background is written in a format without alpha, or without soft edges. */
function flattens({ steps, encoding }: ExecutionPlan): boolean {
  const cut = steps.findLast((decided) => isDone(decided) && decided.definition.replacesAlpha);
  const losesAlpha =
    encoding.kind === 'own'
      ? encoding.file.isOpaque === true
      : !OUTPUTS[encoding.output].alpha || OUTPUTS[encoding.output].binaryAlpha === true;
  return losesAlpha && cut !== undefined && canAddTransparency(cut);
}

function imageWarnings(
  { file, facts, page, steps, stored, edit }: ExecutionPlan,
  { output, params, resolution }: Extract<ExecutionPlan['encoding'], { kind: 'image' }>,
  converted: boolean,
): Warning[] {
  const unpadded = params.min_bytes !== undefined && !OUTPUTS[output].pad;
  const { gainMap } = readMetadata(facts.format, file);
  const shown = converted || edit ? undefined : shownPart(steps.filter(isDone), stored.header);
  const dropsGainMap = gainMap !== undefined && !keepsGainMap({ gainMap, page, shown, output, params });
  return [
    ...resolution.warnings,
    ...(dropsGainMap ? (['gain_map_dropped'] as const) : []),
    ...(unpadded ? (['min_size_unavailable'] as const) : []),
  ];
}

const ownWarnings = ({ file, writtenBy }: OwnEncoding): Warning[] =>
  file.warnings?.(writtenBy.params, writtenBy.before) ?? [];
