/** What a tool of an MCP server is: a table of names, schemas and functions that knows nothing of the SDK (spec/shapes.md, 18.1). */
import { z } from 'zod';
import { type ErrorCode, Failure, type FailureDetails } from '../../base/failure.ts';

/** Of every result; within a version fields are only added. */
export const CONTRACT_VERSION = 1;

/** What a tool has of the call that it answers. */
export interface Call {
  /** Fires when the client cancels the call or goes away. */
  signal: AbortSignal;
  /** Tells the client, if it has asked to be told, how far the work is. */
  progress(done: number, total?: number, message?: string): void;
  /** Asks the person at the client, where the client can: true for a yes. */
  ask?(question: string): Promise<boolean>;
}

/** A link to a file that the service keeps. */
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

export interface ToolAnswer<S> {
  /** Without `contract_version`, which every result is given. */
  structured: S;
  /** What it comes to, in a sentence. The facts follow it by themselves (`renderText`). */
  text: string;
  /** Of the items of its list, that the caller has asked for: the text has all of them. */
  fields?: readonly string[] | undefined;
  /** What follows the text. */
  blocks?: readonly ContentBlock[];
}

/** What clients are told of the effects (MCP, "ToolAnnotations"). */
export interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/**
 * @typeParam C what the server gives its tools to work with
 * @typeParam I declares the arguments; what it does not name is refused
 * @typeParam O declares the structured result, without `contract_version`
 */
export interface Tool<C, I extends z.ZodObject, O extends z.ZodObject> {
  name: string;
  title: string;
  /** What it does, what it costs and what it cannot do. */
  description: string;
  input: I;
  output: O;
  annotations: ToolAnnotations;
  /** @throws Failure, which the client is told; whatever else is thrown is told as `internal_error` */
  run(args: z.output<I>, context: C, call: Call): Promise<ToolAnswer<z.output<O>>>;
}

export type AnyTool<C> = Tool<C, z.ZodObject, z.ZodObject>;

/** A tool, checked against its own schemas, for a list of tools of one server. */
export function tool<C, I extends z.ZodObject, O extends z.ZodObject>(definition: Tool<C, I, O>): AnyTool<C> {
  return definition as unknown as AnyTool<C>;
}

/** A failure with more to say than its sentence. */
export class ToolFailure extends Failure {
  /** Stand beside code and message in the error of the result. */
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

/** What a result says of a failure. */
export const toolError = z.object({ code: z.string(), message: z.string() });
