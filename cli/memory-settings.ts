/**
 * The settings of the allocator and of V8 for `imagecrew serve`. Both read them only when a process starts, so `serve`
 * starts itself again if they are missing. Settings that are already there, also with other values, are left alone.
 */
import { existsSync } from 'node:fs';
import { endWithParent, isSupervised, type ProcessStart, superviseNode } from './supervisor.ts';

/**
 * Variables of glibc's allocator (mallopt(3)). By default each thread may keep an arena of 64 MB of freed memory.
 * V8 compiles with blocks of 32 KiB: from this threshold on they are mapped one by one and returned to the system,
 * below it they stay in the arenas. A minute after the first removal of a background the process had 341 MB with a
 * threshold of 128 KiB and 200 MB with this one; compiling ONNX Runtime took 1.0 s of system time instead of 0.3 s.
 * Memory for decoded images is mapped for each request. With huge pages (glibc 2.35) a screenshot to PNG takes 4 ms less
 * system time of 38, a JPEG of 6 megapixels to WebP 11 of 207.
 */
export const ALLOCATOR_VARIABLES: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '32768',
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
};

/** Image data is outside of V8's heaps, whose young generation would otherwise grow to 32 MiB. */
export const NODE_OPTIONS: readonly string[] = ['--max-semi-space-size=1'];

type ProcessState = Pick<NodeJS.Process, 'argv' | 'execArgv' | 'env'>;

/** Returns how to start the program with the settings; undefined if it has them or this system has no such allocator. */
export function restartWithSettings(
  { argv, execArgv, env }: ProcessState,
  hasGlibc: boolean,
): ProcessStart | undefined {
  if (!hasGlibc) return undefined;
  const options = [...execArgv, env.NODE_OPTIONS ?? ''].join(' ').replaceAll('_', '-');
  const missing = NODE_OPTIONS.filter((option) => !options.includes(option.split('=')[0]!));
  if (missing.length === 0 && Object.keys(ALLOCATOR_VARIABLES).every((name) => env[name] !== undefined))
    return undefined;
  return { args: [...missing, ...execArgv, ...argv.slice(1)], env: { ...ALLOCATOR_VARIABLES, ...env } };
}

/** Whether this process uses glibc. Takes 5 ms. */
export function usesGlibc(): boolean {
  if (process.platform !== 'linux') return false;
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return header?.glibcVersionRuntime !== undefined;
}

/**
 * Restarts the program with the settings, in a process that another one waits for.
 * @returns the exit status of the service, or undefined if this process is to be the service
 */
export async function applyMemorySettings(): Promise<number | undefined> {
  if (isSupervised()) {
    endWithParent();
    return undefined;
  }
  // Another parent with a channel, such as a process manager, has chosen how to start the service, and would lose it.
  if (process.connected) return undefined;
  const restart = restartWithSettings(process, usesGlibc());
  // Without /proc, Node does not know its own path.
  if (restart === undefined || !existsSync(process.execPath)) return undefined;
  return await superviseNode(restart);
}
