/** The limits of a caller, as the RateLimit headers report them. */
import type { Caller, Rate } from '../http/context.ts';
import type { Limit } from '../http/limit-headers.ts';
import type { Balance, QuotaUsage } from './ledger.ts';
import { secondsUntil } from './period.ts';

/** @param now current time in milliseconds */
export function limitsOf(
  { key }: Caller,
  { limit, remaining, resetsAt }: Rate,
  balance: Balance,
  now: number,
): Limit[] {
  const toLimit = (name: string, { used, limit }: QuotaUsage, resetsAt: number): Limit[] =>
    limit === null
      ? []
      : [{ name, quota: limit, remaining: Math.max(0, limit - used), resetsInSeconds: secondsUntil(resetsAt, now) }];
  const minute: Limit[] =
    limit === null || remaining === null
      ? []
      : [{ name: 'minute', quota: limit, remaining, resetsInSeconds: secondsUntil(resetsAt, now), windowSeconds: 60 }];
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
