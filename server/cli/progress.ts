import type { Io } from './io.ts';

interface ProgressBar {
  show(done: number, total: number): void;
  clear(): void;
}

const WIDTH = 30;

/**
 * A line on the terminal that is drawn anew when its text changes; where there is no terminal, nothing.
 * @param name what stands before it
 * @param all says the total, as `12.3 MB`
 */
export function progressBar(io: Io, name: string, all: (total: number) => string): ProgressBar {
  let drawn = '';
  const draw = (text: string) => {
    if (!io.isTerminal || text === drawn) return;
    // Back to the beginning of the line, of which the rest is cleared.
    io.err(`\r${text}\u001b[K`);
    drawn = text;
  };
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
