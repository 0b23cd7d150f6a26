import type { Caller, Rate, RequestRecord } from '../http/context.ts';
import type { QuotaMeter } from '../http/headers.ts';
import type { MemoryReservation } from '../http/uploads.ts';
import type { McpServices } from './services.ts';

/** Context of a tool call on the hosted server. */
export interface HostedToolContext {
  services: McpServices;
  caller: Caller;
  /** Log record of the request. */
  record: RequestRecord;
  /** The caller's rate limit state for the current minute. */
  rate: Rate | undefined;
  /**
   * Memory reservation for images, in addition to the message's. What is still reserved at the end is released when the
   * response is closed.
   */
  room: MemoryReservation;
  /** Reports which quota the call was counted against. */
  countedAgainst(meter: QuotaMeter): void;
}
