/** A thread that renders the documentation, answers with all of its files in one message, and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Plan, Plans } from '../account/plans.ts';
import { readOpenApi } from './openapi.ts';
import { renderDocumentation } from './rendering.ts';

export interface RenderingRequest {
  /** Address of the service, without a slash at its end. */
  baseUrl: string;
  /** What the plans of the service allow, by their names. */
  plans: Readonly<Record<string, Plan>>;
}

const { baseUrl, plans } = workerData as RenderingRequest;
const openApi = await readOpenApi();
parentPort!.postMessage(await renderDocumentation({ openApi, baseUrl, plans: new Plans(plans) }));
