/**
 * Who may enter and who goes first. Counts tasks, bytes and estimated pixels of everything queued or running, because
 * a hundred thumbnails and a hundred posters are not the same load. Pure bookkeeping: no threads, no clocks.
 */
import type { Lane } from './task.ts';

export interface AdmissionLimits {
  /** Tasks that may wait, over all lanes. */
  tasks: number;
  /** Input bytes of all tasks queued or running. */
  bytes: number;
  /** Estimated pixels of all tasks queued or running. */
  pixels: number;
}

export interface Ticket {
  lane: Lane;
  bytes: number;
  pixels: number;
}

/** A lane-ordered queue of tickets with the totals of all that was admitted and not yet released. */
export class Admission<T extends Ticket> {
  readonly #limits: AdmissionLimits;
  readonly #slots: number;
  readonly #queues: Record<Lane, T[]> = { interactive: [], background: [] };
  #running = 0;
  bytes = 0;
  pixels = 0;

  constructor(limits: AdmissionLimits, slots: number) {
    this.#limits = limits;
    this.#slots = slots;
  }

  queued(lane: Lane): number {
    return this.#queues[lane].length;
  }

  get running(): number {
    return this.#running;
  }

  /** Queues the ticket, or answers false when a limit would be passed. A lone task always fits. */
  admit(ticket: T): boolean {
    const alone = this.bytes === 0 && this.pixels === 0;
    const full =
      this.queued('interactive') + this.queued('background') >= this.#limits.tasks ||
      this.bytes + ticket.bytes > this.#limits.bytes ||
      this.pixels + ticket.pixels > this.#limits.pixels;
    if (full && !alone) return false;
    this.bytes += ticket.bytes;
    this.pixels += ticket.pixels;
    this.#queues[ticket.lane].push(ticket);
    return true;
  }

  /** The ticket to run now, if any: interactive work goes first. */
  next(): T | undefined {
    if (this.#running >= this.#slots) return undefined;
    const ticket = this.#queues.interactive.shift() ?? this.#queues.background.shift();
    if (ticket) this.#running += 1;
    return ticket;
  }

  /** Takes a ticket that still waits out of its queue; false when it is no longer there. */
  withdraw(ticket: T): boolean {
    const queue = this.#queues[ticket.lane];
    const index = queue.indexOf(ticket);
    if (index === -1) return false;
    queue.splice(index, 1);
    this.#forget(ticket);
    return true;
  }

  /** A running ticket has ended. */
  release(ticket: T): void {
    this.#running -= 1;
    this.#forget(ticket);
  }

  #forget(ticket: T): void {
    this.bytes -= ticket.bytes;
    this.pixels -= ticket.pixels;
  }
}
