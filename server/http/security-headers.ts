/** What every answer says to browsers, whatever it carries. */

/** What no page of ours uses, so that no script that gets into one can. */
export const PERMISSIONS_POLICY = 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()';

/** A year. */
const HSTS = 'max-age=31536000';

/** @param baseUrl public address of the service */
export function securityHeaders(baseUrl: string): Record<string, string> {
  return {
    'X-Content-Type-Options': 'nosniff',
    'Permissions-Policy': PERMISSIONS_POLICY,
    // Where a proxy ends TLS it passes this on. Browsers ignore it on plain HTTP (RFC 6797, section 8.1).
    ...(baseUrl.startsWith('https:') ? { 'Strict-Transport-Security': HSTS } : {}),
  };
}
