/** Runs a server over standard input and output, for one client and the lifetime of the process. */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

/**
 * Serves until the input ends or the signal fires. Running calls are then cancelled. Work that must not be interrupted
 * continues, and the process ends after it.
 */
export async function serveOverStdio(
  server: Server,
  { input, output, signal }: { input: Readable; output: Writable; signal: AbortSignal },
): Promise<void> {
  const stopped = new AbortController();
  const ended = Promise.race(
    ['end', 'close', 'error'].map((event) => once(input, event, { signal: stopped.signal }).catch(() => {})),
  );
  const told = once(signal, 'abort', { signal: stopped.signal }).catch(() => {});
  // The client may close the output first.
  output.on('error', () => stopped.abort());
  await server.connect(new StdioServerTransport(input, output));
  if (!signal.aborted) await Promise.race([ended, told]);
  await server.close();
  stopped.abort();
}
