/** One process of {@link file://./model-operations.ts}: one operation on one image, then its model alone. */

import { readFile } from 'node:fs/promises';
import type { Size } from '../base/geometry.ts';
import { startKernels } from '../codecs/kernels/kernels.ts';
import { compileModules } from '../codecs/modules.ts';
import { startVips } from '../codecs/vips.ts';
import { findFaces } from '../engine/operations/faces/detect.ts';
import { sourceParams } from '../engine/operations/parameters.ts';
import { type Operation, operationInput, operationNamed } from '../engine/operations/registry.ts';
import { createPool } from '../engine/pool.ts';
import { subjectFinder } from '../models/background.ts';
import type { ModelPurpose } from '../models/catalogue.ts';
import { type LoadedModel, Models } from '../models/runtime.ts';
import { answer } from './fresh-process.ts';
import { memoryOf } from './process-memory.ts';

/** Times in milliseconds. */
export interface MeasuredRequest {
  total: number;
  decode: number;
  encode: number;
  /** The model alone, right after the request; 0 if it is not an ONNX model. */
  bare: number;
}

export interface ModelRun {
  requests: MeasuredRequest[];
  /** Peak memory of the process, before the bare model is loaded. */
  peakBytes: number;
}

interface Order {
  operation: string;
  image: string;
  threads: number;
  folder: string;
}

interface ModelOnly {
  purpose: ModelPurpose;
  /** The sizes of the inputs that it needs, one for each run of the model. */
  inputs(size: Size, model: LoadedModel, image: string): Promise<Size[]> | Size[];
}

const ALLOWANCE = { features: [], upscale_pixels: 3_000_000 };

/** The runs of the operation on this image: at two scales, and at more where faces are small or missing. */
const FACES: ModelOnly = {
  purpose: 'faces',
  async inputs({ width, height }, model, image) {
    const modules = await compileModules();
    const { vips } = await startVips(modules);
    const frame = vips.Image.newFromBuffer(await readFile(image)).copyMemory();
    const inputs: Size[] = [];
    const run: LoadedModel['run'] = (input) => {
      const [, , height = 0, width = 0] = input.shape;
      inputs.push({ width, height });
      return model.run(input);
    };
    await findFaces(
      { model: { ...model, run }, kernels: startKernels(modules) },
      { width, height, atLeast: async () => frame },
    );
    return inputs;
  },
};

const square = (side: number): Size => ({ width: side, height: side });

/** @returns undefined for a model that is not an ONNX model */
function modelOnly({ model: purpose }: Operation): ModelOnly | undefined {
  if (purpose === 'background') return { purpose, inputs: (_, model) => [square(subjectFinder(model).side)] };
  if (purpose === 'upscale') return { purpose, inputs: (size) => [size] };
  return purpose === 'faces' ? FACES : undefined;
}

/**
 * Minimum number and duration of warm-up requests, until memory stops growing and the compiler has optimized hot code.
 */
const WARM_UP = 3;
const WARM_UP_MS = 8_000;
const REQUESTS = 9;

await answer<Order, ModelRun>(async ({ operation: name, image, threads, folder }) => {
  const operation = operationNamed(name);
  if (!operation) throw new Error(`Expected an operation but received ${name}.`);
  const params = { ...sourceParams.parse({}), ...operation.params.parse({}) };
  const engine = await createPool({ workers: 1, models: { folder, threads }, timeoutMs: 300_000 });
  const bytes = await readFile(image);
  const request = async () => {
    const started = performance.now();
    const file = { data: new Uint8Array(bytes).buffer };
    const { phases } = await engine.run(operation.name, operationInput(operation, file, params, {}, ALLOWANCE));
    return { total: performance.now() - started, decode: phases.decode, encode: phases.encode };
  };
  const started = performance.now();
  for (let n = 0; n < WARM_UP || performance.now() - started < WARM_UP_MS; n += 1) await request();
  const peakBytes = memoryOf(process.pid)?.peak ?? 0;

  const model = modelOnly(operation);
  const runBare = model ? await bareModel(model, threads, folder, image) : async () => 0;
  for (let n = 0; n < WARM_UP; n += 1) await runBare();
  const requests: MeasuredRequest[] = [];
  // Alternates both, because the speed of a shared machine changes from minute to minute.
  for (let n = 0; n < REQUESTS; n += 1) requests.push({ ...(await request()), bare: await runBare() });
  await engine.close();
  return { requests, peakBytes };
});

/** @returns a function that runs the model as often as a request does, and returns the time */
async function bareModel(
  { purpose, inputs }: ModelOnly,
  threads: number,
  folder: string,
  image: string,
): Promise<() => Promise<number>> {
  const { default: sharp } = await import('sharp');
  const { width, height } = await sharp(image).metadata();
  const model = await new Models({ folder, threads }).open(purpose);
  const runs = (await inputs({ width, height }, model, image)).map((input) => ({
    data: new Float32Array(3 * input.width * input.height).fill(0.5),
    shape: [1, 3, input.height, input.width],
  }));
  return async () => {
    const started = performance.now();
    for (const input of runs) await model.run(input);
    return performance.now() - started;
  };
}
