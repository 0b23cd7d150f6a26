/** The path at this service of an address as it writes it: with its public address, which need not be the one that this page came from. */
export function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname.slice(pathname.indexOf('/api/v1/')) + search;
}
