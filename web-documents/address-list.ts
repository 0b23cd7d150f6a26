/** Maximum for the links or style sheets of one document. */
const MAX_ADDRESSES = 20_000;
const MAX_CHARACTERS = 4_000_000;

/**
 * Absolute addresses in document order, without duplicates, up to a limit on their total length: short addresses in a
 * document may be relative to a very long base.
 */
export class AddressList {
  readonly #addresses = new Set<string>();
  readonly #most: number;
  readonly #mostCharacters: number;
  #characters = 0;

  /** @param mostCharacters limit on the total length, not counting the last address */
  constructor(most = MAX_ADDRESSES, mostCharacters = MAX_CHARACTERS) {
    this.#most = most;
    this.#mostCharacters = mostCharacters;
  }

  get full(): boolean {
    return this.#addresses.size >= this.#most || this.#characters >= this.#mostCharacters;
  }

  get isEmpty(): boolean {
    return this.#addresses.size === 0;
  }

  get all(): string[] {
    return [...this.#addresses];
  }

  /** Adds an address unless the list is full. Ignores undefined. */
  add(address: string | undefined): void {
    if (address === undefined || this.full || this.#addresses.has(address)) return;
    this.#addresses.add(address);
    this.#characters += address.length;
  }
}
