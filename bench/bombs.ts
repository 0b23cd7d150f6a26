/**
 * `npm run bench:bombs`: tests the service with small files that take much work or memory. Each file goes through each
 * operation, twice concurrently, while another account sends small requests. Prints the outcome and cost of each. Exits
 * with 1 if the process died, used more memory than allowed, responded with an internal error, or delayed others.
 *
 * Options: --family F, --name PART, --operation O (each may be repeated), --limit-minutes N, --json FILE.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { Agent, request } from 'undici';
import type { Bomb } from './bombs/bomb.ts';
import { BOMBS } from './bombs/index.ts';
import { describeMachine, describeRevision } from './machine.ts';
import { memoryOf, resetPeak } from './process-memory.ts';
import { processorSeconds } from './process-time.ts';
import { type RunningServer, startServer } from './server.ts';
import { percentile } from './statistics.ts';

const MB = 1e6;
const CONCURRENT_REQUESTS = 2;
const MAX_PEAK_BYTES = 1.5 * 2 ** 30;
const MAX_SMALL_P95_MS = 1000;
/** Longer than any time limit of the service. */
const CLIENT_TIMEOUT_MS = 240_000;
const SMALL_PAUSE_MS = 100;
const SMALL_ALONE = 50;
const IDLE_MS = 60_000;

const BOXES = '0,0,64,64;200,200,300,300';
const PIPELINE = JSON.stringify({
  steps: [
    { op: 'crop', params: { crop_ratio: '1:1', crop_gravity: 'attention' } },
    { op: 'resize', params: { width: 640 } },
    { op: 'compress', params: { format: 'webp' } },
  ],
});

interface Operation {
  name: string;
  path: string;
  query?: Readonly<Record<string, string>>;
  /** Whether it needs an installed model. */
  model?: true;
}

const OPERATIONS: readonly Operation[] = [
  { name: 'compress', path: 'compress' },
  { name: 'inspect', path: 'inspect' },
  { name: 'gif', path: 'gif' },
  { name: 'favicon', path: 'favicon' },
  { name: 'pipeline', path: 'pipeline', query: { pipeline: PIPELINE } },
  { name: 'blur-faces', path: 'blur-faces', query: { boxes: BOXES } },
  { name: 'find-faces', path: 'blur-faces', model: true },
];

interface Answer {
  /** 0 if there was no response. */
  status: number;
  code: string;
  seconds: number;
}

interface Row {
  bomb: string;
  family: string;
  operation: string;
  bytes: number;
  answers: string[];
  /** Time of the slower of the two requests. */
  seconds: number;
  /** Processor time of one request, without the concurrent small requests. */
  processorSeconds: number;
  /** Peak memory of the process, with all requests. */
  peakBytes: number;
  residentBytes: number;
}

const { values } = parseArgs({
  options: {
    family: { type: 'string', multiple: true },
    name: { type: 'string', multiple: true },
    operation: { type: 'string', multiple: true },
    'limit-minutes': { type: 'string', default: 'Infinity' },
    json: { type: 'string' },
  },
});
if (process.platform !== 'linux') throw new Error('Expected Linux, whose /proc tells the memory of a process.');

const hasModels = process.env.IC_MODELS_DIR !== undefined && existsSync(process.env.IC_MODELS_DIR);
const bombs = BOMBS.filter(
  ({ family, name }) =>
    (values.family?.includes(family) ?? true) && (values.name?.some((part) => name.includes(part)) ?? true),
);
const operations = OPERATIONS.filter(
  ({ name, model }) => (values.operation?.includes(name) ?? true) && (hasModels || !model),
);
const startedAt = performance.now();
const minutes = () => (performance.now() - startedAt) / 60_000;
const dispatcher = new Agent({
  connections: CONCURRENT_REQUESTS + 1,
  headersTimeout: CLIENT_TIMEOUT_MS,
  bodyTimeout: CLIENT_TIMEOUT_MS,
});

