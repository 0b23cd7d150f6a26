// Development only: lets a worker thread load the TypeScript of worker-entry.ts. On Node 20, the loader of the main
// thread is not active in worker threads.
import { register } from 'tsx/esm/api';

register();
const worker = await import('./worker-entry.ts');

export default worker.default;
export const ready = worker.ready;
