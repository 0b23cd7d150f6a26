/** Types for MCP tools: name, schemas and function, independent of the SDK (docs/spec/shapes.md, section 18.1). */
import { z } from 'zod';
import { type ErrorCode, Failure, type FailureDetails } from '../base/failure.ts';

/** Version of every result. Within a version fields are only added. */
export const CONTRACT_VERSION = 1;

/** What a tool can use of the call that it handles. */
export interface Call {
  /** Fires when the client cancels the call or disconnects. */
  signal: AbortSignal;
  /** Reports progress to the client, if the client requested it. */
  progress(done: number, total?: number, message?: string): void;
  /**
   * Asks the user for approval, if the client supports it. Resolves to true for approval. Asked before anything is
   * changed, and once at most: the call may end here, and then starts again with the answer (`ask.ts`).
   */
  ask?(question: string): Promise<boolean>;
}

/** A link to a file stored by the service. */
export interface ResourceLink {
  type: 'resource_link';
  uri: string;
  name: string;
  mimeType: string;
  /** In bytes. */
  size: number;
}

export interface ImageBlock {
  type: 'image';
  /** The file in base64. */
  data: string;
  mimeType: string;
}

export type ContentBlock = ResourceLink | ImageBlock;

export interface ToolResult<S> {
  /** Without `contract_version`, which is added to every result. */
  structured: S;
  /** A one-sentence summary. The data is appended automatically (`renderText`). */
  text: string;
  /** List item fields that the caller requested. The text contains all of them. */
  fields?: readonly string[] | undefined;
  /** Content after the text. */
  blocks?: readonly ContentBlock[];
}

/** Hints for clients about a tool's effects (MCP, "ToolAnnotations"). */
export interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/**
 * @typeParam C context that the server passes to its tools
 * @typeParam I schema of the arguments; unknown arguments are refused
 * @typeParam O schema of the structured result, without `contract_version`
 */
export interface Tool<C, I extends z.ZodObject, O extends z.ZodObject> {
  name: string;
  title: string;
  /** What it does, what it costs and its limits. */
  description: string;
  input: I;
  output: O;
  annotations: ToolAnnotations;
  /** @throws Failure, which is sent to the client; any other error becomes `internal_error` */
  run(args: z.output<I>, context: C, call: Call): Promise<ToolResult<z.output<O>>>;
}

export type AnyTool<C> = Tool<C, z.ZodObject, z.ZodObject>;

/** Defines a tool. Checks its types against its schemas and erases them, so that tools fit in one list. */
export const tool = <C, I extends z.ZodObject, O extends z.ZodObject>(definition: Tool<C, I, O>): AnyTool<C> =>
  definition as unknown as AnyTool<C>;

/** A failure with further fields besides code and message. */
export class ToolFailure extends Failure {
  /** Added to code and message in the error of the result. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    facts: Readonly<Record<string, unknown>>,
    details: FailureDetails = {},
  ) {
    super(code, message, details);
    this.facts = facts;
  }
}

/** The error in a result. */
export const toolError = z.object({ code: z.string(), message: z.string(), hint: z.string() });
