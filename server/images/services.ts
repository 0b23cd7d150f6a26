/** What the image operations use. */
import type { Engine } from '../../engine/engine.ts';
import type { Ledger } from '../account/ledger.ts';
import type { Plans } from '../account/plans.ts';
import type { Config } from '../config.ts';
import type { Uploads } from '../http/uploads.ts';
import type { Destinations } from '../results/output.ts';

export interface ImageServices extends Destinations {
  engine: Engine;
  ledger: Ledger;
  plans: Plans;
  uploads: Uploads;
  config: Pick<Config, 'uploadTimeoutSeconds' | 'maxPixels'>;
}
