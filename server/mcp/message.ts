/** Reads the JSON-RPC message of a request. */
import {
  classifyInboundRequest,
  ProtocolErrorCode as ErrorCode,
  isJSONRPCRequest,
  isSpecType,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { Failure } from '../../base/failure.ts';
import { bodyHead } from '../http/body-bytes.ts';
import type { Context } from '../http/context.ts';
import { unsupportedMediaType } from '../http/errors.ts';
import { JSON_TYPE, readJsonValue } from '../http/json-body.ts';
import { DEFAULT_MAX_JSON_BYTES, type JsonLimits } from '../http/json-reader.ts';
import type { MemoryReservation } from '../http/uploads.ts';
import type { McpServices } from './services.ts';
import { progressTokenOf } from './streams.ts';

/** Maximum size of an inline image after decoding (docs/spec/shapes.md, section 18.2). */
export const INLINE_BYTES = 4_000_000;

/** Limits of the JSON parser. The base64 image is the only long string of a message. */
const LIMITS: JsonLimits = {
  longText: { field: 'data_base64', maxBytes: Math.ceil(INLINE_BYTES / 3) * 4 },
  tooLarge: messageTooLarge,
};

/** The first revision without sessions. The SDK names only those before it. */
const STATELESS_REVISION = '2026-07-28';

const REVISIONS = [STATELESS_REVISION, ...SUPPORTED_PROTOCOL_VERSIONS];

/** Maximum length of an id. It is repeated in the response and in every progress notification. */
const MAX_ID_CHARACTERS = 256;

export interface ReceivedMessage {
  message: JSONRPCMessage;
  bytes: number;
  /** Whether it belongs to a revision without sessions: its `_meta` or its headers name one. */
  isStateless: boolean;
}

/**
 * Reads the message. For an invalid message it sends a JSON-RPC error.
 * @returns undefined if an error was sent
 * @throws Failure 408, 413, 415 or 503
 */
export async function receiveMessage(
  ctx: Context,
  services: McpServices,
  room: MemoryReservation,
): Promise<ReceivedMessage | undefined> {
  const head = bodyHead(ctx);
  if (head.type !== JSON_TYPE) throw unsupportedMediaType(JSON_TYPE, head.type);
  const { bytes, sent } = await readJsonValue(ctx, head, room, services.config.uploadTimeoutSeconds, LIMITS);
  if (sent === undefined) return sendError(ctx, ErrorCode.ParseError, 'Expected valid JSON for the body.');
  if (Array.isArray(sent.value))
    return sendError(ctx, ErrorCode.InvalidRequest, 'Expected one JSON-RPC message for the body but received a list.');
  const message = sent.value;
  if (!isSpecType.JSONRPCMessage(message))
    return sendError(ctx, ErrorCode.InvalidRequest, 'Expected a JSON-RPC message for the body.');
  if (hasLongId(message))
    return sendError(ctx, ErrorCode.InvalidRequest, `Expected an id of at most ${MAX_ID_CHARACTERS} characters.`);
  const version = ctx.get('Mcp-Protocol-Version');
  const { kind } = classifyInboundRequest({
    httpMethod: ctx.method,
    ...(version !== '' && { protocolVersionHeader: version }),
    body: message,
  });
  // A message that names an unknown revision in `_meta` too is refused with the list of the known ones, by the SDK.
  if (kind !== 'modern' && version !== '' && !REVISIONS.includes(version)) {
    const id = isJSONRPCRequest(message) ? message.id : undefined;
    const sentence = `Expected one of ${REVISIONS.join(', ')} for Mcp-Protocol-Version.`;
    return sendError(ctx, ErrorCode.InvalidRequest, sentence, id);
  }
  return { message, bytes, isStateless: kind !== 'legacy' };
}

function hasLongId(message: JSONRPCMessage): boolean {
  const id = 'id' in message ? message.id : undefined;
  return [id, progressTokenOf(message)].some((each) => typeof each === 'string' && each.length > MAX_ID_CHARACTERS);
}

/** @param id of the refused request, if known */
function sendError(ctx: Context, code: ErrorCode, message: string, id?: string | number): undefined {
  ctx.state.record.errorCode = 'invalid_request';
  ctx.status = 400;
  ctx.set('Cache-Control', 'no-store');
  const answer: Omit<JSONRPCErrorResponse, 'id'> = { jsonrpc: '2.0', error: { code, message } };
  ctx.body = { ...answer, id: id ?? null };
}

function messageTooLarge(): Failure {
  const [document, inline] = [DEFAULT_MAX_JSON_BYTES, INLINE_BYTES].map((bytes) => bytes.toLocaleString('en'));
  return new Failure(
    'file_too_large',
    `Expected at most ${document} bytes for the body and ${inline} for data_base64 once decoded but received more. Send larger images by url.`,
    { param: 'data_base64' },
  );
}
