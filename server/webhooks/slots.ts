/** Who may have how many attempts on their way, so that nobody who answers slowly holds up the others. */
import type { DueMessage } from '../../storage/repositories/webhooks.ts';

/** Each is a socket that waits, for 15 seconds at most. */
const MOST = 64;
const MOST_OF_ACCOUNT = 16;
/** What a receiver gets at a time. */
const MOST_OF_RECEIVER = 4;

/** The holder of a slot. */
type Holder = Pick<DueMessage, 'accountId' | 'url'>;

export class Slots {
  #taken = 0;
  readonly #taking = new Map<string, number>();

  /** False when all are taken that there are for the holder. */
  take(holder: Holder): boolean {
    const limits = limitsOf(holder);
    if (this.#taken >= MOST || limits.some(([name, most]) => this.#count(name) >= most)) return false;
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

/** Accounts do not share what there is for a receiver: many have theirs at the same host. */
function limitsOf({ accountId, url }: Holder): [string, number][] {
  return [
    [accountId, MOST_OF_ACCOUNT],
    [`${accountId} ${new URL(url).origin}`, MOST_OF_RECEIVER],
  ];
}
