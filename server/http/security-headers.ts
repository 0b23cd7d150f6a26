/** Headers of every response that restrict what browsers may do with it. */

/** Turns off browser features that no page uses, so that an injected script cannot use them either. */
export const PERMISSIONS_POLICY = 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()';

/** One year. */
const HSTS = 'max-age=31536000';

/** @param baseUrl public address of the service */
export function securityHeaders(baseUrl: string): Record<string, string> {
  return {
    'X-Content-Type-Options': 'nosniff',
    'Permissions-Policy': PERMISSIONS_POLICY,
    // A proxy that terminates TLS passes this on. Browsers ignore it on plain HTTP (RFC 6797, section 8.1).
    ...(baseUrl.startsWith('https:') ? { 'Strict-Transport-Security': HSTS } : {}),
  };
}
