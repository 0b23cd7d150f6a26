/** Of the links or style sheets of a document. */
const MOST_ADDRESSES = 20_000;
const MOST_CHARACTERS = 4_000_000;

/** Absolute addresses, each once, in their order, as many as fit: short ones of a document may be relative to a very long one. */
export class AddressList {
  readonly #addresses = new Set<string>();
  readonly #most: number;
  readonly #mostCharacters: number;
  #characters = 0;

  /** @param mostCharacters of all of them together, the last one aside */
  constructor(most = MOST_ADDRESSES, mostCharacters = MOST_CHARACTERS) {
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

  /** Leaves out what there is no room for; undefined is no address. */
  add(address: string | undefined): void {
    if (address === undefined || this.full || this.#addresses.has(address)) return;
    this.#addresses.add(address);
    this.#characters += address.length;
  }
}
