/**
 * Decides which websites may be scanned: rules 1, 3, 4, 8 and 9 of docs/spec/shapes.md, section 16.8, as far as they concern
 * addresses.
 */
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { AddressPolicy, type Endpoint } from '../../http/addresses.ts';
import { type ConnectionPolicy, getPort, getRefusal } from '../../http/connector.ts';
import { connectionNotAllowed } from '../../http/outgoing-errors.ts';
import { parseUrl } from '../../http/web-address.ts';

/** Where this service is reached. */
export interface OwnService {
  baseUrl: string;
  /** The host that the server is bound to: an address, or a wildcard address for all of the machine. */
  host: string;
  port: number;
}

export class SitePolicy {
  readonly #addresses: AddressPolicy;
  readonly #base: URL | undefined;

  /**
   * @param allowPrivate blocks of IC_ALLOW_PRIVATE_ADDRESSES: addresses in them may be scanned, this service included
   */
  constructor(allowPrivate: readonly string[], own?: OwnService) {
    this.#addresses = new AddressPolicy(allowPrivate, own && endpointsOf(own));
    this.#base = own && new URL(own.baseUrl);
  }

  /**
   * Checks an address as far as possible without a DNS lookup.
   * @throws Failure `url_not_allowed`
   */
  check(url: URL): void {
    const refusal =
      this.#refusalOfName(url) ?? getRefusal(url, this.for(url)) ?? this.#addresses.refusalOfPort(getPort(url));
    if (refusal) throw connectionNotAllowed('url', refusal);
  }

  /** The policy for connections made for this address. */
  for(url: URL): ConnectionPolicy {
    const addresses = this.#addresses;
    if (!this.#isBase(url)) return addresses;
    return { refusal: (address) => (addresses.allows(address) ? undefined : 'own') };
  }

  #refusalOfName(url: URL): 'name' | 'own' | undefined {
    const { hostname } = url;
    if (isIP(hostname.replace(/^\[|\]$/g, ''))) return undefined;
    if (hostname.endsWith('.')) return 'name';
    // Names of an internal network are allowed when the operator has allowed private addresses.
    if (this.#addresses.allowsPrivate) return undefined;
    if (!hostname.includes('.')) return 'name';
    return this.#isBase(url) ? 'own' : undefined;
  }

  /**
   * True for the public address of this service. A server that listens on port 80 or 443 usually has the other one too.
   */
  #isBase(url: URL): boolean {
    if (url.hostname !== this.#base?.hostname) return false;
    const ports = [getPort(url), getPort(this.#base)];
    return ports[0] === ports[1] || ports.every((port) => port === 80 || port === 443);
  }
}

/**
 * Checks the address of a website to scan, as far as possible without a DNS lookup.
 * @throws Failure `invalid_url` or `url_not_allowed`
 */
export function checkSiteAddress(
  text: string,
  {
    baseUrl,
    config,
  }: { baseUrl: string; config: { host: string; port: number; allowPrivateAddresses: readonly string[] } },
): URL {
  const url = parseUrl(text, 'url');
  new SitePolicy(config.allowPrivateAddresses, { baseUrl, host: config.host, port: config.port }).check(url);
  return url;
}

function endpointsOf({ host, port }: OwnService): Endpoint[] {
  if (host !== '0.0.0.0' && host !== '::') return isIP(host) ? [{ address: host, port }] : [];
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .map(({ address }) => ({ address, port }));
}
