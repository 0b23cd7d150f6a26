/** The exports of `imagecrew/client`. */
export { DeliveredImages, Files, Keys, Webhooks } from './account.ts';
export { FileAnswer, ImageAnswer, type Limit } from './answer.ts';
export type { CallOptions } from './calls.ts';
export { Imagecrew, type ImagecrewOptions } from './client.ts';
export { ImagecrewError } from './errors.ts';
export { type ImageAddressOptions, type SigningKey, signImageAddress, signSrcset } from './image-address.ts';
export type { ImageAddress, ImageBytes, ImageInput } from './image-input.ts';
export type { FileOperation, ImageOperation, RecordOperation } from './images.ts';
export { type JobEvent, type JobOptions, type JobRequest, Jobs } from './jobs.ts';
export type * from './operations.generated.ts';
export { type OutputsRequest, type PipelineOperation, type PipelineRequest, Pipelines } from './pipelines.ts';
export { type ScanEvent, Scans } from './scans.ts';
export { SiteOptimize, Sites } from './sites.ts';
export type * from './types.generated.ts';
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookJob,
  WebhookVerificationError,
} from './webhook.ts';
