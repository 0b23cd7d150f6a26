import type { VipsApi } from '../codecs/vips.ts';
import type { WorkerSettings } from './settings.ts';

/** What every operation finds in its worker. */
export interface WorkerContext extends WorkerSettings {
  vips: VipsApi;
}
