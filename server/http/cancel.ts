import type { ServerResponse } from 'node:http';
import { ClientDisconnected } from './errors.ts';

/** Returns a signal that aborts with a ClientDisconnected when the client disconnects before its response is complete. */
export function clientSignal(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) controller.abort(new ClientDisconnected());
  });
  return controller.signal;
}
