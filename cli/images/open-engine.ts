/** The image engine for commands that work on files. */
import type { Engine } from '../../engine/engine.ts';
import type { Config } from '../../server/config.ts';
import { engineOptions } from '../../server/engine-options.ts';

/** Images in progress per worker: one being processed, one waiting, one being read and one being written. */
const IMAGES_PER_WORKER = 4;

/** Number of images in progress at a time. */
export const imagesInProgress = (workers: number): number => IMAGES_PER_WORKER * workers;

/** Factor for the task timeout of the service. A command may take longer: no other user waits for its workers. */
const TIMEOUT_FACTOR = 10;

/**
 * Creates the engine. Its module is imported only here, since help and usage errors do not need it. The caller limits
 * the images in progress, so the engine's admission limits are set to match.
 */
export async function openEngine(config: Config, workers: number): Promise<Engine> {
  const { createEngine } = await import('../../engine/pools.ts');
  const most = Number.MAX_SAFE_INTEGER;
  return createEngine({
    ...engineOptions(config),
    workers,
    // Start only the threads that the images need.
    warmThreads: false,
    admission: { tasks: imagesInProgress(workers), bytes: most, pixels: most },
    timeoutMs: TIMEOUT_FACTOR * config.taskTimeoutSeconds * 1000,
  });
}
