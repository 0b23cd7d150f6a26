import type { Context } from './context.ts';

/** Pages load only from this origin, run only its scripts, and cannot be framed. Images made on them are blobs. */
const DEFAULT_CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** For pages without scripts and with inline styles. */
export const STYLE_ONLY_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Sets the headers of every HTML page.
 * @param policy Content-Security-Policy of the page
 */
export function setPageHeaders(ctx: Context, policy = DEFAULT_CONTENT_SECURITY_POLICY): void {
  ctx.set('Content-Security-Policy', policy);
  // For browsers that do not support frame-ancestors.
  ctx.set('X-Frame-Options', 'DENY');
  ctx.set('Referrer-Policy', 'no-referrer');
  ctx.set('Cross-Origin-Opener-Policy', 'same-origin');
}
