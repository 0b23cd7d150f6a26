/** What pipelines use. */
import type { Database } from '../../storage/ports/database.ts';
import type { ImageServices } from '../images/services.ts';

export interface PipelineServices extends ImageServices {
  database: Database;
  /** The current time in milliseconds. */
  now: () => number;
}
