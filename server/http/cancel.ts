import type { ServerResponse } from 'node:http';
import { ClientGone } from './errors.ts';

/** A signal that fires, with a ClientGone as its reason, when the client goes away before its answer is complete. */
export function clientSignal(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) controller.abort(new ClientGone());
  });
  return controller.signal;
}
