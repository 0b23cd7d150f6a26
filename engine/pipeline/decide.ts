/**
 * Decides which steps run on an image, and its size after each: from its header, and from its pixels if a condition
 * tests transparency or a step measures them.
 */
import type { Size } from '../../base/geometry.ts';
import type { Source } from '../../codecs/source.ts';
import type { WorkerContext } from '../context.ts';
import { checkResultSize } from '../operations/result-size.ts';
import { renderingScale } from '../steps/resize.ts';
import { type BoundStep, isDone, keepsVector, type SkipReason } from '../steps/step.ts';
import { workerDefinition } from '../steps/worker/registry.ts';
import { type Condition, holds, usesField } from './conditions.ts';
import { inStep } from './errors.ts';
import type { SourceFacts } from './facts.ts';
import { resizeTo } from './outputs.ts';
import type { DecidedStep, PipelineParams, Step } from './record.ts';
import { isEncoding } from './step.ts';
import { hasTransparencyAfter } from './transparency.ts';

export interface Decided {
  /** The source as it is opened. */
  source: Source;
  steps: DecidedStep[];
}

export interface DecideRequest extends PipelineParams {
  facts: SourceFacts;
  measure: MeasureStep;
  /** The width to which the result of the steps is scaled, if it is. */
  finalWidth?: number;
}

/**
 * Measures the image before a step.
 * @param expected the steps before, that step, and those after it as far as they do not depend on a condition
 * @param before how many steps are before it
 * @returns its completed parameters; undefined if a model would have to run
 */
export type MeasureStep = (
  step: BoundStep,
  source: Source,
  expected: readonly DecidedStep[],
  before: number,
) => Promise<unknown>;

/** @throws Failure as for `effect` and `measure` of a step; it names the step */
export async function decide(context: WorkerContext, source: Source, request: DecideRequest): Promise<Decided> {
  const decision = new Decision(context, source, request);
  const drawn = await decision.walk([]);
  if (!drawn) return { source, steps: decision.steps };
  const scaled = new Decision(context, drawn.source, request);
  await scaled.walk(drawn.decided);
  return { source: drawn.source, steps: scaled.steps };
}

/** Renders a vector source at the requested size, smaller or larger, instead of resampling it. */
interface RenderedSource {
  source: Source;
  /** Decisions at the source's own size, up to the resize that requests another one. */
  decided: readonly DecidedStep[];
}

class Decision {
  readonly steps: DecidedStep[] = [];
  readonly #context: WorkerContext;
  readonly #source: Source;
  readonly #request: DecideRequest;
  #size: Size;
  #isUnmeasured = false;

  constructor(context: WorkerContext, source: Source, request: DecideRequest) {
    this.#context = context;
    this.#source = source;
    this.#request = request;
    const { width, height } = source.header;
    this.#size = { width, height };
  }

  /**
   * Decides step by step.
   * @param known decisions on the first steps; only their sizes must be computed again
   * @returns the source at another rendering size; then the remaining steps must be decided again for it
   */
  async walk(known: readonly DecidedStep[]): Promise<RenderedSource | undefined> {
    let drawable = known.length === 0 && this.#source.scaled !== undefined;
    for (const [at, asked] of this.#request.steps.entries()) {
      const index = at + 1;
      const step = known[at]?.step ?? asked;
      const before = this.#size;
      const reason = known[at] ? known[at].reason : await inStep(step, index, () => this.#obstacle(step));
      if (drawable && reason === null) {
        const drawn = this.#drawnFor(step, index);
        if (drawn) return drawn;
      }
      const params = reason === null ? await this.#completedParams(step, at) : step.params;
      const effect = await inStep(step, index, () => this.#effectOf(step, params, reason, known[at] !== undefined));
      const decided = {
        ...{ index, step, definition: workerDefinition(step.op), params, before },
        ...{ ...effect, isUnmeasured: this.#isUnmeasured },
      };
      this.steps.push(decided);
      this.#size = decided.after;
      drawable &&= !isDone(decided) || isEncoding(step) || keepsVector(decided);
    }
    const { finalWidth } = this.#request;
    return drawable && finalWidth !== undefined ? this.#drawnAt(finalWidth) : undefined;
  }

  /** The reason to skip a step that does not depend on its effect. */
  async #obstacle(step: Step): Promise<SkipReason | null> {
    const encodes = (decided: DecidedStep) => isDone(decided) && isEncoding(decided.step);
    if (isEncoding(step) && this.steps.some(encodes)) return 'earlier_encoding_used';
    return step.when === undefined || (await this.#holds(step.when)) ? null : 'condition';
  }

  async #holds(condition: Condition): Promise<boolean> {
    const { facts } = this.#request;
    const done = this.steps.filter(isDone);
    const hasAlpha =
      usesField(condition, 'has_alpha') && (await hasTransparencyAfter(this.#context, this.#source, done));
    return holds(condition, facts.before(this.#size, hasAlpha));
  }

  /** The parameters, with what the step measures. */
  async #completedParams(step: Step, at: number): Promise<unknown> {
    const definition = workerDefinition(step.op);
    if (!definition.measure) return step.params;
    const { measure } = this.#request;
    const bound = { definition, params: step.params };
    const completed = await measure(bound, this.#source, [...this.steps, ...this.#expectedFrom(at)], at);
    this.#isUnmeasured ||= completed === undefined;
    return completed ?? step.params;
  }

  /** The step that is being decided, and those after it as if their conditions did not hold and no size changed. */
  #expectedFrom(at: number): DecidedStep[] {
    const [current, ...later] = this.#request.steps.slice(at);
    const certain = later.filter(({ when }) => when === undefined);
    const encoding = certain.find(isEncoding);
    const expected = new Set([current, encoding, ...certain.filter((step) => !isEncoding(step))]);
    return [current!, ...later].map((step, offset) => ({
      ...{ index: at + offset + 1, step, definition: workerDefinition(step.op), params: step.params },
      reason: expected.has(step) ? null : 'condition',
      ...{ before: this.#size, after: this.#size },
    }));
  }

  #effectOf(
    step: Step,
    params: unknown,
    obstacle: SkipReason | null,
    known: boolean,
  ): Pick<DecidedStep, 'reason' | 'after'> {
    if (obstacle !== null) return { reason: obstacle, after: this.#size };
    const { maxPixels } = this.#request;
    const effects = { context: this.#context, source: this.#source, maxPixels, canvas: undefined };
    const { size, changes } = workerDefinition(step.op).effect(params, this.#size, effects);
    const { width, height } = size;
    checkResultSize(this.#context, this.#source.header, size);
    return { reason: changes || known ? null : 'no_change', after: { width, height } };
  }

  #drawnAt(width: number): RenderedSource | undefined {
    const scale = renderingScale(this.#size, resizeTo(width));
    return scale === 1 ? undefined : { source: this.#source.scaled!(scale), decided: this.steps };
  }

  #drawnFor(step: Step, index: number): RenderedSource | undefined {
    const before = this.#size;
    const definition = workerDefinition(step.op);
    const { scale = 1, params } = definition.renders?.(step.params, before) ?? {};
    if (scale === 1) return undefined;
    const rendered = { step: { ...step, params }, definition, params };
    return {
      source: this.#source.scaled!(scale),
      decided: [...this.steps, { index, ...rendered, reason: null, before, after: before }],
    };
  }
}
