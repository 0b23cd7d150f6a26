import { normalizeAddress, pageAddress } from './address.ts';

/**
 * In characters. Enough for a sitemap with as many pages and images as the protocol allows, all with long addresses.
 */
const MAX_WORK = 100_000_000;
/** Fixed cost of an address, added to its length. */
const WORK_PER_ADDRESS = 400;
/** Weight of the base address, whose path is processed several times. */
const BASE_WEIGHT = 4;

/**
 * Makes the addresses of one document absolute, with a limit: a hostile document may name a million short ones,
 * relative to a very long base.
 */
export class Resolver {
  #left = MAX_WORK;

  /** Whether the limit is reached. Further addresses are not resolved. */
  get exhausted(): boolean {
    return this.#left <= 0;
  }

  /** As {@link normalizeAddress}. */
  address(address: string, base: string): string | undefined {
    return this.#take(address, base) ? normalizeAddress(address, base) : undefined;
  }

  /** As {@link pageAddress}. */
  page(address: string, base: string): string | undefined {
    return this.#take(address, base) ? pageAddress(address, base) : undefined;
  }

  #take(address: string, base: string): boolean {
    if (this.exhausted) return false;
    this.#left -= address.length + BASE_WEIGHT * base.length + WORK_PER_ADDRESS;
    return true;
  }
}
