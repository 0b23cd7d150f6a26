import type { EngineOptions } from '../engine/pools.ts';
import { DEFAULT_LIMITS } from '../engine/settings.ts';
import type { Config } from './config.ts';

/** The engine as the settings want it, for the service and for commands that work without one. */
export function engineOptions(config: Config): EngineOptions {
  return {
    workers: config.workers,
    modelsFolder: config.modelsDir,
    limits: {
      ...DEFAULT_LIMITS,
      pixels: config.maxPixels,
      decodedPixels: config.maxPixelsDecoded,
      decodedBytes: config.maxDecodedBytes,
    },
    admission: { tasks: config.queueTasks, bytes: config.queueBytes, pixels: config.queuePixels },
    timeoutMs: config.taskTimeoutSeconds * 1000,
    workerMemoryBytes: config.workerMemoryBytes,
  };
}
