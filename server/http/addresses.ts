/**
 * Decides which addresses the service itself may connect to. The attack is server-side request forgery: a client names
 * an address that only this machine can reach, by number, by a name that resolves to it, or by a redirect.
 */
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Block = [Address, number];

/** IANA has assigned no other part of IPv6 to the public internet (IANA, "IPv6 Global Unicast Address Assignments"). */
const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/3');

const WEB_PORTS: ReadonlySet<number> = new Set([80, 443, 8080, 8443]);

/** True for a block in CIDR notation, such as `10.0.0.0/8` or `fd00::/8`. */
export const isBlock = (text: string): boolean =>
  ipaddr.isValidCIDR(text) && (text.includes(':') || ipaddr.IPv4.isValidCIDRFourPartDecimal(text));

/**
 * `::10.0.0.1`, an obsolete form (RFC 4291, section 2.5.5.1).
 * ipaddr.js reads it as the IPv4 address; the system does not.
 */
const IPV4_COMPATIBLE = /^::[0-9]+[.]/;

/**
 * Reads an address as a resolver returns it. An IPv4 address inside an IPv6 one (`::ffff:10.0.0.1`) is read as IPv4,
 * because the system connects to that. An address with a zone (`fe80::1%eth0`) is never public.
 */
function parse(text: string): Address | undefined {
  if (text.includes('%') || IPV4_COMPATIBLE.test(text) || !ipaddr.isValid(text)) return undefined;
  return ipaddr.process(text);
}

/**
 * True for an address of the public internet. All IPv6 addresses that carry an IPv4 address (NAT64, 6to4, Teredo) are
 * refused, because a gateway on the way would connect to the IPv4 address inside.
 */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST_V6);
}

const isInside = (address: Address, [network, bits]: Block): boolean =>
  address.kind() === network.kind() && address.match(network, bits);

export type Refusal = 'address' | 'port' | 'name' | 'own';

/** An address and a port. */
export interface Endpoint {
  address: string;
  port: number;
}

/** The rule for outgoing connections: public addresses on web ports, and the allowed blocks on any port. */
export class AddressPolicy {
  readonly #allowed: readonly Block[];
  readonly #own: ReadonlySet<string>;

  /**
   * @param allowed blocks in CIDR notation that may be reached although they are private
   * @param own where this service listens; not reachable even if it is public
   */
  constructor(allowed: readonly string[], own: readonly Endpoint[] = []) {
    this.#allowed = allowed.map((block) => ipaddr.parseCIDR(block));
    this.#own = new Set(own.map(({ address, port }) => `${parse(address)} ${port}`));
  }

  /** True when any private addresses may be reached. */
  get allowsPrivate(): boolean {
    return this.#allowed.length > 0;
  }

  /** True for an address in an allowed block, which may be reached on any port. */
  allows(text: string): boolean {
    const address = parse(text);
    return address !== undefined && this.#allowed.some((block) => isInside(address, block));
  }

  /** Returns why a connection is refused, or undefined if it is allowed. */
  refusal(text: string, port: number): Refusal | undefined {
    const address = parse(text);
    if (!address) return 'address';
    if (this.#allowed.some((block) => isInside(address, block))) return undefined;
    if (!isPublic(address)) return 'address';
    if (this.#own.has(`${address} ${port}`)) return 'own';
    return WEB_PORTS.has(port) ? undefined : 'port';
  }

  /** Returns why connections to a port are refused at every address, or undefined if some address allows them. */
  refusalOfPort(port: number): Refusal | undefined {
    return this.allowsPrivate || WEB_PORTS.has(port) ? undefined : 'port';
  }
}
