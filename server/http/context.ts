/** The state of one request as it passes through the middleware. */

import type { ParameterizedContext } from 'koa';
import type { Account } from '../../storage/records/accounts.ts';
import type { Key } from '../../storage/records/keys.ts';

/** The phases of a request whose times are measured, in their order. */
export const PHASES = ['fetch', 'queue', 'decode', 'process', 'encode'] as const;
export type Phase = (typeof PHASES)[number];

/** The data of a request for the log line and the metrics. Filled in while the request is handled. */
export interface RequestRecord {
  /** Name of the endpoint; undefined for unknown paths. */
  operation?: string;
  accountId?: string;
  keyId?: string;
  /** Host that an image was fetched from. Never more of the URL. */
  sourceHost?: string;
  bytesIn?: number;
  /** Pixels of the source. */
  pixels?: number;
  outcome?: string;
  errorCode?: string;
  /** Milliseconds. */
  phases: Partial<Record<Phase, number>>;
}

/** Who makes a request, found by its key. */
export interface Caller {
  account: Account;
  key: Key;
}

/** An account's use of its current minute. */
export interface Rate {
  /** Requests per minute. null means unlimited. */
  limit: number | null;
  remaining: number | null;
  /** End of the window, in milliseconds. */
  resetsAt: number;
  /** Whether this request exceeds the limit. */
  exceeded: boolean;
}

export interface State {
  requestId: string;
  record: RequestRecord;
  /** The caller's use of the current minute's limit. Undefined without a key. */
  rate?: Rate;
  /** Logs an internal error. The client only learns that there was one. */
  reportBug(error: unknown): void;
}

export type Context = ParameterizedContext<State> & { params: Record<string, string> };
