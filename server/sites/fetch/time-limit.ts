import type { Clock } from '../../../base/clock.ts';
import { timeoutMessage, UpstreamError } from '../../../base/http-request.ts';

/** The time that a fetch may take. It is used up in pieces: waiting for turns is not counted. */
export class TimeLimit {
  readonly #milliseconds: number;
  readonly #clock: Clock;
  #left: number;

  constructor(milliseconds: number, clock: Clock) {
    this.#milliseconds = milliseconds;
    this.#left = milliseconds;
    this.#clock = clock;
  }

  /** @throws UpstreamError when the time is over; what `work` throws */
  async during<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const over = new AbortController();
    const started = this.#clock.now();
    const cancel = this.#clock.after(Math.max(this.#left, 0), () => over.abort());
    try {
      return await work(AbortSignal.any([signal, over.signal]));
    } catch (error) {
      throw over.signal.aborted ? new UpstreamError(timeoutMessage(this.#milliseconds)) : error;
    } finally {
      cancel();
      this.#left -= this.#clock.now() - started;
    }
  }
}
