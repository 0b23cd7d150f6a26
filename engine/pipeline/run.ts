/** `pipeline` and `pipeline-plan` on the worker: decide, decode once, do one step after the other, encode once. */
import { hasAlpha } from '../../codecs/colour.ts';
import { OUTPUTS } from '../../codecs/formats.ts';
import { copyToMemory, mapFrames, type Picture } from '../../codecs/picture.ts';
import type { WorkerContext } from '../context.ts';
import { isSeeThrough, isStoredAs } from '../operations/compress/steps.ts';
import { writeResult } from '../operations/compress/write.ts';
import { tolerateDamage } from '../operations/damage.ts';
import type { Warning } from '../result.ts';
import { flatten } from '../steps/canvas.ts';
import { icon } from '../steps/icon.ts';
import type { TaskInput } from '../task.ts';
import { applyStep } from './apply.ts';
import { describeCourse } from './describe.ts';
import { isPixelStep } from './effects.ts';
import { inStep } from './errors.ts';
import { runsModel } from './model-steps.ts';
import { type Course, planCourse } from './plan.ts';
import type { PipelinePlanResult, PipelineResult, StepReport } from './record.ts';

type PipelineTask = TaskInput<'pipeline'>;

/** @throws Failure as the header and the steps say; those of a step name it */
export async function runPipelinePlan(
  context: WorkerContext,
  { image, params }: PipelineTask,
): Promise<PipelinePlanResult> {
  const course = await planCourse(context, image, params);
  return { plan: describeCourse(course), data: image.data };
}

/** @throws Failure as `runPipelinePlan`, and as decoding and the operations of the steps do */
export function runPipeline(context: WorkerContext, input: PipelineTask): Promise<PipelineResult> {
  return tolerateDamage(input.image, (tolerant) => runSteps(context, input, tolerant));
}

async function runSteps(
  context: WorkerContext,
  { image, watermark, params }: PipelineTask,
  tolerant: boolean,
): Promise<PipelineResult> {
  const started = performance.now();
  const course = await planCourse(context, image, params);
  const { source, output, decoding } = course;
  const { animation, sequential } = decoding;
  const opened = await source.open({ ...decoding, tolerant });
  const decoded = sequential ? opened : copyToMemory(opened);
  const decodedAt = performance.now();

  const holdsAlpha = OUTPUTS[output].alpha;
  let seeThrough = !holdsAlpha && isSeeThrough(decoded, decoding);
  let picture: Picture = decoded;
  const warnings: Warning[] = [];
  const reports: StepReport[] = [];
  for (const { step, index, reason, before, after } of course.steps) {
    const from = performance.now();
    if (reason === null && isPixelStep(step)) {
      const applied = await inStep(step, index, () => applyStep(picture, step, { context, before, logo: watermark }));
      picture = sequential ? applied.picture : copyToMemory(applied.picture);
      warnings.push(...applied.warnings);
      if (step.op === 'remove_background') seeThrough = !holdsAlpha && hasAlpha(picture.frames[0]);
    }
    reports.push({ index, op: step.op, reason, ...after, durationMs: performance.now() - from });
  }
  if (seeThrough) warnings.push('alpha_flattened');
  const result = await writeResult(context, {
    bytes: course.file,
    stored: course.stored,
    source,
    opened,
    animation,
    sequential,
    picture: paintedFor(context, course, picture),
    output,
    params: course.params,
    resolution: course.resolution,
    unchanged:
      !tolerant && !opened.converted && !seeThrough && isStoredAs(output, source.header, animation) && !touches(course),
    warnings,
    started,
    decodedAt,
  });
  return {
    ...result,
    steps: reports,
    ranModel: course.steps.some(({ step, reason }) => reason === null && runsModel(step)),
  };
}

const touches = ({ steps }: Course) => steps.some(({ step, reason }) => reason === null && isPixelStep(step));

/** What the format cannot hold see-through is painted, and an icon gets its square. */
function paintedFor(context: WorkerContext, { output, params }: Course, picture: Picture): Picture {
  const { background } = params;
  const { alpha } = OUTPUTS[output];
  const opaque = mapFrames(picture, (frame) => (!alpha && hasAlpha(frame) ? flatten(frame, { background }) : frame));
  if (output !== 'ico') return opaque;
  return mapFrames(opaque, (frame) => icon(frame, { ...context, transparent: true, background }));
}
