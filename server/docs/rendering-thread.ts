/** A thread that renders the documentation, sends all files in one message, and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Plan, Plans } from '../account/plans.ts';
import { readOpenApi } from '../http/openapi.ts';
import type { OpenApi } from '../http/openapi-document.ts';
import { withoutSharedComponents } from '../http/shared-components.ts';
import { type RenderedFile, renderDocumentation } from './rendering.ts';

export interface RenderingRequest {
  /** Address of the service, without a trailing slash. */
  baseUrl: string;
  /** The plans of the service, by name. */
  plans: Readonly<Record<string, Plan>>;
}

/** A rendered file whose bytes are transferred between threads. */
export interface RenderedBytes extends Omit<RenderedFile, 'text'> {
  bytes: Uint8Array<ArrayBuffer>;
}

const { baseUrl, plans } = workerData as RenderingRequest;
const openApi = withoutSharedComponents(JSON.parse((await readOpenApi()).toString()) as OpenApi);
const rendered: RenderedBytes[] = (await renderDocumentation({ openApi, baseUrl, plans: new Plans(plans) })).map(
  ({ name, type, text }) => ({ name, type, bytes: new TextEncoder().encode(text) }),
);
parentPort!.postMessage(
  rendered,
  rendered.map(({ bytes }) => bytes.buffer),
);
