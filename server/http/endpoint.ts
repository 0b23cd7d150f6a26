/** One path and method of the service: its access, its documentation and its handler. */
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import type { ErrorCode } from '../../base/failure.ts';
import type { Caller, Context } from './context.ts';

/** `starting` until the workers are up, `draining` once the service is being stopped. */
export type Lifecycle = 'starting' | 'ready' | 'draining';

/** What an endpoint itself says of itself in the OpenAPI document. */
type Documentation = Pick<
  ZodOpenApiOperationObject,
  'summary' | 'description' | 'requestParams' | 'requestBody' | 'responses'
>;

/** What is known of an endpoint without its handler. The OpenAPI document leaves out endpoints without `responses`. */
export interface EndpointDeclaration extends Partial<Documentation> {
  access: 'open' | 'key' | 'admin';
  method: 'get' | 'post' | 'patch' | 'delete';
  /** With parameters as `{id}`. */
  path: string;
  /** The last parameter of the path takes all that is left of it, with its slashes. */
  hasLongEnd?: true;
  /** Name in logs, metrics and the OpenAPI document. */
  operation: string;
  /** Error codes of this endpoint in addition to those that all endpoints have. */
  errors?: readonly ErrorCode[];
  tags?: readonly string[];
  /** Query parameters are not looked at. By default they are refused, unless `requestParams` declares some. */
  ignoresQuery?: true;
  /** Forbids caches to store the responses. */
  noStore?: true;
  /** Still serves requests while the service is being stopped. */
  whileDraining?: true;
}

/** @typeParam S the parts of the service that the handler uses */
interface Handled<S> extends EndpointDeclaration {
  /** Responds to requests that are refused for every caller. Returns true if it has responded. */
  refuses?: (ctx: Context, services: S) => boolean;
}

export interface OpenEndpoint<S = unknown> extends Handled<S> {
  access: 'open';
  handle: (ctx: Context, services: S) => Promise<void> | void;
}

export interface KeyEndpoint<S = unknown> extends Handled<S> {
  access: 'key';
  /** Refuses callers that may not use it, before anything else. @throws Failure */
  check?: (services: S, caller: Caller) => void;
  handle: (ctx: Context, services: S, caller: Caller) => Promise<void> | void;
}

/** For the operator, who holds IC_ADMIN_TOKEN. Without that setting the path does not exist. */
export interface AdminEndpoint<S = unknown> extends Handled<S> {
  access: 'admin';
  handle: (ctx: Context, services: S) => Promise<void> | void;
}

export type Endpoint<S = unknown> = OpenEndpoint<S> | KeyEndpoint<S> | AdminEndpoint<S>;
