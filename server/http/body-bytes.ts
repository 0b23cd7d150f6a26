/** Reads a request body into one buffer that nothing else shares. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { freeChunk } from '../../base/free-buffer.ts';
import { BodyCollector } from './body-collector.ts';
import { pipeBody } from './body-stream.ts';
import { unsupportedEncoding } from './errors.ts';
import type { MemoryReservation } from './uploads.ts';

export interface Incoming {
  req: IncomingMessage;
  res: ServerResponse;
}

/** The properties of a body that its headers give. */
export interface BodyHead {
  /** Media type in lower case, without parameters. Empty if the request names none. */
  type: string;
  /** Size in bytes. Undefined if the request has no Content-Length. */
  announced: number | undefined;
}

/** @throws Failure 415 for a compressed body */
export function bodyHead({ req: { headers } }: Incoming): BodyHead {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') throw unsupportedEncoding(encoding);
  const length = headers['content-length'];
  return {
    type: (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase(),
    announced: length === undefined ? undefined : Number(length),
  };
}

/** Sends `100 Continue` if the client asked for it. Call this after the headers have been checked. */
export function sendContinue({ req, res }: Incoming): void {
  if (req.headers.expect?.toLowerCase() === '100-continue') res.writeContinue();
}

export interface ByteLimits {
  mostBytes: number;
  /** Seconds in which the body must have arrived. */
  timeoutSeconds: number;
  tooLarge(): Error;
}

/**
 * Reads a body into one buffer. Waits and fails as {@link pushBytes} does.
 * @throws Failure 408 or 503, or the result of `tooLarge`
 */
export async function readBytes(
  incoming: Incoming,
  head: BodyHead,
  room: MemoryReservation,
  limits: ByteLimits,
): Promise<ArrayBuffer> {
  const collector = new BodyCollector(head.announced);
  const push = (chunk: Uint8Array) => {
    collector.push(chunk);
    freeChunk(chunk);
  };
  await pushBytes(incoming, head, room, { ...limits, push });
  return await collector.finish();
}

/**
 * Passes a body to `push` in chunks. Refuses a body that announces too much before reading it, and any other as soon as
 * it passes the limit. Memory is reserved for the bytes received, never for the size announced: otherwise a few
 * connections that announce much and send nothing would block everybody.
 * @returns the size of the body
 * @throws Failure 408 or 503; the result of `tooLarge`; what `push` throws
 */
export async function pushBytes(
  incoming: Incoming,
  { announced }: BodyHead,
  room: MemoryReservation,
  { mostBytes, timeoutSeconds, tooLarge, push }: ByteLimits & { push(chunk: Uint8Array): void },
): Promise<number> {
  if (announced !== undefined && announced > mostBytes) throw tooLarge();
  let bytes = 0;
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      try {
        bytes += chunk.length;
        if (bytes > mostBytes) throw tooLarge();
        room.reserve(bytes);
        push(chunk);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
  sendContinue(incoming);
  await pipeBody(incoming.req, sink, timeoutSeconds);
  return bytes;
}
