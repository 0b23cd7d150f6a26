/** What the interface tells of an account. */
import type {
  CreateKeyBody,
  Job,
  Key,
  ReadyzAnswer,
  Usage,
  WebhookDelivery,
} from '../../../../../client/types.generated.ts';

export type { Format, Job, Key, Usage, WebhookSecret, WebhookTest } from '../../../../../client/types.generated.ts';

export type Scope = NonNullable<CreateKeyBody['scopes']>[number];
export type Mode = Key['mode'];
export type OperationUse = Usage['by_operation'][number];
export type Delivery = WebhookDelivery;
export type Readiness = ReadyzAnswer;
export type JobWithWebhook = Job & { webhook: NonNullable<Job['webhook']> };

/** What is used of an allowance. */
export interface Standing {
  used: number;
  /** null: none. */
  limit: number | null;
}

/** In the order of the form. */
export const SCOPES = ['ai', 'sites', 'admin'] as const satisfies readonly Scope[];
