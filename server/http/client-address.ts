/** Finds the address that a request comes from, and the key under which its client is counted. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Bits of an IPv6 address that identify a customer: one host may use every address with the same 64 bits (RFC 6177). */
const IPV6_CLIENT_BITS = 64;

type Address = ipaddr.IPv4 | ipaddr.IPv6;

function parse(text: string | undefined): Address | undefined {
  // A zone (`fe80::1%eth0`) identifies an interface of this machine, not the client.
  const address = text?.trim().replace(/%.*$/, '') ?? '';
  // `ipaddr.isValid` throws and catches an error for invalid text, which takes 0.2 ms, even without any address.
  return isIP(address) === 0 ? undefined : ipaddr.process(address);
}

/** Finds the address of a client behind the trusted proxies. */
export class ClientAddresses {
  readonly #proxies: readonly [Address, number][];

  /** @param trustedProxies blocks in CIDR notation whose `X-Forwarded-For` is trusted */
  constructor(trustedProxies: readonly string[]) {
    this.#proxies = trustedProxies.map((block) => ipaddr.parseCIDR(block));
  }

  /** True for the address of a proxy. Its connections carry the requests of many clients. */
  isProxy(remoteAddress: string | undefined): boolean {
    const address = parse(remoteAddress);
    return address !== undefined && this.#isProxy(address);
  }

  /** Returns the key under which a connection is counted: an IPv4 address, or the first 64 bits of an IPv6 address. */
  connectionKey(remoteAddress: string | undefined): string {
    return keyOf(parse(remoteAddress));
  }

  /**
   * Returns the key under which a request is counted. Behind trusted proxies it is the last address of
   * `X-Forwarded-For` that is not a proxy, because the client can write anything before it.
   */
  requestKey({ socket, headers }: IncomingMessage): string {
    let client = parse(socket.remoteAddress);
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
    while (client !== undefined && this.#isProxy(client)) {
      const before = parse(forwarded.pop());
      if (before === undefined) break;
      client = before;
    }
    return keyOf(client);
  }

  #isProxy(address: Address): boolean {
    return this.#proxies.some(([network, bits]) => address.kind() === network.kind() && address.match(network, bits));
  }
}

function keyOf(address: Address | undefined): string {
  if (address === undefined) return 'unknown';
  if (address.kind() === 'ipv4') return address.toString();
  const bytes = address.toByteArray().fill(0, IPV6_CLIENT_BITS / 8);
  return `${ipaddr.fromByteArray(bytes).toString()}/${IPV6_CLIENT_BITS}`;
}
