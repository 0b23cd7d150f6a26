/** Structured logs: one JSON line per request, and one per event of the service. */
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';

export type Log = Logger;

/** @param destination default: standard output */
export function createLog(level: string, destination?: DestinationStream): Log {
  const options = { level, base: null, timestamp: stdTimeFunctions.isoTime };
  return destination ? pino(options, destination) : pino(options);
}
