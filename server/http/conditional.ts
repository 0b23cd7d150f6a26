/**
 * Whether the client already has this version (RFC 9110, section 13.1.2: a weak
 * comparison). Koa's `fresh` is not used: a request with `Cache-Control: no-cache`
 * overrides it, but that directive is meant for caches between client and server.
 * @param ifNoneMatch header of the request; empty if there is none
 * @param etag ETag of the version, weak or strong
 */
export function isCurrent(ifNoneMatch: string, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  const tags = ifNoneMatch.split(',').map(opaque);
  return tags.includes(opaque(etag)) || tags.includes('*');
}
