/** The real engine for tests: one of each kind per process, closed when its tests end. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { Engine, RestartReason } from '../../engine/engine.ts';
import { type CompressParams, checkCompressParams, compressParams } from '../../engine/operations/compress/params.ts';
import type { Inspection } from '../../engine/operations/inspect/record.ts';
import { sourceParams } from '../../engine/operations/parameters.ts';
import { createPool } from '../../engine/pool.ts';
import type { PoolOptions } from '../../engine/pool-options.ts';
import { createEngine } from '../../engine/pools.ts';
import type { ImageResult } from '../../engine/result.ts';
import { MODELS_FOLDER } from './models.ts';

const restarts: RestartReason[] = [];
const observer = { workerRestarted: (reason: RestartReason) => restarts.push(reason) };
let engine: Promise<Engine> | undefined;
let modelEngine: Promise<Engine> | undefined;
const serviceEngines = new Map<string, Promise<Engine>>();
// Set here and not where the pool is created: a hook that is set inside a test belongs to that test.
after(async () => {
  await Promise.all([engine, modelEngine, ...serviceEngines.values()].map(async (started) => (await started)?.close()));
  // A worker is replaced between tasks if image handles are left over or a decoder has trapped.
  assert.deepEqual(
    restarts.filter((reason) => reason === 'poisoned'),
    [],
  );
});

/** The reasons for which workers of the engines below were replaced so far. */
export const testRestarts = (): readonly RestartReason[] => [...restarts];

export function testEngine(): Promise<Engine> {
  engine ??= startPool({ workers: 1, observer });
  return engine;
}

/** Returns an engine with one worker, which can run the models that are installed for tests. */
export function testModelEngine(): Promise<Engine> {
  modelEngine ??= startPool({
    workers: 1,
    observer,
    timeoutMs: 120_000,
    models: { folder: MODELS_FOLDER, threads: 1 },
  });
  return modelEngine;
}

/**
 * Returns an engine as the service has it, but without warm threads.
 * @param modelsFolder default: without installed models, so that only that of the package is available, which upscales
 */
export function testServiceEngine(modelsFolder = `${MODELS_FOLDER}/none`): Promise<Engine> {
  const started =
    serviceEngines.get(modelsFolder) ??
    createEngine({ workers: 1, observer, timeoutMs: 120_000, modelsFolder, warmThreads: false });
  serviceEngines.set(modelsFolder, started);
  return started;
}

async function startPool(options: PoolOptions): Promise<Engine> {
  const pool = await createPool({ warmThreads: false, ...options });
  await pool.ready();
  return pool;
}

export interface CompressOptions extends Partial<CompressParams> {
  page?: number;
  filename?: string;
}

/** Returns a separate copy, as an upload is: the engine detaches its input. */
export function ownBuffer(bytes: Uint8Array): ArrayBuffer {
  // `slice` of a Buffer would return a view of the same memory.
  return new Uint8Array(bytes).buffer;
}

/** Runs `compress` on the real pool with its declared defaults. */
export async function compress(
  image: Uint8Array,
  options: CompressOptions = {},
  watermark?: Uint8Array,
): Promise<ImageResult & { bytes: Buffer }> {
  const params = compressParams.extend(sourceParams.shape).parse(options);
  checkCompressParams(params);
  const { filename } = options;
  const result = await (await testEngine()).run('compress', {
    image: { data: ownBuffer(image), ...(filename === undefined ? {} : { filename }) },
    params,
    ...(watermark ? { watermark: { data: ownBuffer(watermark) } } : {}),
  });
  return { ...result, bytes: Buffer.from(result.data) };
}

/** Runs `inspect` on the real pool. */
export async function inspect(
  image: Uint8Array,
  source: { page?: number; filename?: string } = {},
): Promise<Inspection> {
  const { filename, page = 1 } = source;
  const file = { data: ownBuffer(image), ...(filename === undefined ? {} : { filename }) };
  return (await (await testEngine()).run('inspect', { image: file, params: { page } })).record;
}
