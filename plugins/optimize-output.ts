/**
 * Runs `imagecrew optimize --in-place` on the output folder of a build. It runs in a separate process: the memory of
 * the codecs is freed with it, and the V8 settings that they need do not affect the build.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { bytesText, savingText } from '../base/size-text.ts';
import { argumentsOf, type ImagecrewOptions } from './options.ts';

export interface Log {
  info(message: string): void;
  warn(message: string): void;
}

export interface Output {
  /** Path of the folder. */
  folder: string;
  /** Path of the project. The cache and the names of files are relative to it. */
  root: string;
  options: ImagecrewOptions;
  log: Log;
}

/** A line of the program's standard output. */
type Line = { file: string } & (
  | { status: 'optimized' | 'from_cache' | 'unchanged'; compressed: boolean; original_bytes: number; bytes: number }
  | { error: { message: string } }
);

/** The sources run only in development, with the loader that the tests use. */
const isSource = import.meta.url.endsWith('.ts');
const MAIN = fileURLToPath(new URL(`../cli/main.${isSource ? 'ts' : 'js'}`, import.meta.url));
const LOADER = isSource ? ['--import', import.meta.resolve('tsx')] : [];

const USAGE_ERROR_STATUS = 2;

/**
 * Replaces the images of the folder with smaller ones of the same format and name, and logs a summary. An image that
 * fails causes a warning and stays as it is, which does not break the page.
 * @throws Error if the options are invalid, or if the program fails
 */
export async function optimizeOutput({ folder, root, options, log }: Output): Promise<void> {
  const args = ['optimize', '--in-place', '--json', ...argumentsOf(options), '--', relative(root, folder) || '.'];
  const { status, signal, out, err } = await run(args, root);
  const lines = out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
  const failed = lines.filter((line) => 'error' in line);
  const isDone = status === 0 || (status !== null && status < USAGE_ERROR_STATUS && failed.length > 0);
  if (!isDone) throw new Error(`imagecrew: ${err.trim() || `ended by ${signal ?? `status ${status}`}`}`);
  for (const { file, error } of failed) log.warn(`${file}: ${error.message}`);
  log.info(summaryOf(lines));
}

function summaryOf(lines: readonly Line[]): string {
  const done = lines.filter((line) => 'status' in line);
  const count = (status: string) => done.filter((line) => line.status === status).length;
  const before = done.reduce((sum, line) => sum + line.original_bytes, 0);
  const after = done.reduce((sum, line) => sum + line.bytes, 0);
  return [
    `${done.length} ${done.length === 1 ? 'image' : 'images'}`,
    ...(before === 0 ? [] : [`${bytesText(before)} -> ${bytesText(after)} (${savingText(before, after)})`]),
    `${count('optimized')} optimized`,
    `${count('from_cache')} from the cache`,
    `${count('unchanged')} unchanged`,
    `${done.filter(({ compressed }) => compressed).length} compressed now`,
  ].join(', ');
}

async function run(args: readonly string[], cwd: string) {
  const child = spawn(process.execPath, [...LOADER, MAIN, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = () => child.kill();
  process.once('exit', end);
  try {
    const [out, err, [status, signal]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>,
    ]);
    return { status, signal, out, err };
  } finally {
    process.off('exit', end);
  }
}
