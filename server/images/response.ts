/** The response to a request for an operation. It depends on the kind of the operation's output only. */
import type { z } from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import type { ErrorCode } from '../../base/failure.ts';
import type { OperationResult } from '../../engine/operations/definition.ts';
import type { QuotaMeter } from '../http/headers.ts';
import type { RequestContext, Summary } from './request-context.ts';

export interface FinishedTask<R = OperationResult> {
  result: R;
  durationMs: number;
  /** Name of the source, if it has one. */
  sourceName: string | undefined;
  /** The quota that the request counts against. */
  meter: QuotaMeter;
  /** Whether the request used a test key. */
  testMode: boolean;
}

/** @typeParam R the results; D the parameters of the response, such as where the result is delivered */
export interface OperationResponse<R = OperationResult, D = object> {
  /** Declares D. */
  params: z.ZodObject;
  /** Error codes of all operations with this response. */
  errors: readonly ErrorCode[];
  documentation: ZodOpenApiResponseObject;
  /** Returns the log data of the result, and the bytes of the file produced: 0 if the response is not a file. */
  summarise(result: R): Summary & { bytes: number };
  answer(exchange: RequestContext, finished: FinishedTask<R>, params: D): Promise<void> | void;
}
