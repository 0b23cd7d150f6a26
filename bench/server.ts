/** Runs the compiled service in a separate process, with an empty data folder and a key. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ALLOCATOR_VARIABLES, NODE_OPTIONS } from '../cli/memory-settings.ts';
import { ROOT } from './machine.ts';

/** A limit that no benchmark reaches. It is not null, so that requests are counted as usual. */
const UNREACHABLE_LIMIT = 1_000_000_000;
export const BENCH_PLAN = {
  bench: {
    based_on: 'pro',
    requests_per_month: UNREACHABLE_LIMIT,
    ai_requests_per_month: UNREACHABLE_LIMIT,
    requests_per_minute: UNREACHABLE_LIMIT,
  },
} as const;

const MAIN = join(ROOT, 'dist/cli/main.js');
const LISTENING = /listens on (http:\S+)/;

export interface RunningServer {
  address: string;
  key: string;
  pid: number;
  /** Creates another account and a key for it. @param plan default: the same */
  addAccount(name: string, scopes?: string, plan?: string): string;
  close(): Promise<void>;
}

/** @param settings environment variables in addition to those that every benchmark server gets */
export async function startServer(settings: Record<string, string> = {}): Promise<RunningServer> {
  const folder = await mkdtemp(join(tmpdir(), 'imagecrew-bench-'));
  const env = {
    ...process.env,
    // With its settings already there, the service starts no second process.
    ...ALLOCATOR_VARIABLES,
    IC_PORT: '0',
    IC_LOG_LEVEL: 'warn',
    IC_MODELS_FETCH: 'false',
    IC_DATA_DIR: folder,
    ...settings,
  };
  const admin = (...args: string[]) =>
    JSON.parse(execFileSync(process.execPath, [MAIN, 'admin', ...args], { env, encoding: 'utf8' })) as { key: string };
  await writeFile(join(folder, 'plans.json'), JSON.stringify(BENCH_PLAN));
  const addAccount = (name: string, scopes?: string, plan = 'bench'): string => {
    admin('account', 'create', '--name', name, '--plan', plan);
    return admin('key', 'create', '--account', name, ...(scopes === undefined ? [] : ['--scopes', scopes])).key;
  };
  const key = addAccount('bench');

  const server = spawn(process.execPath, [...NODE_OPTIONS, MAIN, 'serve'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const close = async () => {
    const ended = server.exitCode === null ? once(server, 'exit') : undefined;
    server.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  for await (const line of createInterface({ input: server.stdout })) {
    const address = LISTENING.exec(line)?.[1];
    if (address) return { address, key, pid: server.pid!, addAccount, close };
  }
  await close();
  throw new Error('Expected the server to listen but it ended. Run "npm run build" first.');
}
