/** Tools as a server of the MCP SDK. The one file that knows the SDK's server: tools do not. */

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
import { EventLoopShare } from '../../base/event-loop-share.ts';
import { expected, Failure } from '../../base/failure.ts';
import { internalError } from '../http/errors.ts';
import { createDecoder, type Decoder } from '../http/query.ts';
import { inputSchema, outputSchema } from './schemas.ts';
import { renderText } from './text.ts';
import { type AnyTool, type Call, CONTRACT_VERSION, ToolFailure } from './tool.ts';

export interface McpServerOptions {
  name: string;
  version: string;
  /** How the tools belong together, for the model that uses them. */
  instructions: string;
  /** Told of every call that fails; of an `internal_error` the cause is for the log. */
  onFailure?(failure: Failure): void;
}

/** A person may take a while to read a question. */
const ANSWER_MS = 30 * 60_000;

/** Shared: making one takes longer than answering a small request. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** A tool as clients see it, and what reads its arguments: both follow from the tool alone. */
interface Described {
  listed: ListedTool;
  decoder: Decoder<Record<string, unknown>>;
}

const described = new WeakMap<object, Described>();

function describe(tool: AnyTool<never>): Described {
  const known = described.get(tool);
  if (known) return known;
  const { name, title, description, annotations } = tool;
  const made: Described = {
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
  described.set(tool, made);
  return made;
}

/** Of any call: `params` that are wrong are refused as a malformed request, not as our own error. */
const anyCall = z.object({ method: z.literal('tools/call'), params: z.unknown() });

/**
 * A server of the tools, in their order. Connect it to a transport.
 * @param context what the tools work with
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
      // The first time each takes a few milliseconds.
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
      // Nobody waits for the answer.
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
  const facts = failure instanceof ToolFailure ? failure.facts : {};
  return {
    isError: true,
    structuredContent: { contract_version: CONTRACT_VERSION, error: { code, message, ...facts } },
    content: [{ type: 'text', text: [`${code}: ${message}`, renderText(facts)].filter(Boolean).join('\n') }],
  };
}

function callOf(server: Server, extra: Extra): Call {
  const { signal } = extra;
  const token = extra._meta?.progressToken;
  let last = Number.NEGATIVE_INFINITY;
  const call: Call = {
    signal,
    progress(done, total, message) {
      // It must increase with each notification (MCP, "Progress").
      if (token === undefined || done <= last) return;
      last = done;
      const known = { ...(total === undefined ? {} : { total }), ...(message === undefined ? {} : { message }) };
      const params = { progressToken: token, progress: done, ...known };
      // A client that cannot be told is told by the end of the call.
      extra.sendNotification({ method: 'notifications/progress', params }).catch(() => {});
    },
  };
  if (server.getClientCapabilities()?.elicitation?.form)
    call.ask = async (question) => {
      const params = { message: question, requestedSchema: { type: 'object' as const, properties: {} } };
      const asked = { method: 'elicitation/create' as const, params };
      try {
        const { action } = await extra.sendRequest(asked, ElicitResultSchema, { signal, timeout: ANSWER_MS });
        return action === 'accept';
      } catch {
        // Without an answer there is no yes.
        signal.throwIfAborted();
        return false;
      }
    };
  return call;
}
