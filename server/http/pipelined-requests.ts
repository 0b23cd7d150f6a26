import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Pipelined requests of one connection that may wait. One more closes the connection, because each holds memory. */
export const MAX_WAITING_REQUESTS = 100;

/**
 * Serves the requests of each connection one after another. Node passes on a pipelined request
 * as soon as it is parsed. It would be executed even if the response before it closes the
 * connection, as the response to a malformed request does. Node also never ends the response to
 * a pipelined request if the connection closes first, so its resources would not be released.
 */
export function serveInOrder(listener: RequestListener): RequestListener {
  /** The waiting requests by connection. A connection without an open response has no entry. */
  const waiting = new WeakMap<Socket, (() => void)[]>();
  return (req, res) => {
    const { socket } = req;
    const serve = () => {
      res.once('close', () => {
        const next = waiting.get(socket)?.shift();
        if (next === undefined) waiting.delete(socket);
        // If not writable, the connection ends and the waiting requests are never executed.
        else if (socket.writable) next();
      });
      listener(req, res);
    };
    const queue = waiting.get(socket);
    if (!socket.writable) return;
    if (queue === undefined) {
      waiting.set(socket, []);
      serve();
    } else if (queue.length < MAX_WAITING_REQUESTS) queue.push(serve);
    else socket.destroy();
  };
}
