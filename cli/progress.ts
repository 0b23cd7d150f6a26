import type { Io } from './io.ts';

interface ProgressBar {
  show(done: number, total: number): void;
  clear(): void;
}

const WIDTH = 30;

/** Returns a function that updates a status line when its text changes. Without a terminal it prints nothing. */
export function statusLine(io: Io): (text: string) => void {
  let drawn = '';
  return (text) => {
    if (!io.isTerminal || text === drawn) return;
    // Returns to the start of the line and clears the rest after the text.
    io.err(`\r${text}\u001b[K`);
    drawn = text;
  };
}

/**
 * Shows progress as a {@link statusLine}.
 * @param name label before the bar
 * @param all formats the total, such as `12.3 MB`
 */
export function progressBar(io: Io, name: string, all: (total: number) => string): ProgressBar {
  const draw = statusLine(io);
  return {
    show(done, total) {
      const filled = Math.floor((WIDTH * done) / total);
      const bar = '#'.repeat(filled).padEnd(WIDTH, '-');
      const percent = String(Math.floor((100 * done) / total)).padStart(3);
      draw(`${name} [${bar}] ${percent}% of ${all(total)}`);
    },
    clear: () => draw(''),
  };
}
