/** Serves tools through the MCP SDK. Only this file uses the SDK's server; tools do not depend on it. */

import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ElicitResultSchema,
  ErrorCode,
  type Tool as ListedTool,
  ListToolsRequestSchema,
  McpError,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { z } from 'zod';
import { EventLoopShare } from '../base/event-loop-share.ts';
import { expected, Failure, internalError } from '../base/failure.ts';
import { hintOf } from '../base/hints.ts';
import { createDecoder, type Decoder } from '../base/parameter-decoder.ts';
import { inputSchema, outputSchema } from './schemas.ts';
import { renderText } from './text.ts';
import { type AnyTool, type Call, CONTRACT_VERSION, ToolFailure } from './tool.ts';

export interface McpServerOptions {
  name: string;
  version: string;
  /** Explains to the model how the tools work together. */
  instructions: string;
  /** Called for every failed call. For an `internal_error` the cause should be logged. */
  onFailure?(failure: Failure): void;
}

/** Timeout for a user's answer. */
const ANSWER_TIMEOUT_MS = 30 * 60_000;

/** Shared, because creating a validator takes longer than answering a small request. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** A tool's description for clients and the decoder of its arguments. Cached, since both depend only on the tool. */
interface ToolEntry {
  listed: ListedTool;
  decoder: Decoder<Record<string, unknown>>;
}

const toolCache = new WeakMap<object, ToolEntry>();

function describe(tool: AnyTool<never>): ToolEntry {
  const known = toolCache.get(tool);
  if (known) return known;
  const { name, title, description, annotations } = tool;
  const made: ToolEntry = {
    listed: {
      name,
      title,
      description,
      inputSchema: inputSchema(tool),
      outputSchema: outputSchema(tool),
      annotations: { title, ...annotations },
    },
    decoder: createDecoder(tool.input),
  };
  toolCache.set(tool, made);
  return made;
}

/** Accepts any call, so that wrong `params` are refused as a malformed request and not as an internal error. */
const anyCall = z.object({ method: z.literal('tools/call'), params: z.unknown() });

/**
 * Creates an MCP server for the tools, in their order. Connect it to a transport.
 * @param context passed to the tools
 */
export function createMcpServer<C>(
  tools: readonly AnyTool<C>[],
  context: C,
  { name, version, instructions, onFailure }: McpServerOptions,
): Server {
  const server = new Server({ name, version }, { capabilities: { tools: {} }, instructions, jsonSchemaValidator });
  const byName = new Map(tools.map((tool) => [tool.name, tool]));

  server.setRequestHandler(ListToolsRequestSchema, async () => {
    const listed: ListedTool[] = [];
    const share = new EventLoopShare();
    for (const tool of tools) {
      listed.push(describe(tool).listed);
      // The first description of a tool takes a few milliseconds, so yield in between.
      await share.next();
    }
    return { tools: listed };
  });

  server.setRequestHandler(anyCall, async (request, extra) => {
    const { params } = CallToolRequestSchema.parse(request);
    const tool = byName.get(params.name);
    if (!tool) throw new McpError(ErrorCode.InvalidParams, expected('the name of a tool', 'name', params.name));
    try {
      const { decoder } = describe(tool);
      const args = decoder.complete(decoder.fromJson(params.arguments ?? {}));
      const { structured, text, fields, blocks = [] } = await tool.run(args, context, callOf(server, extra));
      return {
        structuredContent: { contract_version: CONTRACT_VERSION, ...structured },
        content: [{ type: 'text', text: `${text}\n${renderText(structured, fields)}` }, ...blocks],
      };
    } catch (error) {
      // Nobody waits for the answer of an aborted call.
      extra.signal.throwIfAborted();
      const failure = error instanceof Failure ? error : internalError(error);
      onFailure?.(failure);
      return describeFailure(failure);
    }
  });
  return server;
}

function describeFailure(failure: Failure): CallToolResult {
  const { code, message } = failure;
  const hint = hintOf(failure);
  const facts = failure instanceof ToolFailure ? failure.facts : {};
  return {
    isError: true,
    structuredContent: { contract_version: CONTRACT_VERSION, error: { code, message, hint, ...facts } },
    content: [{ type: 'text', text: [`${code}: ${message} ${hint}`, renderText(facts)].filter(Boolean).join('\n') }],
  };
}

function callOf(server: Server, extra: Extra): Call {
  const { signal } = extra;
  const token = extra._meta?.progressToken;
  let last = Number.NEGATIVE_INFINITY;
  const call: Call = {
    signal,
    progress(done, total, message) {
      // Progress must increase with each notification (MCP, "Progress").
      if (token === undefined || done <= last) return;
      last = done;
      const known = { ...(total === undefined ? {} : { total }), ...(message === undefined ? {} : { message }) };
      const params = { progressToken: token, progress: done, ...known };
      // Ignore errors: a client that cannot receive the notification still gets the result.
      extra.sendNotification({ method: 'notifications/progress', params }).catch(() => {});
    },
  };
  if (server.getClientCapabilities()?.elicitation?.form)
    call.ask = async (question) => {
      const params = { message: question, requestedSchema: { type: 'object' as const, properties: {} } };
      const asked = { method: 'elicitation/create' as const, params };
      try {
        const { action } = await extra.sendRequest(asked, ElicitResultSchema, { signal, timeout: ANSWER_TIMEOUT_MS });
        return action === 'accept';
      } catch {
        // No answer counts as no approval.
        signal.throwIfAborted();
        return false;
      }
    };
  return call;
}
