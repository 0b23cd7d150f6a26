/** One process of {@link file://./model-operations.ts}: one operation on one image, then its model alone. */
import { readFile } from 'node:fs/promises';
import { startKernels } from '../codecs/kernels/kernels.ts';
import { compileModules } from '../codecs/modules.ts';
import { startVips } from '../codecs/vips.ts';
import type { Engine } from '../engine/engine.ts';
import { blurFacesParams } from '../engine/operations/blur-faces/params.ts';
import { findFaces } from '../engine/operations/faces/detect.ts';
import { ocrParams } from '../engine/operations/ocr/params.ts';
import { sourceParams } from '../engine/operations/parameters.ts';
import { removeBackgroundParams } from '../engine/operations/remove-background/params.ts';
import { upscaleParams } from '../engine/operations/upscale/params.ts';
import { createPool } from '../engine/pool.ts';
import type { Phases } from '../engine/result.ts';
import type { Size } from '../engine/steps/step.ts';
import type { SourceFile } from '../engine/task.ts';
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

interface Job {
  run(engine: Engine, image: SourceFile): Promise<{ phases: Phases }>;
  /** Undefined if it is not an ONNX model. */
  bare?: ModelOnly;
}

interface ModelOnly {
  purpose: ModelPurpose;
  /** The sizes of the inputs that it needs, one for each run of the model. */
  inputs(size: Size, model: LoadedModel, image: string): Promise<Size[]> | Size[];
}

const MAX_PIXELS = 3_000_000;
const source = sourceParams.parse({});
/**
 * The runs of the operation on this image. There may be several, because it looks closer where faces are small or
 * missing.
 */
const faces = (thorough: boolean): ModelOnly => ({
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
      thorough,
    );
    return inputs;
  },
});

const square = (side: number): Size => ({ width: side, height: side });

const JOBS: Readonly<Record<string, Job>> = {
  'remove-background': {
    run: (engine, image) =>
      engine.run('remove-background', { image, params: { ...source, ...removeBackgroundParams.parse({}) } }),
    bare: { purpose: 'background', inputs: (_, model) => [square(subjectFinder(model).side)] },
  },
  upscale: {
    run: (engine, image) =>
      engine.run('upscale', { image, params: { ...source, ...upscaleParams.parse({}) }, maxPixels: MAX_PIXELS }),
    bare: { purpose: 'upscale', inputs: (size) => [size] },
  },
  faces: { run: (engine, image) => engine.run('faces', { image, params: source }), bare: faces(false) },
  'blur-faces': {
    run: (engine, image) => engine.run('blur-faces', { image, params: { ...source, ...blurFacesParams.parse({}) } }),
    bare: faces(true),
  },
  ocr: { run: (engine, image) => engine.run('ocr', { image, params: { ...source, ...ocrParams.parse({}) } }) },
};

/**
 * Minimum number and duration of warm-up requests, until memory stops growing and the compiler has optimized hot code.
 */
const WARM_UP = 3;
const WARM_UP_MS = 8_000;
const REQUESTS = 9;

await answer<Order, ModelRun>(async ({ operation, image, threads, folder }) => {
  const job = JOBS[operation];
  if (!job) throw new Error(`Expected one of ${Object.keys(JOBS).join(', ')} but received ${operation}.`);
  const engine = await createPool({ workers: 1, models: { folder, threads }, timeoutMs: 300_000 });
  const bytes = await readFile(image);
  const request = async () => {
    const started = performance.now();
    const { phases } = await job.run(engine, { data: new Uint8Array(bytes).buffer });
    return { total: performance.now() - started, decode: phases.decode, encode: phases.encode };
  };
  const started = performance.now();
  for (let n = 0; n < WARM_UP || performance.now() - started < WARM_UP_MS; n += 1) await request();
  const peakBytes = memoryOf(process.pid)?.peak ?? 0;

  const runBare = job.bare ? await bareModel(job.bare, threads, folder, image) : async () => 0;
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
