/** What the endpoints of webhooks use. */
import type { Database } from '../../storage/ports/database.ts';
import type { Plans } from '../account/plans.ts';
import type { Config } from '../config.ts';
import type { Uploads } from '../http/uploads.ts';
import type { WebhookSender } from './sender.ts';

export interface WebhookServices {
  database: Database;
  plans: Plans;
  uploads: Uploads;
  config: Pick<Config, 'uploadTimeoutSeconds' | 'allowPrivateAddresses' | 'allowHttpWebhooks'>;
  webhooks: WebhookSender;
  /** The current time in milliseconds. */
  now: () => number;
}
