/** Entry point of the program `imagecrew`. */
import { runCli } from './program.ts';

// A reader may close the pipe early, as in `imagecrew config | head`, or the terminal may be closed. This is not a
// failure of the command, which still has to clean up.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && !(error.code === 'EIO' && stream.isTTY)) throw error;
  });

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  outBytes: (bytes) => process.stdout.write(bytes),
  output: process.stdout,
  // Opened only when it is read: an open stdin would keep the process alive.
  get input() {
    return process.stdin;
  },
  isTerminal: process.stderr.isTTY,
  isOutTerminal: process.stdout.isTTY,
});
