/** The program `imagecrew`. */
import { runCli } from './program.ts';

// Whoever reads may stop before the end, as `imagecrew config | head` does, or close the terminal; that is no failure of
// the command, which still has to put away what it has begun.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && !(error.code === 'EIO' && stream.isTTY)) throw error;
  });

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  outBytes: (bytes) => process.stdout.write(bytes),
  // Opened when it is read: open, it would keep the process alive.
  get input() {
    return process.stdin;
  },
  isTerminal: process.stderr.isTTY,
  isOutTerminal: process.stdout.isTTY,
});
