/** Runs a server over standard input and output, for one client and the lifetime of the process. */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';

/**
 * Serves until the input ends or the signal fires. Running calls are then cancelled. Work that must not be interrupted
 * continues, and the process ends after it.
 * @param createServer called once the client has said which revision it speaks
 */
export async function serveOverStdio(
  createServer: McpServerFactory,
  { input, output, signal }: { input: Readable; output: Writable; signal: AbortSignal },
): Promise<void> {
  const stopped = new AbortController();
  const ended = Promise.race(
    ['end', 'close', 'error'].map((event) => once(input, event, { signal: stopped.signal }).catch(() => {})),
  );
  const told = once(signal, 'abort', { signal: stopped.signal }).catch(() => {});
  // The client may close the output first.
  output.on('error', () => stopped.abort());
  const connection = serveStdio(createServer, { transport: new StdioServerTransport(input, output) });
  if (!signal.aborted) await Promise.race([ended, told]);
  await connection.close();
  stopped.abort();
}
