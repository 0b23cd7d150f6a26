/** Reads request bodies that are JSON objects. */
import { EventLoopShare } from '../../base/event-loop-share.ts';
import type { ErrorCode } from '../../base/failure.ts';
import { isObject } from '../../base/object.ts';
import type { Decoder } from '../../base/parameter-decoder.ts';
import { type BodyHead, bodyHead, type Incoming, pushBytes } from './body-bytes.ts';
import type { Context } from './context.ts';
import { invalidRequest, unsupportedMediaType } from './errors.ts';
import { type JsonLimits, JsonReader } from './json-reader.ts';
import type { MemoryReservation, Uploads } from './uploads.ts';

export const JSON_TYPE = 'application/json';

/** Error codes of every endpoint with a JSON body in addition to those that all endpoints have. */
export const JSON_BODY_ERRORS: readonly ErrorCode[] = ['upload_timeout', 'unsupported_media_type', 'overloaded'];

/**
 * Maximum JavaScript heap per byte of a body: as a chunk, in the whole text and in
 * the lines of a list, with two bytes per character. A list of 4.9 MB took 26 MB.
 */
const HEAP_BYTES_PER_BODY_BYTE = 6;

/** What reading a body needs. */
export interface BodyServices {
  uploads: Uploads;
  config: { readonly uploadTimeoutSeconds: number };
}

/**
 * Reads the parameters of an endpoint whose body is a JSON object.
 * @returns all parameters, checked, with their defaults
 * @throws Failure 400 `invalid_request` for a body that is not a JSON object or exceeds the limits, `invalid_parameter`
 *   for an unknown or invalid field; 408; 415 for another media type; 503
 */
export async function readJson<P>(
  ctx: Context,
  services: BodyServices,
  decoder: Pick<Decoder<P>, 'fromJson' | 'complete'>,
  limits: JsonLimits = {},
): Promise<P> {
  return await withJsonParams(ctx, services, decoder, limits, async (params) => params);
}

/**
 * Like {@link readJson}, for large parameters: their memory stays counted until `work` ends.
 * @throws Failure as {@link readJson}; what `work` throws
 */
export async function withJsonParams<P, R>(
  { req, res, state }: Context,
  { uploads, config }: BodyServices,
  decoder: Pick<Decoder<P>, 'fromJson' | 'complete'>,
  limits: JsonLimits,
  work: (params: P) => Promise<R>,
): Promise<R> {
  const head = bodyHead({ req, res });
  if (head.type !== JSON_TYPE) throw unsupportedMediaType(JSON_TYPE, head.type);
  const room = uploads.open(state.record.accountId);
  try {
    const { bytes, values } = await readJsonObject({ req, res }, head, room, config.uploadTimeoutSeconds, limits);
    state.record.bytesIn = bytes;
    return await work(decoder.complete(decoder.fromJson(values)));
  } finally {
    room.release();
  }
}

/**
 * Reads a body as a JSON object. Also returns its size in bytes.
 * @throws Failure 400 `invalid_request`, 408 or 503
 */
export async function readJsonObject(
  incoming: Incoming,
  head: BodyHead,
  room: MemoryReservation,
  timeoutSeconds: number,
  limits: JsonLimits = {},
): Promise<{ bytes: number; values: Readonly<Record<string, unknown>> }> {
  const { bytes, sent } = await readJsonValue(incoming, head, room, timeoutSeconds, limits);
  if (sent === undefined) throw invalidRequest('valid JSON', 'the body', 'something else');
  const { expectation = 'a JSON object' } = limits;
  if (!isObject(sent.value)) throw invalidRequest(expectation, 'the body', 'another value');
  return { bytes, values: sent.value };
}

/**
 * Reads a body as JSON. Also returns its size in bytes. `sent` is undefined if the body is not JSON.
 * @throws Failure 400 `invalid_request`, 408 or 503
 */
export async function readJsonValue(
  incoming: Incoming,
  head: BodyHead,
  room: MemoryReservation,
  timeoutSeconds: number,
  limits: JsonLimits,
): Promise<{ bytes: number; sent: { value: unknown } | undefined }> {
  const reader = new JsonReader(limits);
  let received = 0;
  const bytes = await pushBytes(incoming, head, room, {
    mostBytes: reader.maxBodyBytes,
    timeoutSeconds,
    tooLarge: reader.tooLarge,
    push: (chunk) => {
      received += chunk.length;
      room.reserveText(HEAP_BYTES_PER_BODY_BYTE * received);
      reader.push(chunk);
    },
  });
  // Yields to the event loop: reading the last bytes may have taken some time.
  await new EventLoopShare().next();
  return { bytes, sent: reader.finish() };
}
