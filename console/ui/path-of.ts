/**
 * Returns the path of an address that the service wrote. Its host is the service's public address, which may differ
 * from that of this page.
 */
export function toServicePath(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname.slice(pathname.indexOf('/api/v1/')) + search;
}
