/** Requests whose body is a JSON object. */
import type { ErrorCode, Failure } from '../../base/failure.ts';
import { isObject } from '../../base/object.ts';
import { type BodyHead, bodyHead, type Incoming, readBytes } from './body-bytes.ts';
import type { Context } from './context.ts';
import type { Services } from './endpoint.ts';
import { invalidRequest, unsupportedMediaType } from './errors.ts';
import type { Decoder } from './query.ts';
import type { UploadRoom } from './uploads.ts';

export const JSON_TYPE = 'application/json';

/** JSON holds parameters and addresses, never an image. */
export const JSON_BYTES = 64 * 1024;

/** Codes of the failures that every endpoint with a JSON body has beside those that all have. */
export const JSON_BODY_ERRORS: readonly ErrorCode[] = ['upload_timeout', 'unsupported_media_type', 'overloaded'];

/**
 * Reads the parameters of an endpoint whose body is a JSON object.
 * @param tooLarge what a body of more than `mostBytes` is answered with
 * @returns all of them, checked, with their defaults
 * @throws Failure 400 `invalid_request` for what is no JSON object, `invalid_parameter` for an unknown or a wrong field;
 *   408; 415 for another media type; 503
 */
export async function readJson<P>(
  { req, res, state }: Context,
  { uploads, config }: Pick<Services, 'uploads' | 'config'>,
  decoder: Pick<Decoder<P>, 'fromJson' | 'complete'>,
  mostBytes = JSON_BYTES,
  tooLarge = () => jsonTooLarge(mostBytes),
): Promise<P> {
  const head = bodyHead({ req, res });
  if (head.type !== JSON_TYPE) throw unsupportedMediaType(JSON_TYPE, head.type);
  const room = uploads.open();
  try {
    const { bytes, values } = await readJsonObject(
      { req, res },
      head,
      room,
      config.uploadTimeoutSeconds,
      mostBytes,
      tooLarge,
    );
    state.record.bytesIn = bytes;
    return decoder.complete(decoder.fromJson(values));
  } finally {
    room.release();
  }
}

/**
 * Reads a body as a JSON object, with its size in bytes.
 * @throws Failure 400 `invalid_request`, 408 or 503
 */
export async function readJsonObject(
  incoming: Incoming,
  head: BodyHead,
  room: UploadRoom,
  timeoutSeconds: number,
  mostBytes = JSON_BYTES,
  tooLarge = () => jsonTooLarge(mostBytes),
): Promise<{ bytes: number; values: Readonly<Record<string, unknown>> }> {
  const data = await readBytes(incoming, head, room, { mostBytes, timeoutSeconds, tooLarge });
  return { bytes: data.byteLength, values: parseObject(data) };
}

function jsonTooLarge(mostBytes: number): Failure {
  return invalidRequest(`at most ${mostBytes} bytes of JSON`, 'the body', 'more');
}

function parseObject(data: ArrayBuffer): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(data));
  } catch (error) {
    throw invalidRequest('valid JSON', 'the body', 'something else', error);
  }
  if (!isObject(value)) throw invalidRequest('a JSON object', 'the body', 'another value');
  return value;
}
