/** The engine of commands that work on files. */
import type { Engine } from '../../../engine/engine.ts';
import type { Config } from '../../config.ts';
import { engineOptions } from '../../engine-options.ts';

/** For each worker one image that it works on, one that waits for it, one that is read and one that is written. */
const UNDER_WAY = 4;

/** Images that are under way at a time. */
export const imagesUnderWay = (workers: number): number => UNDER_WAY * workers;

/** Nobody else waits for the workers, so an image may take as many times the limit of a request. */
const PATIENCE = 10;

/** Loaded now: help and wrong usage need none. What waits is bounded by the caller, so the engine admits all of it. */
export async function openEngine(config: Config, workers: number): Promise<Engine> {
  const { createEngine } = await import('../../../engine/pools.ts');
  const most = Number.MAX_SAFE_INTEGER;
  return createEngine({
    ...engineOptions(config),
    workers,
    // A command starts only the threads that its images need.
    warmThreads: false,
    admission: { tasks: imagesUnderWay(workers), bytes: most, pixels: most },
    timeoutMs: PATIENCE * config.taskTimeoutSeconds * 1000,
  });
}
