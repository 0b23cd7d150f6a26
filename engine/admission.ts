/**
 * Decides which tasks are accepted and which runs next. Counts tasks, bytes and estimated pixels of everything queued
 * or running, because a hundred thumbnails and a hundred posters are not the same load. Uses no threads and no clock:
 * callers pass the time.
 */
import { FairQueue } from './fair-queue.ts';
import { isCounted, MemoryBudget, type MemoryShare } from './memory-budget.ts';
import type { Lane } from './task.ts';
import type { Owner, Ticket } from './ticket.ts';

export interface AdmissionLimits {
  /** Maximum number of waiting tasks, over all lanes. */
  tasks: number;
  /** Maximum input bytes of all tasks queued or running. */
  bytes: number;
  /** Maximum estimated pixels of all tasks queued or running. */
  pixels: number;
}

/** Additional slots for when the regular ones are taken, so that no account can hold every slot. */
export interface ExtraSlots {
  /**
   * Slots for short tasks. At most one per account, so that tasks of its other keys, or its own short ones, need not
   * wait for its long ones. All but the first are only for accounts with no running task.
   */
  short: number;
  /** Slots for long tasks of accounts with no running task. */
  long: number;
}

export interface Slots {
  /** Tasks that run at the same time. */
  regular: number;
  extra: ExtraSlots;
  /** A task is short if its estimated processor time is at most this, in milliseconds. */
  maxShortMs: number;
}

/** An account whose tasks took this much longer than estimated gets no extra slot for a while, in milliseconds. */
const MAX_OVERRUN_MS = 2000;
/** Half-life of an overrun, in milliseconds. */
const OVERRUN_HALF_LIFE_MS = 30_000;
/** An account without tasks, and its usage, is forgotten after this time, in milliseconds. */
const FORGET_AFTER_MS = 60_000;

const LANES: readonly Lane[] = ['interactive', 'background'];
const NOBODY: Owner = { account: '', key: '' };

interface Account {
  /** Sum over the tasks queued or running. */
  bytes: number;
  pixels: number;
  waiting: number;
  running: Ticket[];
  /** Estimated processor time of all waiting tasks. */
  waitingMs: number;
  overrunMs: number;
  /** When the account's last task ended. */
  endedAt: number;
}

/** A queue of tickets in fair order, with the totals of all tickets that were admitted and not yet released. */
export class Admission<T extends Ticket> {
  readonly #limits: AdmissionLimits;
  readonly #slots: Slots;
  readonly #memory: MemoryShare;
  readonly #queues: Record<Lane, FairQueue<T>> = { interactive: new FairQueue(), background: new FairQueue() };
  readonly #accounts = new Map<string, Account>();
  readonly #inExtraSlots = new Set<Ticket>();
  #running = 0;
  bytes = 0;
  pixels = 0;

  /** @param memory limits what this and other queues hold together; no limit by default */
  constructor(
    limits: AdmissionLimits,
    slots: Slots,
    memory: MemoryShare = new MemoryBudget(Number.POSITIVE_INFINITY).join(),
  ) {
    this.#limits = limits;
    this.#slots = slots;
    this.#memory = memory;
  }

  queued(lane: Lane): number {
    return this.#queues[lane].length;
  }

  get running(): number {
    return this.#running;
  }

  /** Queues the ticket. Returns false if a limit would be exceeded. A single task always fits. */
  admit(ticket: T): boolean {
    const account = this.#accountOf(ticket);
    const isAlone = this.bytes === 0 && this.pixels === 0;
    if (!isAlone && !this.#fits(ticket, account)) return false;
    this.queueAgain(ticket);
    return true;
  }

  /** Queues a ticket without checking the limits, because it was admitted before. */
  queueAgain(ticket: T): void {
    const account = this.#accountOf(ticket);
    this.bytes += ticket.bytes;
    this.pixels += ticket.pixels;
    account.bytes += ticket.bytes;
    account.pixels += ticket.pixels;
    account.waiting += 1;
    account.waitingMs += ticket.costMs;
    this.#queues[ticket.lane].push(ticket);
  }

  /**
   * The total must fit, and an account may take only as much as it leaves free (the dynamic threshold of Choudhury and
   * Hahne, IEEE/ACM Transactions on Networking 6, 1998). So there is always capacity for another account, however many
   * there are.
   */
  #fits({ owner, bytes, pixels }: T, account: Account): boolean {
    const { tasks: mostTasks, bytes: mostBytes, pixels: mostPixels } = this.#limits;
    const waiting = this.queued('interactive') + this.queued('background');
    if (waiting >= mostTasks || this.bytes + bytes > mostBytes || this.pixels + pixels > mostPixels) return false;
    if (!owner) return true;
    const isFirst = account.waiting === 0 && account.running.length === 0;
    return (
      isFirst ||
      (account.waiting < mostTasks - waiting &&
        account.bytes + bytes <= mostBytes - this.bytes &&
        account.pixels + pixels <= mostPixels - this.pixels)
    );
  }

