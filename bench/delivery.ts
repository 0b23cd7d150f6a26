/**
 * `npm run bench:delivery`: images by address. Compares hits with the same file from a plain file server of Node, in a
 * process of its own, and misses with POST /api/v1/compress of the same image; both at 64 connections in alternating
 * rounds. Then 1,000 clients ask for one new image. Prints requests per second, their ratio, and the processor time of
 * the server per request, which a busy machine changes less. Options: --rounds 3 --seconds 4.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { signedAddress } from '../test/support/image-addresses.ts';
import { prepareInput } from './inputs.ts';
import { describeMachine, describeRevision } from './machine.ts';
import { processorSeconds } from './process-time.ts';
import { startServer } from './server.ts';
import { median } from './statistics.ts';

const CONNECTIONS = 64;
const CLIENTS = 1000;
const OPTIONS = 'w:320,f:webp';
const PLAIN_SERVER = new URL('./plain-file-server.ts', import.meta.url);

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, seconds: { type: 'string', default: '4' } },
});

interface Target {
  pid: number;
  client: Pool;
  /** Path and body of the next request. */
  next(): { path: string; body?: Uint8Array };
  headers?: Record<string, string>;
}

interface Round {
  perSecond: number;
  processorMs: number;
}

const folder = await mkdtemp(join(tmpdir(), 'imagecrew-bench-'));
const input = await prepareInput('photo-1mp');
await copyFile(input.path, join(folder, 'photo.jpg'));
const server = await startServer({ IC_SOURCES: `photos=${folder}` });
const { id } = (await usage()).key;
const service = new Pool(server.address, { connections: CONNECTIONS });

async function usage(): Promise<{ key: { id: string }; by_operation: { operation: string; requests: number }[] }> {
  const headers = { authorization: `Bearer ${server.key}` };
  return (await (await fetch(`${server.address}/api/v1/usage`, { headers })).json()) as never;
}

const pathOf = (options: string): string =>
  signedAddress({ id, text: server.key }, `/${options}/store:photos/photo.jpg`);

async function measure(target: Target): Promise<Round> {
  const { pid, client, next, headers = {} } = target;
  const before = 1000 * processorSeconds(pid);
  const startedAt = performance.now();
  const until = startedAt + Number(values.seconds) * 1000;
  let done = 0;
  const work = async () => {
    while (performance.now() < until) {
      const { path, body } = next();
      const response = await client.request({ method: body ? 'POST' : 'GET', path, headers, body: body ?? null });
      if (response.statusCode !== 200) throw new Error(`Expected 200 but received ${response.statusCode}.`);
      await response.body.dump();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  const seconds = (performance.now() - startedAt) / 1000;
  return { perSecond: done / seconds, processorMs: (1000 * processorSeconds(pid) - before) / done };
}

async function compare(name: string, ours: Target, theirs: Target): Promise<void> {
  const rounds = { ours: [] as Round[], theirs: [] as Round[] };
  // V8 compiles what runs often.
  for (const target of [ours, theirs]) await measure(target);
  for (let round = 0; round < Number(values.rounds); round += 1)
    for (const who of round % 2 === 0 ? (['ours', 'theirs'] as const) : (['theirs', 'ours'] as const))
      rounds[who].push(await measure(who === 'ours' ? ours : theirs));
  const of = (who: 'ours' | 'theirs', fact: keyof Round) => median(rounds[who].map((round) => round[fact]));
  console.log(
    `${name}: ${of('ours', 'perSecond').toFixed(1)} images/s, the other ${of('theirs', 'perSecond').toFixed(1)}, ratio ${(of('ours', 'perSecond') / of('theirs', 'perSecond')).toFixed(2)}; processor time ${of('ours', 'processorMs').toFixed(3)} and ${of('theirs', 'processorMs').toFixed(3)} ms, ratio ${(of('theirs', 'processorMs') / of('ours', 'processorMs')).toFixed(2)}`,
  );
}

console.log(JSON.stringify({ ...describeRevision(), ...describeMachine() }));
const made = await fetch(server.address + pathOf(OPTIONS));
await writeFile(join(folder, 'made.webp'), Buffer.from(await made.arrayBuffer()));
const plain = spawn(process.execPath, ['--import', 'tsx', PLAIN_SERVER.pathname, folder], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [line] = (await once(plain.stdout, 'data')) as [Buffer];
const files = new Pool(String(line).trim(), { connections: CONNECTIONS });
const hit = pathOf(OPTIONS);
await compare(
  'hits beside a file server',
  { pid: server.pid, client: service, next: () => ({ path: hit }) },
  { pid: plain.pid!, client: files, next: () => ({ path: '/made.webp' }) },
);

const photo = await readFile(input.path);
let number = 0;
await compare(
  'misses beside POST /compress',
  { pid: server.pid, client: service, next: () => ({ path: pathOf(`${OPTIONS},tag:n${number++}`) }) },
  {
    ...{ pid: server.pid, client: service },
    next: () => ({ path: '/api/v1/compress?width=320&format=webp', body: photo }),
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/octet-stream' },
  },
);

const requestsOf = async () => (await usage()).by_operation.find(({ operation }) => operation === 'compress')!.requests;
const before = await requestsOf();
const crowd = new Pool(server.address, { connections: CLIENTS });
const one = pathOf('w:333,f:webp');
await Promise.all(
  Array.from({ length: CLIENTS }, async () => (await crowd.request({ method: 'GET', path: one })).body.dump()),
);
console.log(`${CLIENTS} clients ask for one new image: ${(await requestsOf()) - before} computation`);

for (const client of [service, files, crowd]) await client.close();
plain.kill();
await server.close();
await rm(folder, { recursive: true });
