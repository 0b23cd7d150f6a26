/** Writes one log line and the metrics of every request when its response has ended. */
import type { Middleware } from 'koa';
import type { RequestRecord, State } from './context.ts';

/** The status that nginx logs when the client closes the connection before the response. */
const CLIENT_CLOSED_REQUEST = 499;

const MAX_PATH_LENGTH = 200;

/** Addresses of images, also those that are refused: whoever has one can use it, and its source may hold secrets. */
const IMAGE_ADDRESS = /^[/]+(?:i|%69)[/].*/is;

/** Receives one line per request. */
export interface RequestLog {
  info(fields: object, message: string): void;
}

/** Counts the requests. */
export interface RequestMetrics {
  requestEnded(
    record: RequestRecord,
    answer: { status: number; seconds: number; bytesIn: number; bytesOut: number },
  ): void;
}

export function observe(log: RequestLog, metrics: RequestMetrics): Middleware<State> {
  return async (ctx, next) => {
    const startedAt = performance.now();
    const record: RequestRecord = { phases: {} };
    ctx.state.record = record;
    ctx.res.once('close', () => {
      const milliseconds = performance.now() - startedAt;
      const status = ctx.res.writableFinished ? ctx.res.statusCode : CLIENT_CLOSED_REQUEST;
      const bytesIn = record.bytesIn ?? 0;
      const bytesOut = ctx.res.writableFinished && ctx.method !== 'HEAD' ? (ctx.response.length ?? 0) : 0;
      metrics.requestEnded(record, { status, seconds: milliseconds / 1000, bytesIn, bytesOut });
      log.info(
        {
          request_id: ctx.state.requestId,
          method: ctx.method,
          // Only the path: a query may hold addresses and texts.
          path: ctx.path.replace(IMAGE_ADDRESS, '/i/').slice(0, MAX_PATH_LENGTH),
          status,
          operation: record.operation,
          account_id: record.accountId,
          key_id: record.keyId,
          source_host: record.sourceHost,
          bytes_in: bytesIn,
          bytes_out: bytesOut,
          pixels: record.pixels,
          outcome: record.outcome,
          error: record.errorCode,
          duration_ms: Math.round(milliseconds),
          phases_ms: roundedPhases(record),
        },
        'request',
      );
    });
    await next();
  };
}

function roundedPhases({ phases }: RequestRecord): Record<string, number> | undefined {
  const entries = Object.entries(phases);
  if (entries.length === 0) return undefined;
  return Object.fromEntries(entries.map(([phase, milliseconds]) => [phase, Math.round(milliseconds)]));
}
