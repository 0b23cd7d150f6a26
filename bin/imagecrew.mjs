#!/usr/bin/env node
// Runs the built program where there is one, else the sources through tsx, which is there in development only.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const built = new URL('../dist/cli/main.js', import.meta.url);
const source = new URL('../cli/main.ts', import.meta.url);

if (existsSync(built)) {
  await import(built.href);
} else if (existsSync(source)) {
  runSource();
} else {
  fail('Expected dist/cli/main.js but found neither it nor its source. Run "npm run build" first.');
}

/** In a process of its own: worker threads take the loader from the command line, not from this process. */
function runSource() {
  let loader;
  try {
    loader = import.meta.resolve('tsx');
  } catch {
    fail('Expected dist/cli/main.js, or tsx to run its source, but found neither. Run "npm run build" first.');
    return;
  }
  const args = ['--import', loader, fileURLToPath(source), ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  // Ctrl-C reaches the child by itself; passed on, it would count as the second one.
  process.on('SIGINT', () => {});
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}

function fail(sentence) {
  console.error(sentence);
  process.exitCode = 1;
}
