/** Limits the running attempts in total, per account and per receiver, so that slow receivers do not block others. */
import type { DueMessage } from '../../storage/ports/webhooks.ts';

/** Each is an open socket, for at most 15 seconds. */
const MAX_ATTEMPTS = 64;
const MAX_ATTEMPTS_PER_ACCOUNT = 16;
/** Attempts to one receiver at a time. */
const MAX_ATTEMPTS_PER_RECEIVER = 4;

/** The holder of a slot. */
type Holder = Pick<DueMessage, 'accountId' | 'url'>;

export class Slots {
  #taken = 0;
  readonly #taking = new Map<string, number>();

  /** Takes a slot. Returns false if the holder has no free one. */
  take(holder: Holder): boolean {
    const limits = limitsOf(holder);
    if (this.#taken >= MAX_ATTEMPTS || limits.some(([name, most]) => this.#count(name) >= most)) return false;
    this.#taken += 1;
    for (const [name] of limits) this.#taking.set(name, this.#count(name) + 1);
    return true;
  }

  release(holder: Holder): void {
    this.#taken -= 1;
    for (const [name] of limitsOf(holder)) {
      const count = this.#count(name) - 1;
      if (count > 0) this.#taking.set(name, count);
      else this.#taking.delete(name);
    }
  }

  #count(name: string): number {
    return this.#taking.get(name) ?? 0;
  }
}

/** The limit per receiver applies per account, because many accounts use receivers at the same host. */
const limitsOf = ({ accountId, url }: Holder): [string, number][] => [
  [accountId, MAX_ATTEMPTS_PER_ACCOUNT],
  [`${accountId} ${new URL(url).origin}`, MAX_ATTEMPTS_PER_RECEIVER],
];
