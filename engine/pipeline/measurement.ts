/**
 * Computes the image before a step that measures it, while a pipeline is planned. The image is kept, so that the run
 * continues from it and nothing is decoded or computed twice.
 */
import { copyToMemory, type DecodedImage } from '../../codecs/decoded-image.ts';
import type { Source } from '../../codecs/source.ts';
import type { WorkerContext } from '../context.ts';
import type { Warning } from '../result.ts';
import { type BoundStep, isDone, modelsOf, type SizedStep } from '../steps/step.ts';
import type { Decoding } from './decoding.ts';
import { applySteps, type Decoded, decodeSource, type StepsJob } from './make-image.ts';

export interface MeasurementOptions extends Pick<StepsJob, 'logo' | 'tolerant' | 'report'> {
  /** Whether models may run. Without them, the size after a step that measures the result of one is not known. */
  runsModels: boolean;
}

/** A dry run. Measures as much of a damaged file as can be read. */
export const MEASURES_WITHOUT_MODELS: MeasurementOptions = {
  ...{ logo: undefined, tolerant: true, report: undefined },
  runsModels: false,
};

interface MeasuredSource {
  source: Source;
  decoding: Decoding;
  decoded: Decoded;
}

export class Measurement {
  readonly #context: WorkerContext;
  readonly #options: MeasurementOptions;
  readonly #warnings = new Set<Warning>();
  #last: MeasuredSource | undefined;

  constructor(context: WorkerContext, options: MeasurementOptions) {
    this.#context = context;
    this.#options = options;
  }

  get warnings(): Warning[] {
    return [...this.#warnings];
  }

  /**
   * Measures the image before a step.
   * @param before the steps before it
   * @returns its completed parameters; undefined if a model would have to run
   * @throws Failure of decoding and of the steps before
   */
  async complete(
    { definition, params }: BoundStep,
    source: Source,
    before: readonly SizedStep[],
    decoding: Decoding,
  ): Promise<unknown> {
    const needsModel = before.some((step) => isDone(step) && modelsOf(step).length > 0);
    if (needsModel && !this.#options.runsModels) return undefined;
    const measured = await definition.measure!(params, () => this.#imageAfter(source, before, decoding), this.#context);
    for (const warning of measured.warnings) this.#warnings.add(warning);
    return measured.params;
  }

  /** The image that was measured last, if a run that decodes in this way can continue from it. */
  begunFor(source: Source, decoding: Decoding): Decoded | undefined {
    const isSame = this.#last?.source === source && isSameDecoding(this.#last.decoding, decoding);
    return isSame ? this.#last?.decoded : undefined;
  }

  async #imageAfter(source: Source, steps: readonly SizedStep[], decoding: Decoding): Promise<DecodedImage> {
    const { tolerant } = this.#options;
    const begun = this.begunFor(source, decoding);
    const decoded = begun ?? (await decodeSource({ context: this.#context, plan: { source, decoding }, tolerant }));
    const job = { context: this.#context, ...this.#options, plan: { steps } };
    const { image, warnings, inMemory } = await applySteps(job, decoded, decoding.sequential);
    if (decoding.sequential) return image;
    const held = inMemory ? image : copyToMemory(image);
    this.#last = { source, decoding, decoded: { ...decoded, begun: { image: held, steps: steps.length, warnings } } };
    return held;
  }
}

function isSameDecoding(one: Decoding, other: Decoding): boolean {
  const { size: oneSize, ...rest } = one;
  const { size: otherSize, ...otherRest } = other;
  return (
    oneSize?.width === otherSize?.width &&
    oneSize?.height === otherSize?.height &&
    (Object.keys(rest) as (keyof typeof rest)[]).every((name) => rest[name] === otherRest[name])
  );
}
