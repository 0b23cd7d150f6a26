/**
 * The RateLimit and RateLimit-Policy headers: a caller's limits and what is left of them (docs/spec/shapes.md, section 5.3).
 */
import type { Context } from './context.ts';

export interface Limit {
  name: string;
  quota: number;
  remaining: number;
  resetsInSeconds: number;
  windowSeconds?: number;
}

export function setLimitHeaders(ctx: Context, limits: readonly Limit[]): void {
  if (limits.length === 0) return;
  const policy = limits.map(
    ({ name, quota, windowSeconds }) => `"${name}";q=${quota}${windowSeconds ? `;w=${windowSeconds}` : ''}`,
  );
  const state = limits.map(({ name, remaining, resetsInSeconds }) => `"${name}";r=${remaining};t=${resetsInSeconds}`);
  ctx.set({ 'RateLimit-Policy': policy.join(', '), RateLimit: state.join(', ') });
}
