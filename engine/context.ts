import type { VipsApi } from '../codecs/vips.ts';
import type { Models } from '../models/runtime.ts';
import type { WorkerSettings } from './settings.ts';

/** What every operation gets from its worker. */
export interface WorkerContext extends Omit<WorkerSettings, 'models' | 'replaceAfter' | 'replacement' | 'warmThreads'> {
  vips: VipsApi;
  models: Models;
  /** Memory for decoded images that is reserved for the task, in bytes. */
  countedBytes: number;
}
