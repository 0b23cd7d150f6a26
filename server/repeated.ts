/** Work that many ask for: it runs once at a time, and once more when it was asked for meanwhile. */
export class Repeated {
  readonly #work: () => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #running: Promise<void> | undefined;
  #asked = false;
  #ended = false;

  /** @param onError told of what `work` throws, which keeps it from nothing */
  constructor(work: () => Promise<void>, onError: (error: unknown) => void) {
    this.#work = work;
    this.#onError = onError;
  }

  /** While it runs: resolves, always, when it rests. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Resolves, always, when everything has been done that there was to do at the time of the call. */
  ask(): Promise<void> {
    if (this.#ended) return this.#running ?? Promise.resolve();
    this.#asked = true;
    this.#running ??= this.#run();
    return this.#running;
  }

  /** From now on nobody is heard; resolves when it rests. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#asked && !this.#ended) {
      this.#asked = false;
      await this.#work().catch(this.#onError);
    }
    // In the same turn as the check above: what is asked for in between would be lost.
    this.#running = undefined;
  }
}
