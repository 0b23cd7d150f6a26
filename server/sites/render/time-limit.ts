/** The time that one page may take in the browser. */

/** All in milliseconds. */
export interface RenderTimes {
  /** Of the page itself: while none of its requests is under way, because their pace is ours. */
  own: number;
  /** Of the whole, so that a page that goes on asking comes to an end. */
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

  /** Lets the page's own time rest while `work` is under way. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#pending++ === 0) this.#rest();
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

  #rest(): void {
    clearTimeout(this.#own);
    this.#ownLeft = Math.max(0, this.#ownLeft - (performance.now() - this.#since));
  }
}
