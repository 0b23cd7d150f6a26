/**
 * `npm run bench:jobs`: a thousand images as jobs of a hundred, with two workers, compared with the same images through
 * the engine in process; and how much the jobs slow down small interactive requests. The order is reversed each round.
 * The images come from a server in this process, on the same cores. Options: --rounds 3 --images 1000 --requests 100.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { runInFreshProcess } from './fresh-process.ts';
import { prepareInput } from './inputs.ts';
import { describeMachine, describeRevision } from './machine.ts';
import { alignTable } from './report.ts';
import { type RunningServer, startServer } from './server.ts';
import { median, percentile } from './statistics.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    images: { type: 'string', default: '1000' },
    requests: { type: 'string', default: '100' },
  },
});
const rounds = Number(values.rounds);
const images = Number(values.images);
const requests = Number(values.requests);

const WORKERS = 2;
const IMAGES_PER_JOB = 100;
const WARM_UP = 20;
const PATIENCE_MS = 600_000;
const PIPELINE = {
  steps: [
    { op: 'resize', params: { width: 640 } },
    { op: 'compress', params: { format: 'jpeg' } },
  ],
};

const { path } = await prepareInput('photo-1mp');
const image = await readFile(path);

/** Jobs whose webhook has arrived, and the callback of the function that waits for it. */
const ended = new Set<string>();
let onWebhook = () => {};
const imageAndWebhookServer = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(image);
    return;
  }
  void json(request).then((body) => {
    const { id, progress } = (body as { data: { id: string; progress: { done: number; total: number } } }).data;
    if (progress.done !== progress.total)
      throw new Error(`Expected all images of ${id} but received ${progress.done}.`);
    ended.add(id);
    response.end();
    onWebhook();
  });
});
await new Promise<void>((resolve) => imageAndWebhookServer.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(imageAndWebhookServer.address() as AddressInfo).port}`;

const start = () =>
  startServer({
    IC_WORKERS: String(WORKERS),
    IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
    IC_ALLOW_HTTP_WEBHOOKS: 'true',
    IC_STORAGE_BYTES: String(2 ** 36),
  });

async function post(server: RunningServer, client: Pool, path: string, body: string | Buffer, type: string) {
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': type };
  const { statusCode, body: answer } = await client.request({ method: 'POST', path, headers, body });
  const received = Buffer.from(await answer.arrayBuffer());
  if (statusCode >= 300) throw new Error(`Expected an answer but received ${statusCode}: ${received}`);
  return received;
}

/** Sends jobs and resolves when all have ended. */
async function runJobs(server: RunningServer, client: Pool, count: number): Promise<void> {
  const ids: string[] = [];
  for (let left = count; left > 0; left -= IMAGES_PER_JOB) {
    const inputs = Array.from({ length: Math.min(left, IMAGES_PER_JOB) }, (_, n) => ({ url: `${origin}/${n}.jpg` }));
    const job = JSON.stringify({ inputs, pipeline: PIPELINE, webhook_url: `${origin}/hook` });
    ids.push(
      (JSON.parse((await post(server, client, '/api/v1/jobs', job, 'application/json')).toString()) as { id: string })
        .id,
    );
  }
  while (!ids.every((id) => ended.has(id)))
    await new Promise<void>((resolve) => {
      onWebhook = resolve;
    });
}

/** Sends small requests one after the other; returns the milliseconds of each. */
async function measureSmallRequests(
  server: RunningServer,
  client: Pool,
  more: (done: number) => boolean,
): Promise<number[]> {
  const times: number[] = [];
  while (more(times.length)) {
    const startedAt = performance.now();
    await post(server, client, '/api/v1/compress?width=320', image, 'application/octet-stream');
    times.push(performance.now() - startedAt);
  }
  return times;
}

interface JobsRun {
  imagesPerSecond: number;
  idle: number[];
  busy: number[];
}

async function measureService(): Promise<JobsRun> {
  const server = await start();
  const client = new Pool(server.address, { connections: 2, headersTimeout: 120_000 });
  try {
    await measureSmallRequests(server, client, (done) => done < WARM_UP);
    const idle = await measureSmallRequests(server, client, (done) => done < requests);
    await runJobs(server, client, WARM_UP);
    const startedAt = performance.now();
    await runJobs(server, client, images);
    const seconds = (performance.now() - startedAt) / 1000;
    let running = true;
    const jobs = runJobs(server, client, images).finally(() => {
      running = false;
    });
    const busy = await measureSmallRequests(server, client, () => running);
    await jobs;
    return { imagesPerSecond: images / seconds, idle, busy };
  } finally {
    await client.close();
    await server.close();
  }
}

async function measureEngine(): Promise<number> {
  const order = { image: path, images, workers: WORKERS, pipeline: PIPELINE };
  const reply = await runInFreshProcess<number>(new URL('./job-engine.ts', import.meta.url), order, {
    patienceMs: PATIENCE_MS,
  });
  if ('error' in reply) throw new Error(reply.error);
  return reply.value;
}

const engine: number[] = [];
const service: JobsRun[] = [];
for (let round = 0; round < rounds; round += 1) {
  const steps = [async () => engine.push(await measureEngine()), async () => service.push(await measureService())];
  for (const step of round % 2 === 0 ? steps : steps.toReversed()) await step();
}
imageAndWebhookServer.close();

const p95 = (pick: (run: JobsRun) => number[]) => median(service.map((run) => percentile(pick(run), 0.95)));
const [inProcess, asJobs] = [median(engine), median(service.map(({ imagesPerSecond }) => imagesPerSecond))];
const [idle, busy] = [p95((run) => run.idle), p95((run) => run.busy)];
console.log(JSON.stringify({ ...describeRevision(), ...describeMachine(), images, rounds, engine, service }));
console.log(
  alignTable([
    ['', 'alone', 'as jobs', 'ratio'],
    ['images/s', inProcess.toFixed(1), asJobs.toFixed(1), (asJobs / inProcess).toFixed(2)],
    ['small request, p95 ms', idle.toFixed(0), busy.toFixed(0), (busy / idle).toFixed(2)],
  ]),
);
