/** A PostgreSQL server of its own for the tests of a process. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';

/** The folder of `initdb` and `postgres`: Debian has them outside PATH. */
function programsFolder(): string | undefined {
  const versions = '/usr/lib/postgresql';
  const installed = existsSync(versions) ? readdirSync(versions).sort((one, other) => Number(other) - Number(one)) : [];
  return installed.map((version) => join(versions, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
}

const PROGRAMS = programsFolder();

/** Why tests with PostgreSQL are skipped; undefined if they run. */
export const POSTGRES_MISSING = PROGRAMS === undefined ? 'PostgreSQL is not installed' : undefined;

/** PostgreSQL refuses to run as root. */
const NOBODY = 65_534;
const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** The password of the user. */
export const PASSWORD = 'geheim%20nis';

export class TestServer {
  readonly #folder: string;
  readonly #bin: string;
  readonly #port: number;
  #stop: () => Promise<void> = async () => {};
  #databases = 0;

  constructor(bin: string, folder: string, port: number) {
    this.#bin = bin;
    this.#folder = folder;
    this.#port = port;
  }

  /** The address of a database, through a socket in the folder of the server. */
  url(name: string): string {
    return `postgres://imagecrew:${PASSWORD}@${encodeURIComponent(this.#folder)}:${this.#port}/${name}`;
  }

  /** Resolves when the server answers. */
  async start(): Promise<void> {
    const server = spawn(
      join(this.#bin, 'postgres'),
      // Nothing of it survives the test, so it need not reach the disk.
      ['-D', join(this.#folder, 'data'), '-k', this.#folder, '-p', String(this.#port), '-h', '', '-F'],
      { ...asNobody, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const exited = once(server, 'exit');
    const lines = createInterface({ input: server.stderr });
    const told: string[] = [];
    const kill = () => void server.kill('SIGQUIT');
    process.on('exit', kill);
    this.#stop = async () => {
      process.off('exit', kill);
      server.ref();
      server.kill('SIGQUIT');
      await exited;
    };
    await new Promise<void>((resolve, reject) => {
      server.on('exit', () => reject(new Error(`PostgreSQL has ended:\n${told.join('\n')}`)));
      lines.on('line', (line) => {
        told.push(line);
        if (line.includes('ready to accept connections')) resolve();
      });
    });
    server.unref();
    (server.stderr as unknown as { unref(): void }).unref();
  }

  /** Ends the server at once, as a crash does. */
  async stop(): Promise<void> {
    await this.#stop();
  }

  /** Creates a database. @returns its address */
  async create(template = 'template0'): Promise<string> {
    const name = `test_${++this.#databases}`;
    await this.run(`create database ${name} template ${template}`);
    return this.url(name);
  }

  /** Runs a statement in a database of the server. */
  async run(statement: string, url = this.url('postgres')): Promise<Record<string, unknown>[]> {
    const client = new pg.Client(url);
    await client.connect();
    try {
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  }
}

/** Starts a server; it ends with this process. */
export async function startPostgres(): Promise<TestServer> {
  if (PROGRAMS === undefined) throw new Error(POSTGRES_MISSING);
  const folder = mkdtempSync(join(tmpdir(), 'imagecrew-postgres-'));
  if (asNobody.uid !== undefined) chownSync(folder, NOBODY, NOBODY);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, `${decodeURIComponent(PASSWORD)}\n`, { mode: 0o644 });
  const options = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'];
  execFileSync(join(PROGRAMS, 'initdb'), ['-D', data, '--username=imagecrew', `--pwfile=${passwordFile}`, ...options], {
    ...asNobody,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const server = new TestServer(PROGRAMS, folder, 5432);
  await server.start();
  return server;
}
