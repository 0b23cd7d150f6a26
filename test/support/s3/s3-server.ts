/**
 * A real store that speaks S3, for tests: OpenStack Swift of Debian's package python3-swift. One for all tests of a
 * process, each with a bucket of its own.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../../server/config.ts';
import { S3Client } from '../../../storage/s3/client.ts';
import { listObjects } from '../../../storage/s3/listing.ts';
import { type S3Config, s3Settings } from '../../../storage/s3/settings.ts';
import { repositoryFile } from '../repository.ts';

/** Debian's Python, which has Debian's packages. */
const PYTHON = '/usr/bin/python3';

/** Why tests with the store are skipped; false where it is installed, and where the tests must run: `.ci/run`. */
export const WITHOUT_S3: string | false =
  process.env.IMAGECREW_TEST_S3 !== 'required' &&
  spawnSync(PYTHON, ['-c', 'import swift']).status !== 0 &&
  'not installed: python3-swift';

const SECRET = 'word-of-the-tests';

/** The users of the store: `nobody` may do nothing. */
export const WRITER = { AWS_ACCESS_KEY_ID: 'tests:writer', AWS_SECRET_ACCESS_KEY: SECRET };
export const NOBODY = { AWS_ACCESS_KEY_ID: 'tests:nobody', AWS_SECRET_ACCESS_KEY: SECRET };

export interface S3Server {
  port: number;
  /** Ends it, as a power failure does. Its data are kept. */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
}

/** @param folder of its data */
export async function startS3Server(folder: string): Promise<S3Server> {
  let child: ChildProcess;
  const start = async (port = 0) => {
    const script = fileURLToPath(repositoryFile('test/support/s3/swift_server.py'));
    const started = spawn(PYTHON, [script, folder, String(port)], { stdio: ['pipe', 'pipe', 'inherit'] });
    child = started;
    const lines = createInterface({ input: started.stdout });
    const [line] = (await once(lines, 'line')) as [string];
    lines.close();
    // It ends with its standard input, which ends with this process.
    started.unref();
    for (const stream of [started.stdin, started.stdout]) (stream as unknown as { unref(): void }).unref();
    return Number(line);
  };
  const port = await start();
  return {
    port,
    kill: async () => {
      const ended = once(child, 'exit');
      child.ref();
      child.kill('SIGKILL');
      await ended;
    },
    start: async () => {
      await start(port);
    },
  };
}

let server: Promise<S3Server> | undefined;

/** The store of all tests of this process. */
async function sharedServer(): Promise<S3Server> {
  server ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'imagecrew-s3-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    return await startS3Server(folder);
  })();
  return await server;
}

export interface Bucket {
  /** The settings of a service that keeps its files in the bucket. */
  env: Readonly<Record<string, string>>;
  config: S3Config;
  client: S3Client;
  /** Keys of all objects, without the prefix of the settings. */
  keys(): Promise<string[]>;
  server: S3Server;
}

let buckets = 0;

/** Makes a bucket. @param given a server of the test's own */
export async function makeBucket(given?: S3Server): Promise<Bucket> {
  const store = given ?? (await sharedServer());
  buckets += 1;
  const env = {
    IC_STORAGE_URL: `s3://bucket-${buckets}/some/folder`,
    IC_S3_ENDPOINT: `http://127.0.0.1:${store.port}`,
    ...WRITER,
  };
  const config = s3ConfigOf(env);
  const client = new S3Client(s3Settings(config));
  await client.send({ method: 'PUT' });
  return { env, config, client, keys: async () => await keysOf(client), server: store };
}

export function s3ConfigOf(env: Readonly<Record<string, string>>): S3Config {
  const config = loadConfig(env);
  return { ...config, storageUrl: config.storageUrl! };
}

async function keysOf(client: S3Client): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of listObjects(client, '')) keys.push(key);
  return keys;
}
