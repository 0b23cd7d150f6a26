/**
 * Which addresses the service itself may connect to. The attack is server-side request forgery: a client names an
 * address, by number, by a name that resolves to it or by a redirect, that only this machine can reach.
 */
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Block = [Address, number];

/** IANA has given out no other part of IPv6 for the public internet (IANA, "IPv6 Global Unicast Address Assignments"). */
const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/3');

const WEB_PORTS: ReadonlySet<number> = new Set([80, 443, 8080, 8443]);

/** True for a block in CIDR notation, such as `10.0.0.0/8` or `fd00::/8`. */
export function isBlock(text: string): boolean {
  return ipaddr.isValidCIDR(text) && (text.includes(':') || ipaddr.IPv4.isValidCIDRFourPartDecimal(text));
}

/** `::10.0.0.1`, an obsolete form (RFC 4291, section 2.5.5.1) that ipaddr.js takes for the IPv4 address, the system not. */
const IPV4_COMPATIBLE = /^::[0-9]+[.]/;

/**
 * Reads an address as a resolver gives it. An IPv4 address inside an IPv6 one (`::ffff:10.0.0.1`) is read as IPv4,
 * because the system connects to that. An address with a zone (`fe80::1%eth0`) is never a public one.
 */
function parse(text: string): Address | undefined {
  if (text.includes('%') || IPV4_COMPATIBLE.test(text) || !ipaddr.isValid(text)) return undefined;
  return ipaddr.process(text);
}

/**
 * True for an address of the public internet. IPv6 that carries an IPv4 address (NAT64, 6to4, Teredo) is refused as a
 * whole: a gateway on the way would connect to the address inside.
 */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST_V6);
}

function isInside(address: Address, [network, bits]: Block): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

export type Refusal = 'address' | 'port' | 'name' | 'own';

/** An address and a port. */
export interface Endpoint {
  address: string;
  port: number;
}

/** The rule for outgoing connections: public addresses on the ports of the web, allowed blocks on any port. */
export class AddressPolicy {
  readonly #allowed: readonly Block[];
  readonly #own: ReadonlySet<string>;

  /**
   * @param allowed blocks in CIDR notation that may be reached although they are private
   * @param own where this service listens: not reached although it is public
   */
  constructor(allowed: readonly string[], own: readonly Endpoint[] = []) {
    this.#allowed = allowed.map((block) => ipaddr.parseCIDR(block));
    this.#own = new Set(own.map(({ address, port }) => `${parse(address)} ${port}`));
  }

  /** True when any private addresses may be reached. */
  get allowsPrivate(): boolean {
    return this.#allowed.length > 0;
  }

  /** True for an address that may be reached whatever else speaks against it. */
  allows(text: string): boolean {
    const address = parse(text);
    return address !== undefined && this.#allowed.some((block) => isInside(address, block));
  }

  /** Why a connection is refused, or undefined when it is allowed. */
  refusal(text: string, port: number): Refusal | undefined {
    const address = parse(text);
    if (!address) return 'address';
    if (this.#allowed.some((block) => isInside(address, block))) return undefined;
    if (!isPublic(address)) return 'address';
    if (this.#own.has(`${address} ${port}`)) return 'own';
    return WEB_PORTS.has(port) ? undefined : 'port';
  }

  /** Why connections to a port are refused at every address, or undefined when there are some where they are not. */
  refusalOfPort(port: number): Refusal | undefined {
    return this.allowsPrivate || WEB_PORTS.has(port) ? undefined : 'port';
  }
}
