/** A thread that renders the documentation, answers with all of its files in one message, and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Plan, Plans } from '../account/plans.ts';
import { type OpenApi, readOpenApi } from './openapi.ts';
import { type RenderedFile, renderDocumentation } from './rendering.ts';

export interface RenderingRequest {
  /** Address of the service, without a slash at its end. */
  baseUrl: string;
  /** What the plans of the service allow, by their names. */
  plans: Readonly<Record<string, Plan>>;
}

/** A file as it is sent, moved from one thread to the other. */
export interface RenderedBytes extends Omit<RenderedFile, 'text'> {
  bytes: Uint8Array<ArrayBuffer>;
}

const { baseUrl, plans } = workerData as RenderingRequest;
const openApi = JSON.parse((await readOpenApi()).toString()) as OpenApi;
const rendered: RenderedBytes[] = (await renderDocumentation({ openApi, baseUrl, plans: new Plans(plans) })).map(
  ({ name, type, text }) => ({ name, type, bytes: new TextEncoder().encode(text) }),
);
parentPort!.postMessage(
  rendered,
  rendered.map(({ bytes }) => bytes.buffer),
);
