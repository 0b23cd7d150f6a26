/** The state of one request as it passes through the middleware. */
import type { ParameterizedContext } from 'koa';
import type { Caller } from '../account/authenticate.ts';
import type { Rate } from '../account/rates.ts';

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

export interface State {
  requestId: string;
  record: RequestRecord;
  /** The caller's use of the current minute's limit. Undefined without a key. */
  rate?: Rate;
  /** Logs an internal error. The client only learns that there was one. */
  reportBug(error: unknown): void;
}

export type Context = ParameterizedContext<State> & { params: Record<string, string> };

export type { Caller };
