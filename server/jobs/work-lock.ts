/**
 * A lock for items. Items that were never interrupted run together; an item that was
 * running when the process was killed runs alone. So an image that crashes the process uses
 * up its own attempts, and at most one attempt of other images. First come, first served.
 */
export class WorkLock {
  #working = 0;
  #alone = false;
  readonly #waiting: { alone: boolean; enter: () => void }[] = [];

  /**
   * Resolves when the item may run.
   * @returns a function that leaves the lock; call it when the work has ended
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
