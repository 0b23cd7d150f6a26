/**
 * Connects to checked addresses only. The check runs between the look-up of a name
 * and the connection, on the address that is then connected to. A name that resolves
 * to a different address the second time (DNS rebinding) would pass an earlier check.
 */
import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressPolicy, Refusal } from './addresses.ts';

/** Returns every address of a host name. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** The system's resolver, including the hosts file. */
export const resolveBySystem: Resolve = (hostname) => dns.lookup(hostname, { all: true });

/** Returns why a connection to an address is refused. */
export type ConnectionPolicy = Pick<AddressPolicy, 'refusal'>;

/** The address policy forbids the connection. */
export class ConnectionRefused extends Error {
  override readonly name = 'ConnectionRefused';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(`Connection refused by rule: ${refusal}`);
    this.refusal = refusal;
  }
}

export const getPort = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));

/**
 * Returns why the numeric address of a URL is refused. Returns undefined for names, which have to be looked up first.
 */
export function getRefusal(url: URL, policy: ConnectionPolicy): Refusal | undefined {
  // URLs write IPv6 addresses in brackets.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) ? policy.refusal(host, getPort(url)) : undefined;
}

/**
 * Creates the look-up for a connection to `url`. It returns the addresses only if the policy allows all of them.
 * @throws ConnectionRefused when the URL has a numeric address that is not allowed; the look-up fails with it too
 */
export function createGuardedLookup(url: URL, policy: ConnectionPolicy, resolve: Resolve): LookupFunction {
  const port = getPort(url);
  // Node connects to numeric addresses without a look-up.
  const refusal = getRefusal(url, policy);
  if (refusal) throw new ConnectionRefused(refusal);
  return (hostname, { all }, callback) => {
    allowedAddresses(policy, resolve, hostname, port).then(
      ([first, ...others]) => (all ? callback(null, [first, ...others]) : callback(null, first.address, first.family)),
      (error) => callback(error, []),
    );
  };
}

/** The refusals to report first, if a name has addresses with different ones. */
const REFUSAL_PRIORITY: readonly Refusal[] = ['own', 'port'];

/**
 * Refuses a name with one forbidden address (docs/spec/shapes.md, section
 * 16.8, rule 3), because the client that sent it may be hostile.
 */
async function allowedAddresses(
  policy: ConnectionPolicy,
  resolve: Resolve,
  hostname: string,
  port: number,
): Promise<[LookupAddress, ...LookupAddress[]]> {
  const [first, ...others] = await resolve(hostname);
  if (!first) throw new ConnectionRefused('address');
  const refusals = new Set([first, ...others].map(({ address }) => policy.refusal(address, port)));
  const refusal =
    REFUSAL_PRIORITY.find((each) => refusals.has(each)) ?? [...refusals].find((each) => each !== undefined);
  if (refusal) throw new ConnectionRefused(refusal);
  return [first, ...others];
}
