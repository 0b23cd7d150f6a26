/** The cost of requests, and the two monthly quotas that they count against. */
import type { CreditMeter } from '../../engine/operations/definition.ts';
import type { Key } from '../../storage/records/keys.ts';
import type { Credits } from '../../storage/records/meters.ts';
import type { QuotaMeter } from '../http/headers.ts';
import type { Plan } from './plans.ts';

/** The cost of a request in credits. */
export type Cost = Readonly<Credits>;

export const FREE: Cost = { requests: 0, ai: 0 };
export const ONE_REQUEST: Cost = { requests: 1, ai: 0 };
export const ONE_AI_REQUEST: Cost = { requests: 0, ai: 1 };

/** The cost of an operation on one image. */
export const COST_OF_METER: Readonly<Record<CreditMeter, Cost>> = { requests: ONE_REQUEST, ai: ONE_AI_REQUEST };

/** The two monthly quotas, in the order in which they are shown. */
export const QUOTAS = ['requests', 'ai'] as const;
export type Quota = (typeof QUOTAS)[number];

export const monthlyLimits = (plan: Plan): Record<Quota, number | null> => ({
  requests: plan.requests_per_month,
  ai: plan.ai_requests_per_month,
});

/** Returns the quotas that a request with this key is counted against. */
export function quotaMeter({ mode }: Key, { requests, ai }: Cost): QuotaMeter {
  if (mode === 'test' || requests + ai === 0) return 'none';
  if (requests > 0 && ai > 0) return 'requests, ai';
  return ai > 0 ? 'ai' : 'requests';
}
