/** GET /api/v1/usage: the caller's use this month and its limits (docs/spec/shapes.md, section 14). */

import { z } from 'zod';
import { timestamp } from '../../base/timestamp.ts';
import { RESULT_SECONDS } from '../../storage/results.ts';
import type { Caller, Context, Rate } from '../http/context.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { jsonResponse } from '../http/openapi-parts.ts';
import { count, dateTime, recordFrom } from '../http/record.ts';
import { QUOTAS } from './credits.ts';
import { NOTICE_THRESHOLDS, type QuotaUsage } from './ledger.ts';
import { type Plan, PRO_FEATURES } from './plans.ts';
import type { AccountServices } from './services.ts';

const moment = (description: string) => dateTime().meta({ description });

const quotaUsage = z.object({
  used: count('This month.', 127),
  limit: count('null: none.', 1000).nullable(),
  remaining: count('null: no limit.', 873).nullable(),
});

/** Features of the account. The last two are scopes of the key. */
const FEATURES = [...PRO_FEATURES, 'ai', 'sites'] as const;

const operationUse = z.object({
  operation: z.string().meta({ examples: ['compress'] }),
  requests: count('Credits used.', 127),
  ai: count('AI credits used.', 0),
  bytes_in: count('', 104_857_600),
  bytes_out: count('', 20_971_520),
  failed: count('Requests whose work was begun and not charged: it failed, or the client left.', 2),
});

export const usageRecord = z
  .object({
    account: z.object({
      id: z.string().meta({ examples: ['acct_01JD3Z8Q4W0V6S8H2N5B7C9E1F'] }),
      name: z.string(),
      plan: z.string().meta({ description: 'free, pro, or a plan of the operator.', examples: ['free'] }),
    }),
    period: z
      .object({ start: moment('First moment of the month.'), end: moment('First moment of the next month.') })
      .meta({ description: 'The calendar month in UTC.' }),
    requests: quotaUsage.meta({ description: 'Ordinary requests of the account.' }),
    ai: quotaUsage.meta({ description: 'AI requests of the account.' }),
    key: quotaUsage
      .extend({
        id: z.string(),
        name: z.string(),
        mode: z.enum(['live', 'test']),
        scopes: z.array(z.string()),
      })
      .meta({ description: 'The key of this request; both allowances together.' }),
    test: z
      .object({ used_today: count('', 3), limit_per_day: count('', 50), resets_at: moment('The next day in UTC.') })
      .meta({ description: 'Requests with the test keys of the account.' }),
    rate: z.object({
      per_minute: count('null: no limit.', 120).nullable(),
      remaining: count('In the running minute.', 118).nullable(),
      resets_at: moment('End of the running minute.'),
    }),
    limits: z.object({
      file_bytes: count('Largest file that this key may send.', 20_000_000),
      upscale_pixels: count('Largest image that can be upscaled.', 1_000_000),
      optimize_pages: count('Pages of one run of the website optimizer.', 5),
      scan_pages: count('Pages of one website scan.', 5),
      websites: count('Websites that can be scanned.', 1),
      job_images_json: count('Images of a job that are sent as addresses.', 100),
      job_images_multipart: count('Images of a job that are uploaded.', 20),
      result_seconds: count('How long a stored result lives.', RESULT_SECONDS),
    }),
    features: z.array(z.enum(FEATURES)),
    by_operation: z.array(operationUse),
    notices: z.array(
      z.object({
        meter: z.enum(QUOTAS),
        threshold: z.literal(NOTICE_THRESHOLDS).meta({ description: 'In percent of the limit.' }),
        sent_at: moment('When the owner was told.'),
        channel: z.enum(['email', 'log']),
      }),
    ),
  })
  .meta({ id: 'Usage' });
type UsageRecord = z.output<typeof usageRecord>;

const toQuotaUsage = ({ used, limit }: QuotaUsage): z.output<typeof quotaUsage> => ({
  used,
  limit,
  remaining: limit === null ? null : Math.max(0, limit - used),
});

const featuresOf = (plan: Plan, scopes: readonly string[]): UsageRecord['features'] =>
  FEATURES.filter((feature) =>
    feature === 'ai' || feature === 'sites' ? scopes.includes(feature) : plan.features.includes(feature),
  );

/** @param rate the caller's use of the current minute */
export async function readUsage(
  services: AccountServices,
  caller: Caller,
  rate: Rate | undefined,
): Promise<UsageRecord> {
  const { account, key } = caller;
  const { ledger, plans, database } = services;
  const plan = plans.of(account);
  const balance = await ledger.balance(caller);
  const operations = await ledger.operations(account.id, balance.month.id);
  const notices = await database.notices.sentInMonth(account.id, balance.month.id);
  return {
    account: { id: account.id, name: account.name, plan: account.plan },
    period: { start: timestamp(balance.month.start), end: timestamp(balance.month.end) },
    requests: toQuotaUsage(balance.requests),
    ai: toQuotaUsage(balance.ai),
    key: { id: key.id, name: key.name, mode: key.mode, scopes: [...key.scopes], ...toQuotaUsage(balance.key) },
    test: {
      used_today: balance.test.used,
      limit_per_day: balance.test.limit ?? 0,
      resets_at: timestamp(balance.day.end),
    },
    rate: {
      per_minute: rate?.limit ?? null,
      remaining: rate?.remaining ?? null,
      resets_at: timestamp(rate?.resetsAt ?? services.now()),
    },
    limits: {
      file_bytes: plans.fileLimitBytes(account, key),
      upscale_pixels: plan.upscale_pixels,
      optimize_pages: plan.optimize_pages,
      scan_pages: plan.scan_pages,
      websites: plan.websites,
      job_images_json: plan.job_images_json,
      job_images_multipart: plan.job_images_multipart,
      result_seconds: RESULT_SECONDS,
    },
    features: featuresOf(plan, key.scopes),
    by_operation: operations.map((used) => recordFrom(operationUse, used, {})),
    notices: notices.flatMap(({ meter, threshold, sentAt, channel }) =>
      sentAt === null || channel === null
        ? []
        : [{ meter, threshold: threshold as (typeof NOTICE_THRESHOLDS)[number], sent_at: sentAt, channel }],
    ),
  };
}

async function answerUsage(ctx: Context, services: AccountServices, caller: Caller): Promise<void> {
  ctx.body = await readUsage(services, caller, ctx.state.rate);
}

export const usageEndpoint: Endpoint<AccountServices> = {
  method: 'get',
  path: '/api/v1/usage',
  operation: 'usage',
  access: 'key',
  noStore: true,
  summary: "This month's usage and the caller's limits",
  description: 'Free of charge.',
  tags: ['Account'],
  responses: { '200': jsonResponse('Usage and limits.', usageRecord) },
  handle: answerUsage,
};
