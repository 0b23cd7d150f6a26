// Development only: lets a worker thread load the TypeScript of worker-entry.ts. The loader that runs the main thread does not
// reach worker threads on Node 20.
import { register } from 'tsx/esm/api';

register();
const worker = await import('./worker-entry.ts');

export default worker.default;
export const ready = worker.ready;
