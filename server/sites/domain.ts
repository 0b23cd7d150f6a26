/** Which addresses belong to one website. */
import { getDomain } from 'tldts';

/**
 * The part of a host name that is registered: `example.co.uk` of `shop.example.co.uk`, by the Public Suffix List with its
 * private part (`a.github.io` and `b.github.io` are two). An IP address, a name of one label and a suffix are their own.
 * @param host as URL writes it: lower case, an IPv6 address in brackets
 */
export function registrableDomain(host: string): string {
  return getDomain(host, { allowPrivateDomains: true, validateHostname: false }) ?? host;
}

/** True when both are under one registrable domain. */
export function isSameSite(host: string, other: string): boolean {
  return registrableDomain(host) === registrableDomain(other);
}

/** True when both are one host of a website, with or without `www.` before it. */
export function isSameHost(host: string, other: string): boolean {
  return withoutWww(host) === withoutWww(other);
}

/** What a website is known by: its host without `www.`, and its port where that is not the usual one. */
export function sitePart(url: string): string {
  const { hostname, port } = new URL(url);
  return withoutWww(hostname) + (port && `:${port}`);
}

/** `www.com` is a domain of its own, and stays. */
function withoutWww(host: string): string {
  return host.startsWith('www.') && registrableDomain(host) !== host ? host.slice(4) : host;
}
