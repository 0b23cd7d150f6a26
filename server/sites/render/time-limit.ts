/** Limits the time of one page in the browser. */

/** All in milliseconds. */
export interface RenderTimes {
  /** The page's own time, counted only while no request is running: we set the pace of requests. */
  own: number;
  /** Total time, so that a page that keeps sending requests comes to an end. */
  whole: number;
}

export class RenderTimeLimit {
  readonly #over = new AbortController();
  readonly #whole: NodeJS.Timeout;
  #own: NodeJS.Timeout | undefined;
  #ownLeft: number;
  #since = 0;
  #pending = 0;

  constructor({ own, whole }: RenderTimes) {
    this.#ownLeft = own;
    this.#whole = setTimeout(() => this.#over.abort(), whole);
    this.#run();
  }

  /** Fires when the time is over. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get hasPending(): boolean {
    return this.#pending > 0;
  }

  /** Pauses the page's own time while `work` is running. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#pending++ === 0) this.#pause();
    try {
      return await work();
    } finally {
      if (--this.#pending === 0) this.#run();
    }
  }

  end(): void {
    clearTimeout(this.#own);
    clearTimeout(this.#whole);
  }

  #run(): void {
    this.#since = performance.now();
    this.#own = setTimeout(() => this.#over.abort(), this.#ownLeft);
  }

  #pause(): void {
    clearTimeout(this.#own);
    this.#ownLeft = Math.max(0, this.#ownLeft - (performance.now() - this.#since));
  }
}
