/**
 * Whether the client has this version (RFC 9110, section 13.1.2: a weak comparison). Not Koa's `fresh`, which lets
 * `Cache-Control: no-cache` of a request overrule it; that directive is for caches on the way.
 * @param ifNoneMatch the header of the request; empty without one
 * @param etag of the version, weak or strong
 */
export function isCurrent(ifNoneMatch: string, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  const tags = ifNoneMatch.split(',').map(opaque);
  return tags.includes(opaque(etag)) || tags.includes('*');
}
