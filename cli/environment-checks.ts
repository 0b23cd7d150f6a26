/** What `imagecrew doctor` checks of the machine: the port, memory, disk space, and what is optional. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hasDependency, packageFile } from '../base/package-file.ts';
import { bytesText } from '../base/size-text.ts';
import { type Environment, findChromium } from '../chromium/chromium.ts';
import { type Config, memoryBytes } from '../server/config.ts';
import { ALLOCATOR_VARIABLES, usesGlibc } from './memory-settings.ts';

export interface Finding {
  name: string;
  /** Undefined if the finding is only information. */
  ok?: boolean;
  text: string;
}

/** How long a program on the port may take to answer. */
const ANSWER_TIMEOUT_MS = 2000;

/** Tries to listen where the service will. A service that already runs there is no failure. */
export async function checkPort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<Finding> {
  const name = 'port';
  const place = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  if (port === 0) return { name, text: 'the system chooses a free one' };
  const code = await listenError(host, port);
  if (code === undefined) return { name, ok: true, text: `${place} is free` };
  if (code !== 'EADDRINUSE') return { name, ok: false, text: `${place} cannot be used (${code})` };
  if (await isServiceRunning(host, port)) return { name, ok: true, text: `a running Imagecrew answers on ${place}` };
  return { name, ok: false, text: `${place} is used by another program: stop it, or set IC_PORT` };
}

function listenError(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Whether the program on the port answers as the service does: with its health, and the id of the request. */
async function isServiceRunning(host: string, port: number): Promise<boolean> {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  try {
    const answer = await fetch(`http://${reachable}:${port}/healthz`, {
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      redirect: 'error',
    });
    const { status } = (await answer.json()) as { status?: unknown };
    return status === 'ok' && (answer.headers.get('x-request-id')?.startsWith('req_') ?? false);
  } catch {
    return false;
  }
}

/**
 * Memory of the process without a task, and what each worker adds under load, in bytes. The largest of the bursts of
 * bench/memory-bursts.ts took 932 MB with two workers.
 */
const BASE_BYTES = 250e6;
const WORKER_BYTES = 350e6;

/** Compares the memory of the machine, or of the container, with what the workers need. */
export function checkMemory({ workers }: Pick<Config, 'workers'>, availableBytes = memoryBytes()): Finding {
  const needed = BASE_BYTES + workers * WORKER_BYTES;
  const sum = `${bytesText(availableBytes)}, for ${workers} ${workers === 1 ? 'worker' : 'workers'} ${bytesText(needed)}`;
  const isEnough = availableBytes >= needed;
  return { name: 'memory', ok: isEnough, text: isEnough ? sum : `${sum} are needed: lower IC_WORKERS` };
}

/** Reports the settings of the allocator with which `serve` would run. */
export function reportAllocator(env: Environment, hasGlibc = usesGlibc()): Finding {
  const name = 'allocator';
  if (!hasGlibc) return { name, text: 'not that of glibc, so it has no settings' };
  const others = Object.keys(ALLOCATOR_VARIABLES).filter(
    (key) => (env[key] ?? ALLOCATOR_VARIABLES[key]) !== ALLOCATOR_VARIABLES[key],
  );
  if (others.length === 0) return { name, text: 'of glibc, serve sets what it needs' };
  const values = others.map((key) => `${key}=${env[key]} instead of ${ALLOCATOR_VARIABLES[key]}`);
  return { name, text: `of glibc, with settings of the environment: ${values.join(', ')}` };
}

/** For the database and its log, and results that are being written. */
const MIN_FREE_BYTES = 1e9;

/** @param freeBytes of the file system of the data folder */
export async function checkDisk(
  freeBytes: Promise<number>,
  { storageBytes }: Pick<Config, 'storageBytes'>,
): Promise<Finding> {
  const name = 'disk space';
  try {
    const free = await freeBytes;
    const uses = `results may take ${bytesText(storageBytes)} (IC_STORAGE_BYTES)`;
    if (free < MIN_FREE_BYTES)
      return { name, ok: false, text: `${bytesText(free)} are free, ${bytesText(MIN_FREE_BYTES)} are needed; ${uses}` };
    return { name, ok: true, text: `${bytesText(free)} are free; ${uses}` };
  } catch (error) {
    return { name, ok: false, text: String(error) };
  }
}

/** Reports which optional packages and programs are there. */
export function reportOptional(env: Environment): Finding[] {
  const packages = optionalPackages().map((name) => [name, isInstalled(name)] as const);
  const listed = (isThere: boolean) => packages.filter(([, found]) => found === isThere).map(([name]) => name);
  const [there, missing] = [listed(true), listed(false)];
  const chromium = findChromium(env);
  return [
    { name: 'optional packages', text: there.length === 0 ? 'none' : there.join(', ') },
    ...(missing.length === 0 ? [] : [{ name: 'optional packages not installed', text: missing.join(', ') }]),
    { name: 'Chromium', text: chromium ?? 'not found (only commands that render pages need it; see IC_CHROMIUM)' },
  ];
}

/** The packages that package.json names as optional; none without the file. */
function optionalPackages(): string[] {
  const path = packageFile('package.json');
  if (!existsSync(path)) return [];
  const { optionalDependencies = {}, peerDependencies = {} } = JSON.parse(readFileSync(path, 'utf8')) as {
    optionalDependencies?: Record<string, string>;
    peerDependencies?: Record<string, string>;
  };
  return Object.keys({ ...optionalDependencies, ...peerDependencies });
}

/** Packages of fonts may be carried by the program: then only their files are there. */
const isInstalled = (name: string): boolean =>
  hasDependency(`${name}/package.json`) || hasDependency(`${name}/unicode.json`);
