/** Decides which addresses belong to one website. */
import { getDomain } from 'tldts';

/**
 * Finds the registrable part of a host name: `example.co.uk` for `shop.example.co.uk`, by the Public Suffix List with
 * its private section (`a.github.io` and `b.github.io` are two). An IP address, a name of one label and a public suffix
 * are returned as they are.
 * @param host as URL writes it: lower case, an IPv6 address in brackets
 */
export const registrableDomain = (host: string): string =>
  getDomain(host, { allowPrivateDomains: true, validateHostname: false }) ?? host;

/** True when both hosts have the same registrable domain. */
export const isSameSite = (host: string, other: string): boolean =>
  registrableDomain(host) === registrableDomain(other);

/** True when both are the same host, with or without a leading `www.`. */
export const isSameHost = (host: string, other: string): boolean => withoutWww(host) === withoutWww(other);

/** The identifier of a website: its host without `www.`, plus its port unless it is the default port. */
export function sitePart(url: string): string {
  const { hostname, port } = new URL(url);
  return withoutWww(hostname) + (port && `:${port}`);
}

/** Removes a leading `www.`. `www.com` is a registrable domain itself and is kept. */
const withoutWww = (host: string): string =>
  host.startsWith('www.') && registrableDomain(host) !== host ? host.slice(4) : host;
