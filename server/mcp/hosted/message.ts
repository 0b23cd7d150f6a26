/** The JSON-RPC message that a request brings. */
import {
  ErrorCode,
  isJSONRPCRequest,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import { Failure } from '../../../base/failure.ts';
import { bodyHead, readBytes } from '../../http/body-bytes.ts';
import type { Context } from '../../http/context.ts';
import type { Services } from '../../http/endpoint.ts';
import { unsupportedMediaType } from '../../http/errors.ts';
import { JSON_BYTES, JSON_TYPE } from '../../http/json-body.ts';
import type { UploadRoom } from '../../http/uploads.ts';

/** Of an image that comes within the arguments, decoded (spec/shapes.md, section 18.2). */
export const INLINE_BYTES = 4_000_000;

/** In base64, with everything else that a message says. */
const MOST_BYTES = Math.ceil(INLINE_BYTES / 3) * 4 + JSON_BYTES;

/** Every part of JSON outside of strings takes one of `,` `:` `[` `{`. */
const IS_STRUCTURE = Uint8Array.from({ length: 256 }, (_, byte) =>
  ',:[{'.includes(String.fromCharCode(byte)) ? 1 : 0,
);

/** Of them in a message that is larger than what the REST interface takes: an image in base64 has none. */
const MOST_STRUCTURE = 10_000;

export interface Received {
  message: JSONRPCMessage;
  bytes: number;
}

/**
 * Reads the message. What is none is answered as JSON-RPC says.
 * @returns undefined when it has been answered
 * @throws Failure 408, 413, 415 or 503
 */
export async function receiveMessage(
  ctx: Context,
  services: Services,
  room: UploadRoom,
): Promise<Received | undefined> {
  const head = bodyHead(ctx);
  if (head.type !== JSON_TYPE) throw unsupportedMediaType(JSON_TYPE, head.type);
  const data = await readBytes(ctx, head, room, {
    mostBytes: MOST_BYTES,
    timeoutSeconds: services.config.uploadTimeoutSeconds,
    tooLarge: messageTooLarge,
  });
  if (data.byteLength > JSON_BYTES && hasMuchStructure(new Uint8Array(data))) throw messageTooLarge();
  const sent = parse(data);
  if (sent === undefined) return refuse(ctx, ErrorCode.ParseError, 'Expected valid JSON for the body.');
  if (Array.isArray(sent.value))
    return refuse(ctx, ErrorCode.InvalidRequest, 'Expected one JSON-RPC message for the body but received a list.');
  const { success, data: message } = JSONRPCMessageSchema.safeParse(sent.value);
  if (!success) return refuse(ctx, ErrorCode.InvalidRequest, 'Expected a JSON-RPC message for the body.');
  const version = ctx.get('Mcp-Protocol-Version');
  if (version !== '' && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
    const known = SUPPORTED_PROTOCOL_VERSIONS.join(', ');
    const id = isJSONRPCRequest(message) ? message.id : undefined;
    return refuse(ctx, ErrorCode.InvalidRequest, `Expected one of ${known} for Mcp-Protocol-Version.`, id);
  }
  return { message, bytes: data.byteLength };
}

/** Parsing and checking millions of values would hold up every other request. */
function hasMuchStructure(data: Uint8Array): boolean {
  let found = 0;
  for (const byte of data) found += IS_STRUCTURE[byte]!;
  return found > MOST_STRUCTURE;
}

/** Wrapped, because any value may have been sent. */
function parse(data: ArrayBuffer): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(data)) };
  } catch {
    return undefined;
  }
}

/** @param id of the request that is refused, where it is known */
function refuse(ctx: Context, code: ErrorCode, message: string, id?: string | number): undefined {
  ctx.state.record.errorCode = 'invalid_request';
  ctx.status = 400;
  ctx.set('Cache-Control', 'no-store');
  const answer: Omit<JSONRPCErrorResponse, 'id'> = { jsonrpc: '2.0', error: { code, message } };
  ctx.body = { ...answer, id: id ?? null };
}

function messageTooLarge(): Failure {
  const [most, inline] = [MOST_BYTES, INLINE_BYTES].map((bytes) => bytes.toLocaleString('en'));
  return new Failure(
    'file_too_large',
    `Expected at most ${most} bytes for the body, which is ${inline} for data_base64 once decoded, but received more. Send larger images by url.`,
    { param: 'data_base64' },
  );
}
