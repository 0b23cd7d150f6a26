/**
 * The process that waits for the service. A main thread that is blocked in a call of a file system, such as those of
 * SQLite on storage that hangs, cannot react to signals: then only another process can end the service.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { packageFile } from '../base/package-file.ts';
import { endBySignal, signalExitStatus } from './exit-status.ts';
import { KILL_TIMEOUT_MS, STOP_SIGNALS } from './stoppable.ts';

/** What a process starts with. */
export interface ProcessStart {
  /** Arguments of Node. */
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}

/** Names the process that waits for this one. */
const PARENT = 'IMAGECREW_PARENT';
const SHELL = '/bin/sh';
/** How often the service looks whether its parent is still there. */
const PARENT_POLL_MS = 500;

/** `process.execve` is in Node 22.15 and newer. The types of Node 20 do not have it. */
type Execute = (file: string, args: readonly string[], env: ProcessStart['env']) => never;

/**
 * Runs Node in a child process, which gets the signals of this one and is killed if it does not end after them. Where
 * Node can, a shell takes the place of this process, and this function does not return. Without a shell the child
 * process is not needed either, and nobody kills it.
 * @returns the exit status of the child process
 */
export async function superviseNode(start: ProcessStart): Promise<number> {
  const { execve } = process as { execve?: Execute };
  const node = [process.execPath, ...start.args];
  if (!execve) return await runChild(start, KILL_TIMEOUT_MS);
  const command = [SHELL, packageFile('bin/supervise.sh'), String(KILL_TIMEOUT_MS / 1000), ...node];
  return existsSync(SHELL) ? execve(SHELL, command, start.env) : execve(process.execPath, node, start.env);
}

/** Passes signals on. If a signal ends the child, it ends this process too. */
async function runChild({ args, env }: ProcessStart, killTimeoutMs: number): Promise<number> {
  const marked = { ...env, [PARENT]: String(process.pid) };
  const child = spawn(process.execPath, args, { env: marked, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  let stoppedBy: NodeJS.Signals | undefined;
  const passOn = (name: NodeJS.Signals) => {
    child.kill(name);
    if (stoppedBy) return;
    stoppedBy = name;
    setTimeout(() => child.kill('SIGKILL'), killTimeoutMs).unref();
  };
  for (const name of STOP_SIGNALS) process.on(name, passOn);
  const [status, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  if (signal === null) return status!;
  const wasKilled = stoppedBy !== undefined && signal === 'SIGKILL';
  if (wasKilled)
    process.stderr.write(
      `The service did not stop in ${killTimeoutMs / 1000} seconds and was killed. A file system may not answer.\n`,
    );
  const endedBy = wasKilled ? stoppedBy! : signal;
  endBySignal(endedBy);
  return signalExitStatus(endedBy);
}

/** Whether the parent of this process is one that waits for it, by {@link superviseNode}. */
export const isSupervised = (): boolean => process.env[PARENT] === String(process.ppid);

/**
 * Ends this process with its parent, also when the parent was killed: one data folder has one server, and the next
 * start would find it locked.
 */
export function endWithParent(): void {
  const parent = process.ppid;
  const end = () => process.kill(process.pid, 'SIGKILL');
  process.once('disconnect', end);
  // The listener alone would keep the process alive.
  process.channel?.unref();
  if (process.connected) return;
  setInterval(() => {
    if (process.ppid !== parent) end();
  }, PARENT_POLL_MS).unref();
}
