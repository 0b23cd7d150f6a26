import type { QuotaMeter } from '../../account/credits.ts';
import type { Rate } from '../../account/rates.ts';
import type { Caller, RequestRecord } from '../../http/context.ts';
import type { Services } from '../../http/endpoint.ts';
import type { UploadRoom } from '../../http/uploads.ts';

/** What the tools of the hosted server work with. */
export interface Hosted {
  services: Services;
  caller: Caller;
  /** What is noted of the request. */
  record: RequestRecord;
  /** Where the caller stands in the running minute. */
  rate: Rate | undefined;
  /** Memory for images, beside that of the message; what it holds in the end is free when the answer has gone. */
  room: UploadRoom;
  /** Told what a call was counted against. */
  countedAgainst(meter: QuotaMeter): void;
}
