/** One process of {@link file://./model-operations.ts}: one operation on one picture, then its model alone. */
import { readFile } from 'node:fs/promises';
import type { Engine } from '../engine/engine.ts';
import { blurFacesParams } from '../engine/operations/blur-faces/params.ts';
import { ocrParams } from '../engine/operations/ocr/params.ts';
import { sourceParams } from '../engine/operations/parameters.ts';
import { removeBackgroundParams } from '../engine/operations/remove-background/params.ts';
import { upscaleParams } from '../engine/operations/upscale/params.ts';
import { createPool } from '../engine/pool.ts';
import type { Phases } from '../engine/result.ts';
import type { SourceFile } from '../engine/task.ts';
import type { ModelPurpose } from '../models/catalogue.ts';
import { Models } from '../models/runtime.ts';
import { answer } from './fresh-process.ts';
import { memoryOf } from './process-memory.ts';

/** In milliseconds, of each request. */
export interface ModelRun {
  total: number[];
  decode: number[];
  encode: number[];
  bare: number[];
  /** Of the process with everything, before the bare model is run. */
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
  /** The model, and the size of the input that it gets for a picture of this size; undefined where it is no ONNX model. */
  bare?: { purpose: ModelPurpose; size(width: number, height: number): { width: number; height: number } };
}

const MAX_PIXELS = 3_000_000;
const source = sourceParams.parse({});
const faces: Job['bare'] = {
  purpose: 'faces',
  size: (width, height) => {
    const scale = Math.min(1, 640 / Math.max(width, height));
    const padded = (side: number) => Math.ceil((side * scale) / 32) * 32;
    return { width: padded(width), height: padded(height) };
  },
};

const JOBS: Readonly<Record<string, Job>> = {
  'remove-background': {
    run: (engine, image) =>
      engine.run('remove-background', { image, params: { ...source, ...removeBackgroundParams.parse({}) } }),
    bare: { purpose: 'background', size: () => ({ width: 320, height: 320 }) },
  },
  upscale: {
    run: (engine, image) =>
      engine.run('upscale', { image, params: { ...source, ...upscaleParams.parse({}) }, maxPixels: MAX_PIXELS }),
    bare: { purpose: 'upscale', size: (width, height) => ({ width, height }) },
  },
  faces: { run: (engine, image) => engine.run('faces', { image, params: source }), bare: faces },
  'blur-faces': {
    run: (engine, image) => engine.run('blur-faces', { image, params: { ...source, ...blurFacesParams.parse({}) } }),
    bare: faces,
  },
  ocr: { run: (engine, image) => engine.run('ocr', { image, params: { ...source, ...ocrParams.parse({}) } }) },
};

const WARM_UP = 1;
const REQUESTS = 5;

await answer<Order, ModelRun>(async ({ operation, image, threads, folder }) => {
  const job = JOBS[operation];
  if (!job) throw new Error(`Expected one of ${Object.keys(JOBS).join(', ')} but received ${operation}.`);
  const engine = await createPool({ workers: 1, models: { folder, threads }, timeoutMs: 300_000 });
  const bytes = await readFile(image);
  const run: ModelRun = { total: [], decode: [], encode: [], bare: [], peakBytes: 0 };
  for (let n = -WARM_UP; n < REQUESTS; n += 1) {
    const started = performance.now();
    const { phases } = await job.run(engine, { data: new Uint8Array(bytes).buffer });
    if (n < 0) continue;
    run.total.push(performance.now() - started);
    run.decode.push(phases.decode);
    run.encode.push(phases.encode);
  }
  run.peakBytes = memoryOf(process.pid)?.peak ?? 0;
  await engine.close();
  if (job.bare) run.bare = await bareTimes(job.bare, threads, folder, image);
  return run;
});

async function bareTimes(
  { purpose, size }: NonNullable<Job['bare']>,
  threads: number,
  folder: string,
  image: string,
): Promise<number[]> {
  const { default: sharp } = await import('sharp');
  const metadata = await sharp(image).metadata();
  const { width, height } = size(metadata.width, metadata.height);
  const model = await new Models({ folder, threads }).open(purpose);
  const input = { data: new Float32Array(3 * width * height).fill(0.5), shape: [1, 3, height, width] };
  const times: number[] = [];
  for (let n = -WARM_UP; n < REQUESTS; n += 1) {
    const started = performance.now();
    await model.run(input);
    if (n >= 0) times.push(performance.now() - started);
  }
  return times;
}