async function send(
  { address }: RunningServer,
  key: string,
  { path, query }: Operation,
  image: Uint8Array,
  filename?: string,
): Promise<Answer> {
  const url = new URL(`/api/v1/${path}`, address);
  if (path !== 'pipeline') for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
  const form = new FormData();
  form.set('image', new File([image as Uint8Array<ArrayBuffer>], filename ?? 'image'));
  if (path === 'pipeline') for (const [name, value] of Object.entries(query ?? {})) form.set(name, value);
  const sentAt = performance.now();
  const seconds = () => (performance.now() - sentAt) / 1000;
  try {
    // Encodes the form here, because FormData of undici and of Node are different classes.
    const { type, body } = await encodeForm(form);
    const answer = await request(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': type },
      body,
      dispatcher,
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    const { statusCode: status } = answer;
    const code = status < 400 ? '' : (JSON.parse(bytes.toString()) as { error: { code: string } }).error.code;
    return { status, code, seconds: seconds() };
  } catch (error) {
    const { code = 'no answer' } = error as { code?: string };
    return { status: 0, code, seconds: seconds() };
  }
}

async function encodeForm(form: FormData): Promise<{ type: string; body: Buffer }> {
  const encoded = new Response(form);
  return { type: encoded.headers.get('content-type')!, body: Buffer.from(await encoded.arrayBuffer()) };
}

/** An image of about 7 kB. */
const small = await sharp({
  create: { width: 48, height: 48, channels: 3, background: 'teal', noise: { type: 'gaussian', mean: 128, sigma: 30 } },
})
  .png()
  .toBuffer();
const COMPRESS = OPERATIONS[0]!;

let server: RunningServer;
let attackerKey: string;
let otherKey: string;
let smallProcessorSeconds = 0;
const smallMs: number[] = [];
let smallFailures = 0;
let crashes = 0;
const restarts = new Map<string, number>();

async function start(): Promise<void> {
  server = await startServer({ IC_WORKERS: String(CONCURRENT_REQUESTS), IC_LOG_LEVEL: 'error' });
  attackerKey = server.addAccount('bomber', 'ai');
  otherKey = server.key;
}

const isAlive = (): boolean => existsSync(`/proc/${server.pid}/status`);

/** Reads the restart counters of the service; they begin at 0 in each process. */
async function readRestarts(): Promise<void> {
  if (!isAlive()) return;
  const { body } = await request(`${server.address}/metrics`, { dispatcher });
  for (const [, reason, count] of (await body.text()).matchAll(/^ic_worker_restarts_total\{reason="(\w+)"\} (\d+)/gm)) {
    restarts.set(`${reason} of process ${crashes + 1}`, Number(count));
  }
}

async function restartService(): Promise<void> {
  crashes++;
  await server.close();
  await start();
}

/** Sends small requests of the other account, one after the other, until stopped. */
function sendSmallRequests(): { sent(): number; stop(): Promise<void> } {
  let stopped = false;
  let sent = 0;
  const running = (async () => {
    while (!stopped) {
      const { status, seconds } = await send(server, otherKey, COMPRESS, small);
      sent++;
      smallMs.push(seconds * 1000);
      if (status !== 200 && isAlive()) smallFailures++;
      await pause(SMALL_PAUSE_MS);
    }
  })();
  return {
    sent: () => sent,
    stop: async () => {
      stopped = true;
      await running;
    },
  };
}

async function measure({ name, family, filename }: Bomb, bytes: Uint8Array, operation: Operation): Promise<Row> {
  resetPeak(server.pid);
  const before = processorSeconds(server.pid);
  const beside = sendSmallRequests();
  const answers = await Promise.all(
    Array.from({ length: CONCURRENT_REQUESTS }, () => send(server, attackerKey, operation, bytes, filename)),
  );
  const cost = isAlive() ? processorSeconds(server.pid) - before - beside.sent() * smallProcessorSeconds : Number.NaN;
  const memory = isAlive() ? memoryOf(server.pid) : undefined;
  await beside.stop();
  return {
    bomb: name,
    family,
    operation: operation.name,
    bytes: bytes.length,
    answers: answers.map(({ status, code }) => `${status} ${code}`.trim()),
    seconds: Math.max(...answers.map(({ seconds }) => seconds)),
    processorSeconds: Math.max(0, cost / CONCURRENT_REQUESTS),
    peakBytes: memory?.peak ?? Number.NaN,
    residentBytes: memory?.resident ?? Number.NaN,
  };
}

function print({
  bomb,
  operation,
  bytes,
  answers,
  seconds,
  processorSeconds: cost,
  peakBytes,
  residentBytes,
}: Row): void {
  const figures = [
    `${(bytes / 1000).toFixed(1)} kB`,
    `${seconds.toFixed(1)} s`,
    `${cost.toFixed(2)} s cpu`,
    `${Math.round(peakBytes / MB)} MB peak`,
    `${Math.round(residentBytes / MB)} MB after`,
  ];
  console.log(`${bomb} | ${operation} | ${[...new Set(answers)].join(', ')} | ${figures.join(' | ')}`);
}

const wrong: string[] = [];
function report(what: string, got: unknown, isRight: boolean): void {
  console.log(`${isRight ? 'ok   ' : 'WRONG'} ${what}: ${String(got)}`);
  if (!isRight) wrong.push(what);
}

const rows: Row[] = [];
let unsent = 0;
await start();
try {
  console.log(JSON.stringify({ ...describeRevision(), ...describeMachine() }));
  for (let index = 0; index < 5; index++) await send(server!, otherKey!, COMPRESS, small);
  const processorBefore = processorSeconds(server!.pid);
  const alone: number[] = [];
  for (let index = 0; index < SMALL_ALONE; index++) {
    alone.push((await send(server!, otherKey!, COMPRESS, small)).seconds * 1000);
  }
  smallProcessorSeconds = (processorSeconds(server!.pid) - processorBefore) / SMALL_ALONE;

  for (const bomb of bombs) {
    if (minutes() > Number(values['limit-minutes'])) {
      unsent++;
      continue;
    }
    const bytes = await bomb.make();
    for (const operation of operations) {
      const row = await measure(bomb, bytes, operation);
      rows.push(row);
      print(row);
      if (!isAlive()) await restartService();
    }
  }

  await readRestarts();
  console.log('waits a minute');
  await pause(IDLE_MS);
  const left = Math.round((memoryOf(server!.pid)?.resident ?? 0) / MB);
  const peak = Math.max(...rows.map(({ peakBytes }) => peakBytes || 0));
  const failed = (isWrong: (status: number) => boolean) =>
    rows.filter(({ answers }) => answers.some((answer) => isWrong(Number.parseInt(answer, 10))));
  const naming = (some: readonly Row[]) =>
    some.map(({ bomb, operation }) => `${bomb} (${operation})`).join('; ') || 'none';
  console.log(`${bombs.length - unsent} bombs, ${operations.length} operations, ${minutes().toFixed(1)} minutes`);
  console.log(`small request: alone p95 ${percentile(alone, 0.95).toFixed(0)} ms, ${smallMs.length} beside the bombs`);
  console.log(`workers replaced: ${[...restarts].map(([reason, count]) => `${count} ${reason}`).join(', ') || 'none'}`);
  console.log(`memory a minute after: ${left} MB`);
  console.log(`answers 503 and 504: ${naming(failed((status) => status === 503 || status === 504))}`);
  report('bombs that were not sent', unsent, unsent === 0);
  report('deaths of the process', crashes, crashes === 0);
  report('peak of the process', `${Math.round(peak / MB)} MB`, peak < MAX_PEAK_BYTES);
  report('answers 500', naming(failed((status) => status === 500)), failed((status) => status === 500).length === 0);
  report('without an answer', naming(failed((status) => status === 0)), failed((status) => status === 0).length === 0);
  const p95 = percentile(smallMs, 0.95);
  report('p95 of the small request beside', `${p95.toFixed(0)} ms`, p95 < MAX_SMALL_P95_MS);
  report('small requests that failed', smallFailures, smallFailures === 0);
  if (values.json) {
    const head = {
      ...describeRevision(),
      ...describeMachine(),
      crashes,
      peakBytes: peak,
      smallP95Ms: p95,
      leftMb: left,
    };
    await writeFile(
      values.json,
      `${JSON.stringify({ ...head, restarts: Object.fromEntries(restarts), rows }, null, 1)}\n`,
    );
  }
} finally {
  await dispatcher.destroy();
  await server!.close();
}
process.exitCode = wrong.length === 0 ? 0 : 1;
