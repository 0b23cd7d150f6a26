/** Reads a request body into one buffer of its own. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { freeChunk } from '../../base/free-buffer.ts';
import { BodyCollector } from './body-collector.ts';
import { pipeBody } from './body-stream.ts';
import { unsupportedEncoding } from './errors.ts';
import type { UploadRoom } from './uploads.ts';

export interface Incoming {
  req: IncomingMessage;
  res: ServerResponse;
}

/** What the headers say of a body. */
export interface BodyHead {
  /** Media type in lower case, without parameters; empty when none is given. */
  type: string;
  /** Size in bytes; undefined when it is not told. */
  announced: number | undefined;
}

/** @throws Failure 415 for a body that is compressed */
export function bodyHead({ req: { headers } }: Incoming): BodyHead {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') throw unsupportedEncoding(encoding);
  const length = headers['content-length'];
  return {
    type: (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase(),
    announced: length === undefined ? undefined : Number(length),
  };
}

/** A client that asked for leave before sending a large body gets it now, when its headers have passed. */
export function proceed({ req, res }: Incoming): void {
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
 * @throws Failure 408 or 503, or what `tooLarge` makes
 */
export async function readBytes(
  incoming: Incoming,
  head: BodyHead,
  room: UploadRoom,
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
 * A body that announces too much is refused before it is read, any other as soon as it passes the limit. Room is taken
 * for what has arrived, never for what is announced: otherwise a few connections that announce much and send nothing
 * would lock everybody out.
 * @returns its size
 * @throws Failure 408 or 503, what `tooLarge` makes or `push` throws
 */
export async function pushBytes(
  incoming: Incoming,
  { announced }: BodyHead,
  room: UploadRoom,
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
  proceed(incoming);
  await pipeBody(incoming.req, sink, timeoutSeconds);
  return bytes;
}
