/** Texts and warning levels of quotas. */
import { bytesText, countText } from '../../ui/format.ts';
import type { OperationUse, QuotaUsage, Usage } from './records.ts';

export type Level = 'success' | 'warning' | 'error';

/** The service notifies the owner at the same share. */
const WARNING_SHARE = 0.8;

export interface Quota {
  /** Used share, from 0 to 1. Undefined if there is no limit. */
  share: number | undefined;
  level: Level;
  /** `127 of 1,000` */
  text: string;
  /** `873 left` */
  rest: string;
}

export function quotaOf({ used, limit }: QuotaUsage): Quota {
  if (limit === null) return { share: undefined, level: 'success', text: countText(used), rest: 'no limit' };
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  return {
    share,
    level: share >= 1 ? 'error' : share >= WARNING_SHARE ? 'warning' : 'success',
    text: `${countText(used)} of ${countText(limit)}`,
    rest: used >= limit ? 'used up' : `${countText(limit - used)} left`,
  };
}

/** Returns the requests used in the current minute. */
export const rateUsage = ({ per_minute, remaining }: Usage['rate']): QuotaUsage => ({
  used: per_minute === null || remaining === null ? 0 : per_minute - remaining,
  limit: per_minute,
});

const DAY_MS = 86_400_000;
/** Months are in UTC. */
const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', timeZone: 'UTC' });

/** Returns a text such as `Resets in 9 days, on December 1 (UTC).` */
export function renewalText(end: string, now: number): string {
  const days = Math.max(0, Math.ceil((Date.parse(end) - now) / DAY_MS));
  const when = days <= 1 ? 'within a day' : `in ${days} days`;
  return `Resets ${when}, on ${DAY.format(new Date(end))} (UTC).`;
}

const LIMITS: readonly { name: keyof Usage['limits']; label: string; text(value: number): string }[] = [
  { name: 'file_bytes', label: 'Largest file', text: bytesText },
  {
    name: 'upscale_pixels',
    label: 'Largest image to upscale',
    text: (pixels) => `${countText(pixels / 1e6)} MP`,
  },
  { name: 'websites', label: 'Websites to scan', text: countText },
  { name: 'scan_pages', label: 'Pages of a scan', text: countText },
  { name: 'optimize_pages', label: 'Pages of a website optimized in one request', text: countText },
  { name: 'job_images_json', label: 'Images of a job, as addresses', text: countText },
  { name: 'job_images_multipart', label: 'Images of a job, uploaded', text: countText },
  { name: 'result_seconds', label: 'A stored result lives', text: durationText },
];

function durationText(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;
}

/** Returns pairs of the name of a limit and its value. */
export const limitTexts = (limits: Usage['limits']): [label: string, text: string][] =>
  LIMITS.map(({ name, label, text }) => [label, text(limits[name])]);

/** Adds up normal and AI requests of each operation, and sorts by that total, largest first. */
export const sortByUse = (operations: readonly OperationUse[]): (OperationUse & { total: number })[] =>
  operations.map((one) => ({ ...one, total: one.requests + one.ai })).sort((a, b) => b.total - a.total);
