/** The settings that every worker gets when it starts. */
import { DEFAULT_MAX_JPEG_SCANS } from '../codecs/jpeg-scans.ts';
import type { Modules } from '../codecs/modules.ts';
import type { ModelSettings } from '../models/runtime.ts';
import type { Replacement, WorkerLimits } from './worker-recycling.ts';

/** Limits of one task (docs/spec/shapes.md, sections 4 and 8). */
export interface EngineLimits {
  /** Maximum pixels (over all frames) of an image that a decoder can stream. */
  pixels: number;
  /** Maximum pixels (over all frames) of an image that must be decoded as a whole. */
  decodedPixels: number;
  /** Maximum side of an image: every row has a cost, however short it is. */
  side: number;
  /** Maximum decoded bytes that one task may hold at a time. */
  decodedBytes: number;
  /** Maximum scans of a JPEG: each visits every coefficient. */
  jpegScans: number;
}

export const DEFAULT_LIMITS: EngineLimits = {
  pixels: 300_000_000,
  decodedPixels: 100_000_000,
  side: 1_000_000,
  decodedBytes: 2 ** 30,
  jpegScans: DEFAULT_MAX_JPEG_SCANS,
};

/** Enough for a photo of 24 megapixels that is written at full size. */
const BYTES_PER_WORKER = 256 * 2 ** 20;

/** Memory for the decoded images of all tasks together, in bytes: the largest task fits, and a photo in each worker. */
export const memoryForTasks = (workers: number, { decodedBytes }: Pick<EngineLimits, 'decodedBytes'>): number =>
  Math.max(decodedBytes, workers * BYTES_PER_WORKER);

export interface WorkerSettings {
  modules: Modules;
  limits: EngineLimits;
  /** Whether to start the thread of libvips that computes images before the first task. */
  warmThreads: boolean;
  models: ModelSettings;
  /** Niceness of the worker's thread. */
  niceness: number;
  /** Its first element is above 0 while workers start that will run long tasks. */
  startsForLong: Int32Array<SharedArrayBuffer>;
  replaceAfter: WorkerLimits;
  /** The memory of the pool's `Replacement`. */
  replacement: Replacement['shared'];
}
