/** What travels with one request through the middleware. */
import type { ParameterizedContext } from 'koa';
import type { Caller } from '../account/authenticate.ts';
import type { Rate } from '../account/rates.ts';

/** The phases of a request whose times are measured, in their order. */
export const PHASES = ['fetch', 'queue', 'decode', 'process', 'encode'] as const;
export type Phase = (typeof PHASES)[number];

/** What the log line and the metrics say of a request; filled in on the way. */
export interface RequestRecord {
  /** Name of the endpoint; undefined for unknown paths. */
  operation?: string;
  accountId?: string;
  keyId?: string;
  /** Host that an image was fetched from. Never more of the address. */
  sourceHost?: string;
  bytesIn?: number;
  /** Of the source. */
  pixels?: number;
  outcome?: string;
  errorCode?: string;
  /** Milliseconds. */
  phases: Partial<Record<Phase, number>>;
}

export interface State {
  requestId: string;
  record: RequestRecord;
  /** Where the caller stands in the running minute; undefined without a key. */
  rate?: Rate;
  /** Logs an error of our own of which the client is told no more than that there was one. */
  reportBug(error: unknown): void;
}

export type Context = ParameterizedContext<State> & { params: Record<string, string> };

export type { Caller };
