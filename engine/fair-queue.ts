/**
 * A queue whose accounts take turns by the processor time that they use, and inside an account its keys and operations: start-time
 * fair queueing (Goyal, Vin, Cheng: Start-time Fair Queuing, SIGCOMM 1996). Every flow has a virtual time, which grows by what its
 * tickets cost; the flow with the least goes first, and one that comes back starts no earlier than the one served last.
 */
import type { Owner, Ticket } from './ticket.ts';

/** A flow is at most this far ahead of the others: after that much work of theirs it has its turn again, in milliseconds. */
const MAX_LEAD_MS = 60_000;

export class FairQueue<T extends Pick<Ticket, 'owner' | 'name' | 'costMs'>> {
  readonly #accounts = new Flows<Account<T>>(() => ({ length: 0, flows: new Flows(() => []) }));
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(ticket: T): void {
    const account = this.#accounts.open(accountId(ticket));
    if (account.length === 0) this.#accounts.activate(accountId(ticket));
    const tickets = account.flows.open(flowId(ticket));
    if (tickets.length === 0) account.flows.activate(flowId(ticket));
    tickets.push(ticket);
    this.#count(account, 1);
  }

  /** Takes the first ticket in fair order that may start. */
  take(mayStart: (ticket: T) => boolean): T | undefined {
    for (const account of this.#accounts.inOrder()) {
      if (account.length === 0) continue;
      for (const tickets of account.flows.inOrder()) {
        const index = tickets.findIndex(mayStart);
        if (index === -1) continue;
        const [ticket] = tickets.splice(index, 1) as [T];
        this.#count(account, -1);
        this.#accounts.serve(accountId(ticket), ticket.costMs);
        account.flows.serve(flowId(ticket), ticket.costMs);
        return ticket;
      }
    }
    return undefined;
  }

  /** False when the ticket is not waiting. */
  remove(ticket: T): boolean {
    const account = this.#accounts.open(accountId(ticket));
    const tickets = account.flows.open(flowId(ticket));
    const index = tickets.indexOf(ticket);
    if (index === -1) return false;
    tickets.splice(index, 1);
    this.#count(account, -1);
    return true;
  }

  /** Corrects what a ticket that was taken has been counted with, when what it used is known. */
  charge(ticket: T, usedMs: number): void {
    const difference = usedMs - ticket.costMs;
    this.#accounts.correct(accountId(ticket), difference);
    this.#accounts.open(accountId(ticket)).flows.correct(flowId(ticket), difference);
  }

  /** Forgets what an account without tickets has used. */
  forget(account: string): void {
    this.#accounts.delete(account);
  }

  #count(account: Account<T>, change: 1 | -1): void {
    account.length += change;
    this.#length += change;
  }
}

interface Account<T> {
  length: number;
  flows: Flows<T[]>;
}

const accountId = ({ owner }: { owner: Owner | undefined }): string => owner?.account ?? '';
const flowId = ({ owner, name }: Pick<Ticket, 'owner' | 'name'>): string => `${owner?.key ?? ''} ${name}`;

/** Members that take turns, each with its virtual time in milliseconds. */
class Flows<M> {
  readonly #create: () => M;
  readonly #flows = new Map<string, { member: M; virtualMs: number }>();
  /** Virtual time at which the last ticket was taken. */
  #clockMs = 0;

  constructor(create: () => M) {
    this.#create = create;
  }

  open(id: string): M {
    return this.#open(id).member;
  }

  #open(id: string) {
    let flow = this.#flows.get(id);
    if (!flow) {
      flow = { member: this.#create(), virtualMs: this.#clockMs };
      this.#flows.set(id, flow);
    }
    return flow;
  }

  /** A member that had nothing waiting saves up no turns. */
  activate(id: string): void {
    const flow = this.#open(id);
    flow.virtualMs = Math.max(flow.virtualMs, this.#clockMs);
  }

  /** Whoever has used least first. */
  inOrder(): M[] {
    return [...this.#flows.values()]
      .toSorted((one, other) => one.virtualMs - other.virtualMs)
      .map(({ member }) => member);
  }

  serve(id: string, costMs: number): void {
    const flow = this.#open(id);
    this.#clockMs = Math.max(this.#clockMs, flow.virtualMs);
    flow.virtualMs += costMs;
  }

  correct(id: string, differenceMs: number): void {
    const flow = this.#open(id);
    flow.virtualMs = Math.min(flow.virtualMs + differenceMs, this.#clockMs + MAX_LEAD_MS);
  }

  delete(id: string): void {
    this.#flows.delete(id);
  }
}
