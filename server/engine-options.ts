import type { EngineOptions } from '../engine/pools.ts';
import { DEFAULT_LIMITS } from '../engine/settings.ts';
import type { Config } from './config.ts';

/** Enough for a photo of 24 megapixels that is written at full size. */
const BYTES_PER_WORKER = 256 * 2 ** 20;

/** Returns the engine options for these settings. The service and the commands without a server use them. */
export function engineOptions(config: Config): EngineOptions {
  return {
    workers: config.workers,
    modelsFolder: config.modelsDir,
    limits: {
      ...DEFAULT_LIMITS,
      pixels: config.maxPixels,
      decodedPixels: config.maxPixelsDecoded,
      decodedBytes: config.maxDecodedBytes,
      jpegScans: config.maxJpegScans,
    },
    admission: { tasks: config.queueTasks, bytes: config.queueBytes, pixels: config.queuePixels },
    memoryBytes: config.runningDecodedBytes ?? Math.max(config.maxDecodedBytes, config.workers * BYTES_PER_WORKER),
    maxWaitMs: config.queueSeconds * 1000,
    timeoutMs: config.taskTimeoutSeconds * 1000,
    workerMemoryBytes: config.workerMemoryBytes,
  };
}
