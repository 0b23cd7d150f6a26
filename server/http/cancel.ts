import type { ServerResponse } from 'node:http';
import { ClientGone } from './errors.ts';

/** Returns a signal that aborts with a ClientGone when the client disconnects before its response is complete. */
export function clientSignal(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) controller.abort(new ClientGone());
  });
  return controller.signal;
}
