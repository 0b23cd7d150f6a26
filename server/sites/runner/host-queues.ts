/** Queues per host, so that a slow host delays only its own fetches. */

interface HostQueue {
  origin: string;
  waiting: number[];
  /** Index of the next item. */
  next: number;
  running: number;
  isLined: boolean;
}

export interface HostWork {
  /** Maximum over all hosts. */
  atATime: number;
  work(seq: number, origin: string, signal: AbortSignal): Promise<void>;
  signal: AbortSignal;
}

export class HostQueues {
  readonly #perHost: number;
  readonly #hosts = new Map<string, HostQueue>();
  /** Hosts that may start another item, in the order of their turns. */
  readonly #ready: HostQueue[] = [];

  /** @param perHost maximum number of items in work at a time for one host */
  constructor(perHost: number) {
    this.#perHost = perHost;
  }

  add(origin: string, seq: number): void {
    const host = this.#hosts.get(origin) ?? { origin, waiting: [], next: 0, running: 0, isLined: false };
    this.#hosts.set(origin, host);
    host.waiting.push(seq);
    this.#enqueue(host);
  }

  /** Works on all queued items. On an error, aborts the others and throws the error after they have ended. */
  async work({ atATime, work, signal }: HostWork): Promise<void> {
    const leaving = new AbortController();
    const either = AbortSignal.any([signal, leaving.signal]);
    const running = new Set<Promise<void>>();
    const start = (host: HostQueue) => {
      const seq = host.waiting[host.next]!;
      host.next += 1;
      host.running += 1;
      this.#enqueue(host);
      const one = work(seq, host.origin, either).finally(() => {
        host.running -= 1;
        this.#enqueue(host);
        running.delete(one);
      });
      // The race below reports the error, unless another one ended it first.
      one.catch(() => {});
      running.add(one);
    };
    try {
      for (;;) {
        for (let host = this.#turn(running.size < atATime); host; host = this.#turn(running.size < atATime))
          start(host);
        if (running.size === 0) return;
        await Promise.race(running);
      }
    } finally {
      leaving.abort();
      await Promise.allSettled(running);
    }
  }

  #turn(hasRoom: boolean): HostQueue | undefined {
    const host = hasRoom ? this.#ready.shift() : undefined;
    if (host) host.isLined = false;
    return host;
  }

  #enqueue(host: HostQueue): void {
    if (host.isLined || host.running >= this.#perHost) return;
    if (host.next === host.waiting.length) {
      if (host.running === 0) this.#hosts.delete(host.origin);
      return;
    }
    host.isLined = true;
    this.#ready.push(host);
  }
}
