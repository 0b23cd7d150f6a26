/** Bodies that were refused before they were read. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

/** How long the rest of a refused body is read and thrown away. */
const LINGER_MS = 5000;
/**
 * Bytes of all refused bodies that are read at once, and then in a second. Without a limit, 64 clients that went on sending files of
 * 3 MB after a 429 took 40 % of two cores: what is read becomes garbage, and V8 collects it every few milliseconds.
 */
const MAX_BURST_BYTES = 32 * 2 ** 20;
const MAX_BYTES_PER_SECOND = 8 * 2 ** 20;
const BURST_MS = (1000 * MAX_BURST_BYTES) / MAX_BYTES_PER_SECOND;
/** When the bytes read until now would have been read at that rate: at most the time of a burst ago, by performance.now(). */
let readUntil = Number.NEGATIVE_INFINITY;

/** True when the request has a body of which something is still to come. */
export function hasUnreadBody(req: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': transfer } = req.headers;
  return !req.complete && (transfer !== undefined || Number(length ?? 0) > 0);
}

/**
 * Throws away what the client still sends, for a few seconds at most. Closing at once would answer its next bytes
 * with a reset, and a reset makes the client's system drop the answer that it has not read yet (RFC 9112, section 9.6).
 */
export function discardRest(body: Readable): Promise<void> {
  return new Promise((resolve) => {
    let pause: NodeJS.Timeout | undefined;
    const done = () => {
      clearTimeout(timer);
      clearTimeout(pause);
      body.off('data', skip);
      resolve();
    };
    const skip = (chunk: Uint8Array) => {
      const now = performance.now();
      readUntil = Math.max(readUntil, now - BURST_MS) + (1000 * chunk.length) / MAX_BYTES_PER_SECOND;
      if (readUntil <= now) return;
      body.pause();
      pause = setTimeout(() => body.resume(), readUntil - now);
    };
    const timer = setTimeout(done, LINGER_MS);
    body.once('end', done);
    body.once('close', done);
    body.on('data', skip);
    body.resume();
  });
}