  /**
   * Takes the ticket to run now, if any: interactive tasks first, then the owner that has used least.
   * @param now in milliseconds, of any clock
   */
  next(now: number): T | undefined {
    let isAnyWaitingForMemory = false;
    for (const lane of LANES) {
      // The free memory is kept for the first ticket that waits for it. Otherwise smaller ones behind it would starve
      // it.
      let isMemoryClaimed = false;
      const mayStart = (candidate: T) => {
        if (!this.#mayStart(candidate, now)) return false;
        if (!isCounted(candidate.heldBytes)) return true;
        if (isMemoryClaimed) return false;
        if (this.#memory.fits(candidate, now)) return true;
        isMemoryClaimed = true;
        isAnyWaitingForMemory = true;
        this.#memory.makeRoom(candidate);
        return false;
      };
      const ticket = this.#queues[lane].take(mayStart);
      if (ticket) {
        this.#start(ticket);
        return ticket;
      }
    }
    this.#memory.setWaiting(isAnyWaitingForMemory, now);
    return undefined;
  }

  #start(ticket: T): void {
    const account = this.#accountOf(ticket);
    if (!this.#hasRegularSlot) this.#inExtraSlots.add(ticket);
    this.#running += 1;
    this.#memory.take(ticket.heldBytes);
    account.waiting -= 1;
    account.waitingMs -= ticket.costMs;
    account.running.push(ticket);
  }

  get #hasRegularSlot(): boolean {
    return this.#running - this.#inExtraSlots.size < this.#slots.regular;
  }

  #mayStart(ticket: T, now: number): boolean {
    if (this.#hasRegularSlot) return true;
    if (!ticket.owner) return false;
    // Each kind has its own slots: a long task in a slot for short ones would block the next short one.
    return this.#isShort(ticket) ? this.#mayStartShort(ticket, ticket.owner, now) : this.#mayStartLong(ticket);
  }

  #mayStartShort(ticket: T, owner: Owner, now: number): boolean {
    const account = this.#accountOf(ticket);
    const inExtraSlots = this.#countInExtraSlots((other) => this.#isShort(other));
    if (inExtraSlots >= this.#slots.extra.short || overrunOf(account, now) > MAX_OVERRUN_MS) return false;
    if (inExtraSlots > 0) return account.running.length === 0;
    return account.running.every((other) => other.owner?.key !== owner.key || !this.#isShort(other));
  }

  #mayStartLong(ticket: T): boolean {
    const inExtraSlots = this.#countInExtraSlots((other) => !this.#isShort(other));
    return inExtraSlots < this.#slots.extra.long && this.#accountOf(ticket).running.length === 0;
  }

  #countInExtraSlots(isOfKind: (ticket: Ticket) => boolean): number {
    return [...this.#inExtraSlots].filter(isOfKind).length;
  }

  #isShort({ costMs }: Ticket): boolean {
    return costMs <= this.#slots.maxShortMs;
  }

  /**
   * How long the ticket would wait if it came now and everybody got an equal share, in milliseconds. Accounts that want
   * less than this ticket's account are done before it; the others have got as much as its account.
   */
  expectedWaitMs(ticket: T): number {
    const own = this.#accountOf(ticket);
    const ahead = own.waitingMs;
    let sum = ahead;
    for (const other of this.#accounts.values())
      if (other !== own) sum += Math.min(other.waitingMs, ahead + ticket.costMs);
    return sum / this.#slots.regular;
  }

  /** Removes a waiting ticket from its queue. Returns false if it is no longer there. */
  withdraw(ticket: T): boolean {
    if (!this.#queues[ticket.lane].remove(ticket)) return false;
    const account = this.#accountOf(ticket);
    account.waiting -= 1;
    account.waitingMs -= ticket.costMs;
    this.#forget(ticket, account);
    return true;
  }

  /**
   * Records that a running ticket has ended.
   * @param usedMs processor time, also of a task that failed or timed out: it counts against its account's share
   * @param now as for `next`
   */
  release(ticket: T, usedMs: number, now: number): void {
    const account = this.#accountOf(ticket);
    this.#running -= 1;
    this.#inExtraSlots.delete(ticket);
    account.running.splice(account.running.indexOf(ticket), 1);
    account.overrunMs = overrunOf(account, now) + Math.max(0, usedMs - Math.max(ticket.costMs, this.#slots.maxShortMs));
    account.endedAt = now;
    this.#queues[ticket.lane].charge(ticket, usedMs);
    this.#forget(ticket, account);
    this.#forgetOthers(now);
    // Last, because its listeners read the state of this queue.
    this.#memory.release(ticket.heldBytes);
  }

  #forget(ticket: T, account: Account): void {
    this.bytes -= ticket.bytes;
    this.pixels -= ticket.pixels;
    account.bytes -= ticket.bytes;
    account.pixels -= ticket.pixels;
  }

  #forgetOthers(now: number): void {
    for (const [id, { waiting, running, endedAt }] of this.#accounts) {
      if (waiting > 0 || running.length > 0 || now - endedAt < FORGET_AFTER_MS) continue;
      this.#accounts.delete(id);
      for (const lane of LANES) this.#queues[lane].forget(id);
    }
  }

  #accountOf({ owner }: Ticket): Account {
    const id = (owner ?? NOBODY).account;
    let account = this.#accounts.get(id);
    if (!account) {
      account = {
        bytes: 0,
        pixels: 0,
        waiting: 0,
        running: [],
        waitingMs: 0,
        overrunMs: 0,
        endedAt: Number.NEGATIVE_INFINITY,
      };
      this.#accounts.set(id, account);
    }
    return account;
  }
}

const overrunOf = ({ overrunMs, endedAt }: Account, now: number): number =>
  overrunMs === 0 ? 0 : overrunMs * 0.5 ** ((now - endedAt) / OVERRUN_HALF_LIFE_MS);
