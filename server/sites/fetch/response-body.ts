/** Reads the body of one response of a website, as far as the scan needs it. */
import type { IncomingMessage } from 'node:http';
import { discard, headerOf, UpstreamError } from '../../../base/http-request.ts';
import { ByteCollector } from '../../http/byte-collector.ts';
import { fileTooLarge } from '../../http/errors.ts';
import { decodeBody, receive } from '../../http/response-body.ts';

/** Maximum ratio of unpacked size to packed size. Repetitive text reaches 30; gzip's maximum is 1,032. */
const MAX_UNPACKED_RATIO = 100;
/** Bodies that unpack to at most this size are never treated as a decompression bomb. */
const UNCHECKED_UNPACKED_BYTES = 1_000_000;
/** Unwanted bodies of at most this size are received and discarded, so that their connection can be reused. */
const MAX_DISCARDED_BYTES = 16_384;
/** Maximum memory allocated because of a Content-Length header. Beyond it, only received bytes take memory. */
const MAX_PREALLOCATED_BYTES = 4_194_304;

export interface Body {
  data: ArrayBuffer;
  receivedBytes: number;
}

/**
 * Reads the body of a response of status 200 and removes its content coding.
 * @param grow called once when the body is longer than `maxBytes`; returns the new limit
 * @throws Failure `file_too_large`; UpstreamError for a body that cannot be unpacked or that unpacks to too much
 */
export async function readBody(response: IncomingMessage, maxBytes: number, grow?: () => number): Promise<Body> {
  let most = maxBytes;
  const check = (bytes: number) => {
    if (bytes > most && most === maxBytes) most = grow?.() ?? maxBytes;
    if (bytes > most) throw fileTooLarge(most, 'url');
  };
  const length = lengthOf(response);
  check(length);
  const body = decodeBody(response, headerOf(response, 'content-encoding'));
  const packedBytes = () => body.bytesWritten;
  if (packedBytes() === undefined) {
    const expected = length > 0 ? Math.min(length, MAX_PREALLOCATED_BYTES) : undefined;
    const data = await receive(body, Number.POSITIVE_INFINITY, expected, check);
    return { data, receivedBytes: data.byteLength };
  }
  const data = await receive(body, Number.POSITIVE_INFINITY, undefined, (bytes) => {
    check(bytes);
    if (bytes > UNCHECKED_UNPACKED_BYTES && bytes > (packedBytes() ?? 0) * MAX_UNPACKED_RATIO) {
      throw new UpstreamError(`a body that unpacks to more than ${MAX_UNPACKED_RATIO} times its size`);
    }
  });
  return { data, receivedBytes: packedBytes() ?? 0 };
}

/** Reads the beginning of a body and leaves the rest unread. */
export async function readStart(response: IncomingMessage, maxBytes: number): Promise<Body> {
  const collector = new ByteCollector();
  for await (const chunk of decodeBody(response, headerOf(response, 'content-encoding'))) {
    collector.push((chunk as Buffer).subarray(0, maxBytes - collector.length));
    if (collector.length === maxBytes) break;
  }
  return { data: collector.finish(), receivedBytes: collector.length };
}

/** Skips an unwanted body. If the body is short, its connection can be reused. */
export async function skipBody(response: IncomingMessage, method: 'GET' | 'HEAD'): Promise<Body> {
  if (method === 'HEAD' || lengthOf(response) <= MAX_DISCARDED_BYTES) await discard(response, MAX_DISCARDED_BYTES);
  return { data: new ArrayBuffer(0), receivedBytes: 0 };
}

/** The Content-Length of a response; 0 without one. */
const lengthOf = (response: IncomingMessage): number => Number(headerOf(response, 'content-length') ?? 0);
