import type { Io } from './io.ts';

/** What a command may use of this process. */
export function processIo(): Io {
  // A reader may close the pipe early, as in `imagecrew config | head`, or the terminal may be closed. This is not a
  // failure of the command, which still has to clean up.
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && !(error.code === 'EIO' && stream.isTTY)) throw error;
    });
  return {
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
  };
}
