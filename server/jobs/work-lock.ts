/**
 * Who may work at the same time. Any number of items that were never interrupted may; one that was in work when a process
 * was killed works alone. So an image that ends the process is found by its own attempts, and costs no other one more
 * than the first of its attempts. Who came first enters first.
 */
export class WorkLock {
  #working = 0;
  #alone = false;
  readonly #waiting: { alone: boolean; enter: () => void }[] = [];

  /**
   * Resolves when it may be worked.
   * @returns ends the work
   * @throws the reason of the signal
   */
  async enter(alone: boolean, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const waiting = {
        alone,
        enter: () => {
          signal.removeEventListener('abort', cancel);
          this.#working += 1;
          this.#alone = alone;
          resolve();
        },
      };
      const cancel = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal.reason);
        this.#admit();
      };
      signal.addEventListener('abort', cancel, { once: true });
      this.#waiting.push(waiting);
      this.#admit();
    });
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#working -= 1;
      this.#admit();
    };
  }

  #admit(): void {
    for (let [next] = this.#waiting; next; [next] = this.#waiting) {
      if (this.#working > 0 && (next.alone || this.#alone)) return;
      this.#waiting.shift();
      next.enter();
    }
  }
}
