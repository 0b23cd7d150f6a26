/**
 * A queue that shares processor time fairly among accounts, and inside an account among its keys and operations. It
 * uses start-time fair queueing (Goyal, Vin, Cheng: Start-time Fair Queuing, SIGCOMM 1996). Every flow has a virtual
 * time, which grows by the cost of its tickets. The flow with the smallest virtual time goes first. A flow that was
 * idle starts no earlier than the one served last.
 */
import type { Owner, Ticket } from './ticket.ts';

/** Maximum lead of a flow over the others, in milliseconds: after that much work of theirs it is served again. */
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

  /** Removes a ticket. Returns false if it is not waiting. */
  remove(ticket: T): boolean {
    const account = this.#accounts.open(accountId(ticket));
    const tickets = account.flows.open(flowId(ticket));
    const index = tickets.indexOf(ticket);
    if (index === -1) return false;
    tickets.splice(index, 1);
    this.#count(account, -1);
    return true;
  }

  /** Corrects the charge of a taken ticket once its real use is known. */
  charge(ticket: T, usedMs: number): void {
    const difference = usedMs - ticket.costMs;
    this.#accounts.correct(accountId(ticket), difference);
    this.#accounts.open(accountId(ticket)).flows.correct(flowId(ticket), difference);
  }

  /** Forgets the usage of an account without tickets. */
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

/** Members served in turn, each with its virtual time in milliseconds. */
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

  /** A member gains no credit while it has nothing waiting. */
  activate(id: string): void {
    const flow = this.#open(id);
    flow.virtualMs = Math.max(flow.virtualMs, this.#clockMs);
  }

  /** The members, least used first. */
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
