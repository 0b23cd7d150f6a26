import type { IncomingMessage } from 'node:http';
import { Transform, type Writable } from 'node:stream';
import { EventLoopShare } from '../../base/event-loop-share.ts';
import { ClientDisconnected, uploadTimeout } from './errors.ts';

/**
 * Pipes a request body into `sink`. Resolves when the sink has taken all of it. Unlike `stream.pipeline`, it never
 * destroys the request: that would destroy the socket that the error response is written to.
 * @throws Failure 408 `upload_timeout` when the body has not arrived in time; ClientDisconnected; the error of the sink
 */
export function pipeBody(req: IncomingMessage, sink: Writable, timeoutSeconds: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(uploadTimeout(timeoutSeconds)), timeoutSeconds * 1000);
    // A complete request also closes, possibly before a sink that works in steps has finished.
    const onClose = () => {
      if (!req.readableEnded) settle(new ClientDisconnected());
    };
    const onFinish = () => settle();
    function settle(error?: unknown): void {
      clearTimeout(timer);
      req.off('close', onClose);
      sink.off('finish', onFinish);
      req.unpipe(pacer);
      pacer.destroy();
      if (error === undefined) {
        resolve();
      } else {
        sink.destroy();
        reject(error);
      }
    }
    req.once('close', onClose);
    sink.once('finish', onFinish);
    // This listener stays: a parser may fail once more while it is being destroyed.
    sink.on('error', settle);
    const pacer = paced();
    req.pipe(pacer).pipe(sink);
  });
}

/**
 * Passes chunks on within this stream's share of the event loop.
 * A fast client would otherwise fill one turn with up to 2 MiB.
 */
function paced(): Transform {
  const share = new EventLoopShare();
  return new Transform({
    transform(chunk, _encoding, done) {
      if (share.isUsedUp) void share.next().then(() => done(null, chunk));
      else done(null, chunk);
    },
  });
}
