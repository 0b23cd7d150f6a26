/** Runs the program `imagecrew`, in a separate process or in this one. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { runCli } from '../../cli/program.ts';
import { MODELS_FOLDER } from './models.ts';
import { LOADER, program } from './repository.ts';

export interface CliRun {
  status: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  /** `out` as bytes. */
  bytes: Buffer;
  err: string;
}

export interface CliOptions {
  /** Working directory of the program. */
  cwd: string;
  env?: Record<string, string>;
  input?: Uint8Array;
  /** Whether the standard input stays open after `input`. */
  isInputOpen?: boolean;
  /** Arguments of Node, before those of the program. */
  node?: readonly string[];
  /** A program that starts Node, with its arguments. */
  under?: readonly string[];
}

const MAIN = fileURLToPath(program('cli/main'));

/** Two workers, so that tests do not depend on the machine. */
const SETTINGS = { IC_WORKERS: '2', IC_MODELS_DIR: MODELS_FOLDER };

export function startCli(args: readonly string[], options: CliOptions): ChildProcessWithoutNullStreams {
  const { cwd, env = {}, input, isInputOpen = false, node = [], under = [] } = options;
  const command = [...under, process.execPath, ...LOADER.map(resolveLoader), ...node, MAIN, ...args];
  const child = spawn(command[0]!, command.slice(1), { cwd, env: { ...process.env, ...SETTINGS, ...env } });
  child.stdin.on('error', () => {});
  if (input) child.stdin.write(input);
  if (!isInputOpen) child.stdin.end();
  return child;
}

/** Resolves the loader from here, because the working directory of the program has none. */
function resolveLoader(argument: string): string {
  return argument.startsWith('-') ? argument : import.meta.resolve(argument);
}

export async function waitForCli(child: ChildProcessWithoutNullStreams): Promise<CliRun> {
  const [bytes, err, [status, signal]] = await Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>,
  ]);
  return { status, signal, bytes, out: bytes.toString(), err };
}

export function runCliProcess(args: readonly string[], options: CliOptions): Promise<CliRun> {
  return waitForCli(startCli(args, options));
}

/**
 * Runs the program in this process with one worker, which takes half the processor time of a separate process. The
 * working directory is that of this process meanwhile.
 */
export async function runCliHere(
  args: readonly string[],
  { cwd, env = {}, input = new Uint8Array() }: Pick<CliOptions, 'cwd' | 'env' | 'input'>,
): Promise<CliRun> {
  const out: Buffer[] = [];
  let err = '';
  const before = process.cwd();
  process.chdir(cwd);
  try {
    const status = await runCli(args, {
      env: { ...process.env, ...SETTINGS, IC_WORKERS: '1', ...env },
      out: (text) => out.push(Buffer.from(text)),
      outBytes: (bytes) => out.push(Buffer.from(bytes)),
      err: (text) => {
        err += text;
      },
      input: Readable.from([input]),
    });
    const bytes = Buffer.concat(out);
    return { status, signal: null, bytes, out: bytes.toString(), err };
  } finally {
    process.chdir(before);
  }
}

/** Parses the lines of JSON that the program has printed. */
export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
