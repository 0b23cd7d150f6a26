/** What every worker is told when it starts. */
import { DEFAULT_MAX_JPEG_SCANS } from '../codecs/jpeg-scans.ts';
import type { Modules } from '../codecs/modules.ts';
import type { ModelSettings } from '../models/runtime.ts';
import type { Replacement, WorkerLimits } from './replacement.ts';

/** How much one task may hold (spec/shapes.md, sections 4 and 8). */
export interface EngineLimits {
  /** Largest picture, in pixels (all frames), that a streaming decoder reads. */
  pixels: number;
  /** Largest picture, in pixels (all frames), that has to be decoded as a whole. */
  decodedPixels: number;
  /** Longest side of a picture: every row costs, however short it is. */
  side: number;
  /** Decoded bytes that one task may hold at a time. */
  decodedBytes: number;
  /** Most scans of a JPEG: each visits every coefficient. */
  jpegScans: number;
}

export const DEFAULT_LIMITS: EngineLimits = {
  pixels: 300_000_000,
  decodedPixels: 100_000_000,
  side: 1_000_000,
  decodedBytes: 2 ** 30,
  jpegScans: DEFAULT_MAX_JPEG_SCANS,
};

export interface WorkerSettings {
  modules: Modules;
  limits: EngineLimits;
  /** Starts the threads of libvips before the first task. */
  warmThreads: boolean;
  models: ModelSettings;
  /** Added to the priority of the worker's thread. */
  niceness: number;
  /** Above 0 in its first place while workers start that will run long tasks. */
  startsForLong: Int32Array<SharedArrayBuffer>;
  replaceAfter: WorkerLimits;
  /** The memory of the pool's `Replacement`. */
  replacement: Replacement['shared'];
}
