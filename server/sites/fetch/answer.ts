/** One answer of a website, read as far as a scan wants it. */
import type { IncomingMessage } from 'node:http';
import { ByteCollector } from '../../http/byte-collector.ts';
import { fileTooLarge } from '../../http/errors.ts';
import { AnswerFault, discard, headerOf } from '../../http/exchange.ts';
import { decoded, receive } from '../../http/received.ts';

/** What a body may unpack to, times its size. Repetitive text comes to 30; the most that gzip can do is 1,032. */
const MOST_UNPACKED = 100;
/** No body of this size is a bomb, however small it was packed. */
const HARMLESS_BYTES = 1_000_000;
/** Of a body that is not wanted: that much is received, so that its connection can be kept. */
const DISCARDED_BYTES = 16_384;
/** Memory that is set aside because a Content-Length says so; more than that only for bytes that have come. */
const TRUSTED_BYTES = 4_194_304;

export interface Body {
  data: ArrayBuffer;
  receivedBytes: number;
}

/**
 * Reads the body of an answer of status 200, without its content coding.
 * @param grow asked once when it is longer than `maxBytes`: how long it may be instead
 * @throws Failure `file_too_large`; AnswerFault for one that cannot be unpacked, or to too much
 */
export async function readBody(response: IncomingMessage, maxBytes: number, grow?: () => number): Promise<Body> {
  let most = maxBytes;
  const check = (bytes: number) => {
    if (bytes > most && most === maxBytes) most = grow?.() ?? maxBytes;
    if (bytes > most) throw fileTooLarge(most, 'url');
  };
  const length = lengthOf(response);
  check(length);
  const body = decoded(response, headerOf(response, 'content-encoding'));
  const packedBytes = () => body.bytesWritten;
  if (packedBytes() === undefined) {
    const expected = length > 0 ? Math.min(length, TRUSTED_BYTES) : undefined;
    const data = await receive(body, Number.POSITIVE_INFINITY, expected, check);
    return { data, receivedBytes: data.byteLength };
  }
  const data = await receive(body, Number.POSITIVE_INFINITY, undefined, (bytes) => {
    check(bytes);
    if (bytes > HARMLESS_BYTES && bytes > (packedBytes() ?? 0) * MOST_UNPACKED) {
      throw new AnswerFault(`a body that unpacks to more than ${MOST_UNPACKED} times its size`);
    }
  });
  return { data, receivedBytes: packedBytes() ?? 0 };
}

/** Reads the beginning of such a body, and leaves the rest. */
export async function readStart(response: IncomingMessage, maxBytes: number): Promise<Body> {
  const collector = new ByteCollector();
  for await (const chunk of decoded(response, headerOf(response, 'content-encoding'))) {
    collector.push((chunk as Buffer).subarray(0, maxBytes - collector.length));
    if (collector.length === maxBytes) break;
  }
  return { data: collector.finish(), receivedBytes: collector.length };
}

/** Leaves a body unread, which its connection survives when it is short. */
export async function skipBody(response: IncomingMessage, method: 'GET' | 'HEAD'): Promise<Body> {
  if (method === 'HEAD' || lengthOf(response) <= DISCARDED_BYTES) await discard(response, DISCARDED_BYTES);
  return { data: new ArrayBuffer(0), receivedBytes: 0 };
}

/** What its Content-Length says; 0 without one. */
function lengthOf(response: IncomingMessage): number {
  return Number(headerOf(response, 'content-length') ?? 0);
}
