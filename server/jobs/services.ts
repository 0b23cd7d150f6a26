/** What jobs use. */
import type { Config } from '../config.ts';
import type { EventStreams } from '../http/event-stream.ts';
import type { PipelineServices } from '../pipelines/services.ts';
import type { WebhookSender } from '../webhooks/sender.ts';
import type { Jobs } from './jobs.ts';

export interface JobServices extends PipelineServices {
  config: PipelineServices['config'] & Pick<Config, 'allowPrivateAddresses' | 'allowHttpWebhooks' | 'jobsRunning'>;
  jobs: Jobs;
  eventStreams: EventStreams;
  webhooks: WebhookSender;
}
