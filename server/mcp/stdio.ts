/** A server over standard input and output: one client, for as long as the process. */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

/**
 * Serves until the input ends or the signal fires. Calls that are running then are told to stop; what must not be left half-way
 * goes on, and the process ends after it.
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
  // Whoever reads may go away first.
  output.on('error', () => stopped.abort());
  await server.connect(new StdioServerTransport(input, output));
  if (!signal.aborted) await Promise.race([ended, told]);
  await server.close();
  stopped.abort();
}
