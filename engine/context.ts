import type { VipsApi } from '../codecs/vips.ts';
import type { Models } from '../models/runtime.ts';
import type { WorkerSettings } from './settings.ts';

/** What every operation finds in its worker. */
export interface WorkerContext extends Omit<WorkerSettings, 'models' | 'replaceAfter' | 'replacement'> {
  vips: VipsApi;
  models: Models;
}
