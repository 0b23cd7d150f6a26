/** Serves tools through the MCP SDK. Only this file and `ask.ts` use the SDK's server; tools do not depend on it. */

import {
  type CallToolResult,
  type Tool as ListedTool,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { EventLoopShare } from '../base/event-loop-share.ts';
import { expected, Failure, internalError } from '../base/failure.ts';
import { hintOf } from '../base/hints.ts';
import { createDecoder, type Decoder } from '../base/parameter-decoder.ts';
import { AnswerNeeded, askedQuestions, askerOf, type Era, questionResult } from './ask.ts';
import { inputSchema, outputSchema } from './schemas.ts';
import { renderText } from './text.ts';
import { type AnyTool, type Call, CONTRACT_VERSION, ToolFailure } from './tool.ts';

export interface McpServerOptions {
  name: string;
  version: string;
  /** Explains to the model how the tools work together. */
  instructions: string;
  era: Era;
  /** Called for every failed call. For an `internal_error` the cause should be logged. */
  onFailure?(failure: Failure): void;
}

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

/**
 * Creates an MCP server for the tools, in their order. Connect it to a transport.
 * @param context passed to the tools
 */
export function createMcpServer<C>(
  tools: readonly AnyTool<C>[],
  context: C,
  { name, version, instructions, era, onFailure }: McpServerOptions,
): Server {
  const server = new Server(
    { name, version },
    { capabilities: { tools: {} }, instructions, requestState: { verify: askedQuestions.verify } },
  );
  const byName = new Map(tools.map((tool) => [tool.name, tool]));

  server.setRequestHandler('tools/list', async () => {
    const listed: ListedTool[] = [];
    const share = new EventLoopShare();
    for (const tool of tools) {
      listed.push(describe(tool).listed);
      // The first description of a tool takes a few milliseconds, so yield in between.
      await share.next();
    }
    return { tools: listed };
  });

  server.setRequestHandler('tools/call', async ({ params }, request) => {
    const tool = byName.get(params.name);
    if (!tool)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, expected('the name of a tool', 'name', params.name));
    try {
      const { decoder } = describe(tool);
      const args = decoder.complete(decoder.fromJson(params.arguments ?? {}));
      const { structured, text, fields, blocks = [] } = await tool.run(args, context, callOf(server, era, request));
      return {
        structuredContent: { contract_version: CONTRACT_VERSION, ...structured },
        content: [{ type: 'text', text: `${text}\n${renderText(structured, fields)}` }, ...blocks],
      };
    } catch (error) {
      // Nobody waits for the answer of an aborted call.
      request.mcpReq.signal.throwIfAborted();
      if (error instanceof AnswerNeeded) return await questionResult(error);
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

function callOf(server: Server, era: Era, request: ServerContext): Call {
  const { signal, notify, _meta } = request.mcpReq;
  const token = _meta?.progressToken;
  const ask = askerOf(server, era, request);
  let last = Number.NEGATIVE_INFINITY;
  return {
    signal,
    progress(done, total, message) {
      // Progress must increase with each notification (MCP, "Progress").
      if (token === undefined || done <= last) return;
      last = done;
      const known = { ...(total === undefined ? {} : { total }), ...(message === undefined ? {} : { message }) };
      const params = { progressToken: token, progress: done, ...known };
      // Ignore errors: a client that cannot receive the notification still gets the result.
      notify({ method: 'notifications/progress', params }).catch(() => {});
    },
    ...(ask && { ask }),
  };
}
