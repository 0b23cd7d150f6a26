/**
 * The RateLimit and RateLimit-Policy headers: a caller's limits and what is left of them (spec/shapes.md, section 5.3).
 */
import type { Balance, QuotaUsage } from '../account/ledger.ts';
import { secondsUntil } from '../account/period.ts';
import type { Rate } from '../account/rates.ts';
import type { Caller, Context } from './context.ts';

interface Limit {
  name: string;
  quota: number;
  remaining: number;
  /** Milliseconds. */
  resetsAt: number;
  windowSeconds?: number;
}

function toLimit(name: string, { used, limit }: QuotaUsage, resetsAt: number): Limit[] {
  return limit === null ? [] : [{ name, quota: limit, remaining: Math.max(0, limit - used), resetsAt }];
}

function limitsOf({ key }: Caller, { limit, remaining, resetsAt }: Rate, balance: Balance): Limit[] {
  const minute =
    limit === null || remaining === null
      ? []
      : [{ name: 'minute', quota: limit, remaining, resetsAt, windowSeconds: 60 }];
  if (key.mode === 'test') {
    const [day] = toLimit('day', balance.test, balance.day.end);
    return [...minute, ...(day ? [{ ...day, windowSeconds: 86_400 }] : [])];
  }
  return [
    ...minute,
    ...toLimit('month', balance.requests, balance.month.end),
    ...toLimit('ai', balance.ai, balance.month.end),
    ...toLimit('key', balance.key, balance.month.end),
  ];
}

/** @param now current time in milliseconds */
export function setLimitHeaders(ctx: Context, caller: Caller, rate: Rate, balance: Balance, now: number): void {
  const limits = limitsOf(caller, rate, balance);
  if (limits.length === 0) return;
  const policy = limits.map(
    ({ name, quota, windowSeconds }) => `"${name}";q=${quota}${windowSeconds ? `;w=${windowSeconds}` : ''}`,
  );
  const state = limits.map(
    ({ name, remaining, resetsAt }) => `"${name}";r=${remaining};t=${secondsUntil(resetsAt, now)}`,
  );
  ctx.set({ 'RateLimit-Policy': policy.join(', '), RateLimit: state.join(', ') });
}
