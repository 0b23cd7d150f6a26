/**
 * Connects to checked addresses only. The check stands between the look-up of a name and the connection, on the very
 * address that is connected to: a check before would be passed by a name that resolves to something else the second
 * time (DNS rebinding).
 */
import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressPolicy, Refusal } from './addresses.ts';

/** Every address of a host name. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** The resolver of the system, the hosts file included. */
export const resolveBySystem: Resolve = (hostname) => dns.lookup(hostname, { all: true });

/** Says why a connection to an address is refused. */
export type ConnectionPolicy = Pick<AddressPolicy, 'refusal'>;

/** The connection was not made because the rule forbids it. */
export class ConnectionRefused extends Error {
  override readonly name = 'ConnectionRefused';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(`Connection refused by rule: ${refusal}`);
    this.refusal = refusal;
  }
}

export function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}

/** Why an address that is written as a number is not connected to. Names have to be looked up first. */
export function refusalOf(url: URL, policy: ConnectionPolicy): Refusal | undefined {
  // URLs have IPv6 addresses in brackets.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) ? policy.refusal(host, portOf(url)) : undefined;
}

/**
 * The look-up for a connection to `url`, which finds its addresses where the policy allows all of them, and else none.
 * @throws ConnectionRefused when the URL names an address that is not allowed; the look-up fails with it too
 */
export function guardedLookup(url: URL, policy: ConnectionPolicy, resolve: Resolve): LookupFunction {
  const port = portOf(url);
  // An address written as a number is connected to without a look-up.
  const refusal = refusalOf(url, policy);
  if (refusal) throw new ConnectionRefused(refusal);
  return (hostname, { all }, callback) => {
    allowedAddresses(policy, resolve, hostname, port).then(
      ([first, ...others]) => (all ? callback(null, [first, ...others]) : callback(null, first.address, first.family)),
      (error) => callback(error, []),
    );
  };
}

/** Of the refusals of a name's addresses, the first of these is told. */
const MOST_TELLING: readonly Refusal[] = ['own', 'port'];

/** A name with one forbidden address is refused as a whole (spec/shapes.md, section 16.8, rule 3): whoever named it may not be trusted. */
async function allowedAddresses(
  policy: ConnectionPolicy,
  resolve: Resolve,
  hostname: string,
  port: number,
): Promise<[LookupAddress, ...LookupAddress[]]> {
  const [first, ...others] = await resolve(hostname);
  if (!first) throw new ConnectionRefused('address');
  const refusals = new Set([first, ...others].map(({ address }) => policy.refusal(address, port)));
  const refusal = MOST_TELLING.find((each) => refusals.has(each)) ?? [...refusals].find((each) => each !== undefined);
  if (refusal) throw new ConnectionRefused(refusal);
  return [first, ...others];
}
