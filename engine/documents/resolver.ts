import { normalizeAddress, pageAddress } from './address.ts';

/** In characters: those of a sitemap with as many pages and images as the protocol allows, all of them long. */
const MOST_WORK = 100_000_000;
/** What an address costs, however short it and its base are. */
const WORK_OF_ONE = 400;
/** The path of the base is gone through several times. */
const WORK_OF_BASE = 4;

/**
 * Makes the addresses of one document absolute, within bounds: a hostile one may name a million short ones, relative to a very
 * long one.
 */
export class Resolver {
  #left = MOST_WORK;

  /** Whether it has done all that it does; the rest stays unresolved. */
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
    this.#left -= address.length + WORK_OF_BASE * base.length + WORK_OF_ONE;
    return true;
  }
}
