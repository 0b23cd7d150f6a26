/** The engine of the service for programs: the same operations, without a server. */

import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { camelCase } from '../base/camel-case.ts';
import { Failure } from '../base/failure.ts';
import { hintOf } from '../base/hints.ts';
import { createDecoder } from '../base/parameter-decoder.ts';
import { ImagecrewError } from '../client/errors.ts';
import type { Engine, RunOptions } from '../engine/engine.ts';
import type { Allowance, AuxiliaryImages, RecordResult, ZipResult } from '../engine/operations/definition.ts';
import { type SourceParams, sourceParams } from '../engine/operations/parameters.ts';
import { fieldValues, OPERATIONS, type Operation, operationInput } from '../engine/operations/registry.ts';
import { PIPELINE_IMAGES } from '../engine/pipeline/check.ts';
import { createEngine as createPools } from '../engine/pools.ts';
import type { ImageResult } from '../engine/result.ts';
import { DEFAULT_LIMITS, memoryForTasks } from '../engine/settings.ts';
import { timedTask } from '../engine/timed-task.ts';
import { runPipeline } from './pipeline.ts';
import { imageOf, zipOf } from './results.ts';
import { readSource, typeName } from './source.ts';
import type { EngineOptions, ImageEngine, ImageSource } from './types.ts';

/** Without a check, calls to an engine with 0 workers would wait forever. */
const optionsDecoder = createDecoder(
  z.strictObject({
    workers: z.int().min(1).default(availableParallelism),
    modelsFolder: z.string().default(''),
    maxPixels: z.int().min(1).default(DEFAULT_LIMITS.pixels),
    timeoutMs: z.int().min(1).default(30_000),
  }),
);

/**
 * Starts an engine. One engine per process is enough; its methods may be called side by side, and calls beyond the
 * number of workers wait.
 * @throws ImagecrewError `invalid_parameter` for an option that cannot be used
 */
export async function createEngine(options: EngineOptions = {}): Promise<ImageEngine> {
  const { workers, modelsFolder, maxPixels, timeoutMs } = await withPublicErrors(undefined, async () =>
    optionsDecoder.complete(optionsDecoder.fromJson(definedValues(options, 'options'))),
  );
  const limits = {
    ...DEFAULT_LIMITS,
    pixels: maxPixels,
    decodedPixels: Math.min(maxPixels, DEFAULT_LIMITS.decodedPixels),
  };
  const most = Number.MAX_SAFE_INTEGER;
  const engine = await createPools({
    ...{ workers, modelsFolder, timeoutMs, limits },
    memoryBytes: memoryForTasks(workers, limits),
    // How many calls are in progress is the caller's decision.
    admission: { tasks: most, bytes: most, pixels: most },
    maxWaitMs: Number.POSITIVE_INFINITY,
    warmThreads: false,
    keepsHeapSettings: true,
  });
  const close = () => engine.close();
  const methods: object = {
    ...Object.fromEntries(
      OPERATIONS.map((operation) => [camelCase(operation.name), operationMethod(engine, operation, maxPixels)]),
    ),
    pipeline: pipelineMethod(engine, maxPixels),
    formats: await engine.ready(),
    close,
    [Symbol.asyncDispose]: close,
  };
  return methods as ImageEngine;
}

/** No plan applies: every further image may be used. */
const FEATURES = OPERATIONS.flatMap(({ auxiliaryImages = {} }) => Object.keys(auxiliaryImages));

type Images = Readonly<Record<string, ImageSource>>;

function operationMethod(engine: Engine, operation: Operation, upscalePixels: number) {
  const declared = createDecoder(z.strictObject({ ...sourceParams.shape, ...operation.params.shape }));
  const allowance: Allowance = { features: FEATURES, upscale_pixels: upscalePixels };
  return async (source: ImageSource, given: object = {}, options: RunOptions & Images = {}) => {
    const values = definedValues(given, 'params');
    const { signal, images } = callOptions(options);
    const image = await readSource(source, 'image');
    const auxiliaryImages = await readAuxiliaryImages(operation, images);
    return await withPublicErrors(signal, async () => {
      const params: SourceParams = declared.complete(declared.fromJson(values));
      operation.check?.(params);
      const filename = params.filename ?? image.filename;
      const named = { data: image.data, ...(filename === undefined ? {} : { filename }) };
      const input = operationInput(operation, named, params, auxiliaryImages, allowance);
      const { result, durationMs } = await timedTask(engine, operation.name, input, { ...(signal && { signal }) });
      switch (operation.output.kind) {
        case 'image':
          return imageOf(result as ImageResult, durationMs, fieldValues(operation, result as ImageResult));
        case 'zip':
          return zipOf(result as ZipResult, durationMs);
        case 'record':
          return { ...(result as RecordResult).record, duration_ms: Math.round(durationMs) };
      }
    });
  };
}

/**
 * Unlike JSON, an object of a program may have fields without a value.
 * @throws TypeError for anything but an object
 */
function definedValues(values: object, place: string): Record<string, unknown> {
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    throw new TypeError(`Expected an object for ${place} but received ${typeName(values)}.`);
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** @throws TypeError for a signal that is none: the engine would fail outside of the call, and end the process */
function callOptions(options: RunOptions & Images): { signal: AbortSignal | undefined; images: Images } {
  const { signal, ...images } = definedValues(options, 'options');
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw new TypeError(`Expected an AbortSignal for signal but received ${typeName(signal)}.`);
  return { signal, images: images as Images };
}

/** @throws TypeError for an image that the operation does not take */
async function readAuxiliaryImages(
  { name, auxiliaryImages = {} }: { name: string } & Pick<Operation, 'auxiliaryImages'>,
  images: Images,
): Promise<AuxiliaryImages> {
  const names = new Map(Object.keys(auxiliaryImages).map((part) => [camelCase(part), part]));
  const files = Object.entries(images).map(async ([option, image]) => {
    const part = names.get(option);
    if (part === undefined) throw new TypeError(`Expected an option of ${name} but received "${option}".`);
    return [part, await readSource(image, option)] as const;
  });
  return Object.fromEntries(await Promise.all(files));
}

const PIPELINE = { name: 'pipeline', auxiliaryImages: PIPELINE_IMAGES };

function pipelineMethod(engine: Engine, maxPixels: number) {
  return async (source: ImageSource, pipeline: unknown, given: RunOptions & Images = {}) => {
    const { signal, images } = callOptions(given);
    const image = await readSource(source, 'image');
    const { watermark_image: logo } = await readAuxiliaryImages(PIPELINE, images);
    const watermark = logo && { watermark: logo };
    const options = { ...(signal && { signal }) };
    return await withPublicErrors(signal, () =>
      runPipeline(engine, { image, ...watermark, maxPixels, options }, pipeline),
    );
  };
}

/** A service that stops is followed by another one; a closed engine stays closed. */
const CLOSED = 'Expected an open engine for this call but received it after close().';
const OPEN_ANOTHER = 'Make the calls before close(), or create another engine.';

/** Converts the failures of the engine into the error class of the package, and throws the reason of an abort. */
async function withPublicErrors<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof Failure)) throw error;
    const { code, status, message, param, retryAfter } = error;
    const facts = { code, status, param, requestId: undefined };
    if (code === 'shutting_down')
      throw new ImagecrewError(CLOSED, { ...facts, hint: OPEN_ANOTHER, retryAfter: undefined });
    throw new ImagecrewError(message, { ...facts, hint: hintOf(error), retryAfter });
  }
}
