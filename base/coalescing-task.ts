/** Runs work on request, one run at a time. Requests during a run cause one more run. */
export class CoalescingTask {
  readonly #work: () => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #running: Promise<void> | undefined;
  #asked = false;
  #ended = false;

  /** @param onError receives what `work` throws; later runs are not affected */
  constructor(work: () => Promise<void>, onError: (error: unknown) => void) {
    this.#work = work;
    this.#onError = onError;
  }

  /** A promise while work is running. It always resolves, when no more runs are due. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Requests a run. Always resolves, when all work that was due at the time of the call is done. */
  ask(): Promise<void> {
    if (this.#ended) return this.#running ?? Promise.resolve();
    this.#asked = true;
    this.#running ??= this.#run();
    return this.#running;
  }

  /** Ignores all further requests. Resolves when the current run has ended. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#asked && !this.#ended) {
      this.#asked = false;
      await this.#work().catch(this.#onError);
    }
    // Must be in the same turn as the check above: a request in between would be lost.
    this.#running = undefined;
  }
}
