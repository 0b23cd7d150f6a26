/**
 * Connects to checked addresses only. The check stands between the look-up of a name and the connection, on the very
 * address that is connected to: a check before would be passed by a name that resolves to something else the second
 * time (DNS rebinding).
 */
import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressPolicy, Refusal } from './addresses.ts';

/** Every address of a host name. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** The resolver of the system, the hosts file included. */
export const resolveBySystem: Resolve = (hostname) => dns.lookup(hostname, { all: true });

/** The connection was not made because the rule forbids it. */
export class ConnectionRefused extends Error {
  override readonly name = 'ConnectionRefused';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(`Connection refused by rule: ${refusal}`);
    this.refusal = refusal;
  }
}

/**
 * A connector for undici that checks every address against `policy`.
 * @param timeoutMs for the look-up and the connection together
 */
export function guardedConnector(policy: AddressPolicy, resolve: Resolve, timeoutMs: number): buildConnector.connector {
  return (options, callback) => {
    const port = Number(options.port || (options.protocol === 'https:' ? 443 : 80));
    // An address written as a number is connected to without a look-up.
    const refusal = isIP(options.hostname) ? policy.refusal(options.hostname, port) : undefined;
    if (refusal) {
      process.nextTick(callback, new ConnectionRefused(refusal), null);
      return;
    }
    buildConnector({ timeout: timeoutMs, lookup: guardedLookup(policy, resolve, port) })(options, callback);
  };
}

function guardedLookup(policy: AddressPolicy, resolve: Resolve, port: number): LookupFunction {
  return (hostname, { all }, callback) => {
    allowedAddresses(policy, resolve, hostname, port).then(
      ([first, ...others]) => (all ? callback(null, [first, ...others]) : callback(null, first.address, first.family)),
      (error) => callback(error, []),
    );
  };
}

async function allowedAddresses(
  policy: AddressPolicy,
  resolve: Resolve,
  hostname: string,
  port: number,
): Promise<[LookupAddress, ...LookupAddress[]]> {
  const refusals: Refusal[] = [];
  const allowed = (await resolve(hostname)).filter(({ address }) => {
    const refusal = policy.refusal(address, port);
    if (refusal) refusals.push(refusal);
    return refusal === undefined;
  });
  const [first, ...others] = allowed;
  if (!first) throw new ConnectionRefused(refusals.includes('port') ? 'port' : 'address');
  return [first, ...others];
}
