/** Describes the machine and the revision of a measurement. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';

/** One folder further up if the tests run the built file. */
export const ROOT = join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? '..' : '../..');

export interface Machine {
  cpu: string;
  cores: number;
  memoryBytes: number;
  system: string;
  node: string;
  /** Mean number of running processes in the minute before the measurement. Above 0.5 the figures are noise. */
  load: number;
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    system: `${type()} ${release()}`,
    node: process.version,
    load: loadavg()[0]!,
  };
}

export interface Revision {
  commit: string;
  /** Whether the working tree differs from the commit, apart from results of other measurements. */
  dirty: boolean;
}

export function describeRevision(): Revision {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  return {
    commit: git('rev-parse', '--short=10', 'HEAD'),
    dirty: git('status', '--porcelain', '--', '.', ':!bench/results') !== '',
  };
}

/**
 * Returns the version of an installed package. It is read from disk, because not every package exports its
 * package.json.
 */
export function packageVersion(name: string): string {
  const file = join(ROOT, 'node_modules', name, 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
