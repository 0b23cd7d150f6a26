// Development only: lets a thread load rendering-thread.ts, as engine/worker-development.mjs does for workers.
import { register } from 'tsx/esm/api';

register();
await import('./rendering-thread.ts');
