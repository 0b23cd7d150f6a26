/** Reads and checks addresses before any work is done for them. */
import { BoundedMap } from '../../base/bounded-map.ts';
import type { Repositories } from '../../storage/ports/database.ts';
import { findCaller } from '../account/authenticate.ts';
import type { Config } from '../config.ts';
import type { Caller } from '../http/context.ts';
import { type ImageAddress, parseAddress } from './address.ts';
import { unsignedNotAllowed } from './errors.ts';
import { checkAllowed, checkUnsigned, type DeliveryLimits } from './limits.ts';
import type { ImageRequest } from './make.ts';
import { parseOptions } from './options.ts';
import { verifySignature } from './signature.ts';
import { parseSource } from './source.ts';

/** How long a result is used again. A revoked key stops working after this time. */
const CHECKED_MS = 10_000;
const MAX_CHECKED = 10_000;

/** An address with the caller that it counts against. */
export type CheckedAddress = Omit<ImageRequest, 'accepted'>;

export interface CheckedAddressesOptions {
  database: Pick<Repositories, 'accounts' | 'keys'>;
  config: DeliveryLimits & Pick<Config, 'deliveryUnsignedKey'>;
  /** The current time in milliseconds. */
  now: () => number;
}

export class CheckedAddresses {
  readonly #options: CheckedAddressesOptions;
  /** Those that were checked lately. */
  readonly #checked = new BoundedMap<string, { address: CheckedAddress; until: number }>(MAX_CHECKED);

  constructor(options: CheckedAddressesOptions) {
    this.#options = options;
  }

  /**
   * Checks an address.
   * @param path as the client sent it
   * @throws Failure 403 `invalid_signature`, and 400 for options and sources that are wrong or not allowed
   */
  async check(path: string): Promise<CheckedAddress> {
    const { config, now } = this.#options;
    const known = this.#checked.get(path);
    if (known && known.until > now()) return known.address;
    const parts = parseAddress(path);
    const caller = await this.#callerOf(parts);
    const [options, source] = [parseOptions(parts.options), parseSource(parts.source)];
    checkAllowed(options, source, config);
    if (parts.signature === undefined) checkUnsigned(options, source, config);
    const address = { caller, options, source };
    this.#checked.set(path, { address, until: now() + CHECKED_MS });
    return address;
  }

  async #callerOf({ signature, signed }: ImageAddress): Promise<Caller> {
    const { database, config, now } = this.#options;
    const find = (keyId: string) => findCaller(database, keyId, now());
    if (signature !== undefined) return await verifySignature(signature, signed, find);
    const caller = config.deliveryUnsignedKey === undefined ? undefined : await find(config.deliveryUnsignedKey);
    if (!caller) throw unsignedNotAllowed('this service');
    return caller;
  }
}
