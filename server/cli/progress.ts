import type { Io } from './io.ts';

interface ProgressBar {
  show(done: number, total: number): void;
  clear(): void;
}

const WIDTH = 30;

/** Draws a line on the terminal anew when its text changes; where there is no terminal, nothing. */
export function statusLine(io: Io): (text: string) => void {
  let drawn = '';
  return (text) => {
    if (!io.isTerminal || text === drawn) return;
    // Back to the beginning of the line, of which the rest is cleared.
    io.err(`\r${text}\u001b[K`);
    drawn = text;
  };
}

/**
 * How far something is, as a {@link statusLine}.
 * @param name what stands before it
 * @param all says the total, as `12.3 MB`
 */
export function progressBar(io: Io, name: string, all: (total: number) => string): ProgressBar {
  const draw = statusLine(io);
  return {
    show(done, total) {
      const filled = Math.floor((WIDTH * done) / total);
      const bar = '#'.repeat(filled).padEnd(WIDTH, '-');
      const percent = String(Math.floor((100 * done) / total)).padStart(3);
      draw(`${name} [${bar}] ${percent} % of ${all(total)}`);
    },
    clear: () => draw(''),
  };
}
