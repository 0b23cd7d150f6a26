import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that wait for the answer to the one before. More end the connection: they hold memory. */
export const MAX_WAITING_REQUESTS = 100;

/**
 * Serves the requests of each connection one after the other. Node hands over a pipelined request as soon as it has been
 * parsed. It would be executed even if the answer before it closes the connection, as that to a malformed request does.
 * Node also never ends the answer to it when the connection is closed first, so nothing that it holds would be released.
 */
export function serveInOrder(listener: RequestListener): RequestListener {
  /** The requests that wait, by connection; none for a connection without an open answer. */
  const waiting = new WeakMap<Socket, (() => void)[]>();
  return (req, res) => {
    const { socket } = req;
    const serve = () => {
      res.once('close', () => {
        const next = waiting.get(socket)?.shift();
        if (next === undefined) waiting.delete(socket);
        // Otherwise the connection ends, and what waits is never executed.
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
