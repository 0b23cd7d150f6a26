import type { VipsApi } from '../codecs/vips.ts';
import type { Models } from '../models/runtime.ts';
import type { WorkerSettings } from './settings.ts';

/** What every operation finds in its worker. */
export interface WorkerContext extends Omit<WorkerSettings, 'models' | 'replaceAfter' | 'replacement' | 'warmThreads'> {
  vips: VipsApi;
  models: Models;
  /** Memory for decoded pictures that the task is counted with, in bytes. */
  countedBytes: number;
}
