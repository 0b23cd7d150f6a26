/** What is to be fetched, host by host: a slow host keeps nobody waiting but itself. */

interface HostQueue {
  origin: string;
  waiting: number[];
  /** Index of the next one. */
  next: number;
  running: number;
  isLined: boolean;
}

export interface HostWork {
  /** Over all hosts. */
  atATime: number;
  work(seq: number, origin: string, signal: AbortSignal): Promise<void>;
  signal: AbortSignal;
}

export class HostQueues {
  readonly #perHost: number;
  readonly #hosts = new Map<string, HostQueue>();
  /** Hosts that may be asked for more, in the order of their turns. */
  readonly #line: HostQueue[] = [];

  /** @param perHost most that are worked on at a time of one host */
  constructor(perHost: number) {
    this.#perHost = perHost;
  }

  add(origin: string, seq: number): void {
    const host = this.#hosts.get(origin) ?? { origin, waiting: [], next: 0, running: 0, isLined: false };
    this.#hosts.set(origin, host);
    host.waiting.push(seq);
    this.#lineUp(host);
  }

  /** Works on all that wait. Ends with the first error, when nothing of it goes on any more. */
  async work({ atATime, work, signal }: HostWork): Promise<void> {
    const leaving = new AbortController();
    const either = AbortSignal.any([signal, leaving.signal]);
    const running = new Set<Promise<void>>();
    const start = (host: HostQueue) => {
      const seq = host.waiting[host.next]!;
      host.next += 1;
      host.running += 1;
      this.#lineUp(host);
      const one = work(seq, host.origin, either).finally(() => {
        host.running -= 1;
        this.#lineUp(host);
        running.delete(one);
      });
      // Seen by the race; another one may have ended it.
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
    const host = hasRoom ? this.#line.shift() : undefined;
    if (host) host.isLined = false;
    return host;
  }

  #lineUp(host: HostQueue): void {
    if (host.isLined || host.running >= this.#perHost) return;
    if (host.next === host.waiting.length) {
      if (host.running === 0) this.#hosts.delete(host.origin);
      return;
    }
    host.isLined = true;
    this.#line.push(host);
  }
}
