/** Bodies that were refused before they were read. */
import type { IncomingMessage } from 'node:http';

/** How long the rest of a refused body is read and thrown away. */
const LINGER_MS = 5000;

/** True when the request has a body of which something is still to come. */
export function hasUnreadBody(req: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': transfer } = req.headers;
  return !req.complete && (transfer !== undefined || Number(length ?? 0) > 0);
}

/**
 * Throws away what the client still sends, for a few seconds at most. Closing at once would answer its next bytes
 * with a reset, and a reset makes the client's system drop the answer that it has not read yet (RFC 9112, section 9.6).
 */
export function discardRest(req: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, LINGER_MS);
    req.once('end', done);
    req.once('close', done);
    req.resume();
  });
}
