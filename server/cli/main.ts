/** The program `imagecrew`. */
import { runCli } from './program.ts';

// Whoever reads may stop before the end, as `imagecrew config | head` does; that is no failure of the command.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
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
});
