/** Runs pieces of asynchronous work one after another, in the order in which they came. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves or rejects as `work` does. The next one runs even if this one throws. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }
}
