/** Runs third-party programs on files. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '../../test/support/tool.ts';

const execute = promisify(execFile);
const TIME_LIMIT_MS = 60_000;
const MAX_OUTPUT_BYTES = 2 ** 30;

export interface Output {
  stdout: Buffer;
  stderr: string;
}

/**
 * @param input sent to standard input
 * @throws Error if it is not installed, fails or takes too long
 */
export async function runProgram(program: string, args: readonly string[], input?: Uint8Array): Promise<Output> {
  const path = isAbsolute(program) ? program : findProgram(program);
  if (!path) throw new Error(`${program} is not installed`);
  const running = execute(path, args, {
    encoding: 'buffer',
    timeout: TIME_LIMIT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
    // Makes messages and numbers the same on every machine.
    env: { ...process.env, LC_ALL: 'C', SOURCE_DATE_EPOCH: '0' },
  });
  // A program may close its input before reading all of it.
  running.child.stdin?.on('error', () => {});
  running.child.stdin?.end(input);
  try {
    const { stdout, stderr } = await running;
    return { stdout, stderr: stderr.toString('latin1') };
  } catch (error) {
    const { stderr } = error as { stderr?: Buffer };
    const complaint = stderr?.toString('latin1').trim().split('\n').at(-1);
    throw new Error(complaint || `${program} failed`, { cause: error });
  }
}

/** Finds the first version number in the output of a program. */
export async function versionOf(program: string, ...args: readonly string[]): Promise<string> {
  // Many programs print their usage and fail.
  const printed = await runProgram(program, args).then(
    ({ stdout, stderr }) => `${stdout.toString('latin1')}\n${stderr}`,
    ({ cause }: { cause?: { stdout?: Buffer; stderr?: Buffer } }) => `${cause?.stdout ?? ''}\n${cause?.stderr ?? ''}`,
  );
  return /\d+\.\d+(?:[.-]\d+)*/.exec(printed)?.[0] ?? 'unknown';
}

const pythons = new Map<string, Promise<string>>();
const MODULES: Record<string, string> = { pillow: 'PIL.Image', managed: 'PIL.ImageCms' };

/** Finds the path of the first Python that has a library; several may be installed. @throws Error if none has it */
export function pythonWith(library: string): Promise<string> {
  const found = pythons.get(library) ?? findPython(library);
  pythons.set(library, found);
  return found;
}

async function findPython(library: string): Promise<string> {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'python3'));
  for (const candidate of candidates.filter(existsSync)) {
    const args = ['-c', `import numpy, PIL.Image, ${MODULES[library] ?? library}`];
    if (
      await runProgram(candidate, args).then(
        () => true,
        () => false,
      )
    ) {
      return candidate;
    }
  }
  throw new Error(`no python3 has ${library}`);
}
