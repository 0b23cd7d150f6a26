import type { EngineOptions } from '../engine/pools.ts';
import { DEFAULT_LIMITS, memoryForTasks } from '../engine/settings.ts';
import type { Config } from './config.ts';

/** Returns the engine options for these settings. The service and the commands without a server use them. */
export function engineOptions(config: Config): EngineOptions {
  const limits = {
    ...DEFAULT_LIMITS,
    pixels: config.maxPixels,
    decodedPixels: config.maxPixelsDecoded,
    decodedBytes: config.maxDecodedBytes,
    jpegScans: config.maxJpegScans,
  };
  return {
    workers: config.workers,
    modelsFolder: config.modelsDir,
    limits,
    admission: { tasks: config.queueTasks, bytes: config.queueBytes, pixels: config.queuePixels },
    memoryBytes: config.runningDecodedBytes ?? memoryForTasks(config.workers, limits),
    maxWaitMs: config.queueSeconds * 1000,
    timeoutMs: config.taskTimeoutSeconds * 1000,
    workerMemoryBytes: config.workerMemoryBytes,
  };
}
