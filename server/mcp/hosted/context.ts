import type { QuotaMeter } from '../../account/ledger.ts';
import type { Rate } from '../../account/rates.ts';
import type { Caller, RequestRecord } from '../../http/context.ts';
import type { Services } from '../../http/endpoint.ts';

/** What the tools of the hosted server work with. */
export interface Hosted {
  services: Services;
  caller: Caller;
  /** What is noted of the request. */
  record: RequestRecord;
  /** Where the caller stands in the running minute. */
  rate: Rate | undefined;
  /**
   * Sets memory aside for what goes out, until it is out.
   * @throws Failure 503 `overloaded`
   */
  hold(bytes: number): void;
  /** Told what a call was counted against. */
  countedAgainst(meter: QuotaMeter): void;
}
