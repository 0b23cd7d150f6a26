/** Types of the account API. */
import type { CreateKeyBody, Job, Key, ReadyzAnswer, Usage, WebhookDelivery } from '../../../client/types.generated.ts';

export type { Format, Job, Key, Usage, WebhookSecret, WebhookTest } from '../../../client/types.generated.ts';

export type Scope = NonNullable<CreateKeyBody['scopes']>[number];
export type Mode = Key['mode'];
export type OperationUse = Usage['by_operation'][number];
export type Delivery = WebhookDelivery;
export type Readiness = ReadyzAnswer;
export type JobWithWebhook = Job & { webhook: NonNullable<Job['webhook']> };

/** What has been used of a quota. */
export interface QuotaUsage {
  used: number;
  /** null: no limit. */
  limit: number | null;
}

/** In the order of the form. */
export const SCOPES = ['ai', 'sites', 'admin'] as const satisfies readonly Scope[];
