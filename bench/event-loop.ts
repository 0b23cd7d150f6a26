/**
 * `npm run bench:event-loop`: measures how long one request can block all others. Sends the largest requests that the
 * service accepts, then 2,000 JSON bodies of up to 5 MB that are hard to parse, to every endpoint that takes JSON, one
 * after the other. After each it reads the longest block of the service's event loop so far, and prints each request
 * that increased it. Exits with 1 if a block exceeded 50 ms or a response is not documented.
 * Measure on an otherwise idle machine. Options: --bodies 2000 --seed 1 --limit-ms 50.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constants, loadavg, setPriority } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Agent, request } from 'undici';
import { SAMPLE_MS } from '../server/event-loop.ts';
import { type FuzzedBody, fuzzedBody, jsonEndpoints } from '../test/support/fuzzed-json.ts';
import { Random } from '../test/support/random.ts';
import { type LargestRequest, largestRequests } from './largest-requests.ts';
import { startServer } from './server.ts';

const { values } = parseArgs({
  options: {
    bodies: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    'limit-ms': { type: 'string', default: '50' },
  },
});
const limitMs = Number(values['limit-ms']);
const ADMIN_TOKEN = 'bench-of-the-event-loop-0123456789';

/**
 * Host of the URLs in lists and jobs. It has no pages and no images; the service fetches from it as from any other
 * host.
 */
const SITE_HOST = '127.0.0.2';
const site = createServer((_, response) => response.writeHead(404).end());
await once(site.listen(0, SITE_HOST), 'listening');
const siteAddress = `http://${SITE_HOST}:${(site.address() as AddressInfo).port}`;

const server = await startServer({
  IC_WORKERS: '1',
  IC_ADMIN_TOKEN: ADMIN_TOKEN,
  IC_ALLOW_PRIVATE_ADDRESSES: `${SITE_HOST}/32`,
});
// Real clients run on other machines, so this process must not take processor time from the service.
setPriority(constants.priority.PRIORITY_LOW);
const key = server.addAccount('fuzz', 'ai,sites,admin');
const dispatcher = new Agent({ connections: 1 });
const random = new Random(Number(values.seed));
const endpoints = jsonEndpoints();

async function metric(name: string): Promise<number> {
  const { body } = await request(`${server.address}/metrics`, { dispatcher });
  const text = await body.text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  if (line === undefined) throw new Error(`Expected the metric ${name} but received none.`);
  return Number(line.slice(name.length + 1)) * 1000;
}

/** The reported value may be up to SAMPLE_MS too low, so SAMPLE_MS is added. */
const longestHold = async () => (await metric('ic_event_loop_delay_max_seconds')) + SAMPLE_MS;

/** Sends a body to its endpoint. The path has the id of the scan for scans, otherwise an id that does not exist. */
async function send({ endpoint, bytes }: FuzzedBody, ids: Readonly<Record<string, string>>): Promise<number> {
  const path = endpoint.path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => (endpoint.path.includes('/sites/') ? ids[name] : undefined) ?? '1',
  );
  const { statusCode, body } = await request(server.address + path, {
    method: endpoint.method as 'POST',
    headers: {
      authorization: `Bearer ${endpoint.access === 'admin' ? ADMIN_TOKEN : key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: bytes,
    dispatcher,
  });
  await body.dump();
  return statusCode;
}

const authorization = `Bearer ${key}`;

async function createScan(): Promise<string> {
  const { statusCode, body } = await request(`${server.address}/api/v1/sites/scans`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://example.com', review: true }),
    dispatcher,
  });
  const answer = (await body.json()) as { id: string };
  if (statusCode !== 201) throw new Error(`Expected a scan but received ${JSON.stringify(answer)}.`);
  return answer.id;
}

/** Sends one request and resolves when the service has also finished the work that it started. */
async function sendLargest({ path, contentType, status, body: bytes }: LargestRequest): Promise<string | undefined> {
  const { statusCode, body } = await request(server.address + path, {
    method: 'POST',
    headers: { authorization, 'content-type': contentType, accept: 'application/json, text/event-stream' },
    body: bytes,
    dispatcher,
  });
  const answer = (await body.json()) as { id?: unknown };
  if (statusCode !== status) return `${statusCode} and ${JSON.stringify(answer).slice(0, 200)}`;
  if (statusCode === 201 || statusCode === 202) await ended(`${path}/${answer.id}`);
  return undefined;
}

/** States of unfinished scans and jobs. */
const AT_WORK: ReadonlySet<string> = new Set([
  'queued',
  'running',
  'discovering',
  'scanning',
  'optimizing',
  'packaging',
]);
const POLL_MS = 100;

async function ended(path: string): Promise<void> {
  for (; ; await setTimeout(POLL_MS)) {
    const { body } = await request(server.address + path, { headers: { authorization }, dispatcher });
    const { status } = (await body.json()) as { status: string };
    if (!AT_WORK.has(status)) return;
  }
}

const statuses = new Map<number, number>();
const wrong: string[] = [];
try {
  const ids = { id: await createScan() };
  let longest = await longestHold();
  let cause = 'the start, before the first body';
  console.log(`${longest.toFixed(1)} ms: ${cause}`);
  for (const largest of largestRequests(siteAddress)) {
    const unexpected = await sendLargest(largest);
    if (unexpected) wrong.push(`${largest.description}: ${unexpected}`);
    const hold = await longestHold();
    if (hold <= longest) continue;
    [longest, cause] = [hold, largest.description];
    console.log(`${hold.toFixed(1)} ms: ${cause}`);
  }
  for (let sent = 0; sent < Number(values.bodies); sent += 1) {
    const body = fuzzedBody(endpoints, random);
    const status = await send(body, ids).catch((error: Error) => {
      wrong.push(`${body.description}: ${error.message}`);
      return 0;
    });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 500) wrong.push(`${body.description}: 500`);
    const hold = await longestHold();
    if (hold <= longest) continue;
    [longest, cause] = [hold, body.description];
    console.log(`${hold.toFixed(1)} ms: body ${sent}, ${cause}, answered ${status}`);
  }
  const p99 = await metric('ic_event_loop_delay_seconds{quantile="0.99"}');
  console.log(`Longest hold: at most ${longest.toFixed(1)} ms, by ${cause}. p99 of all samples: ${p99.toFixed(1)} ms.`);
  console.log(
    `Answers: ${[...statuses].map(([status, count]) => `${count} of ${status}`).join(', ')}. Load: ${loadavg()[0]!.toFixed(2)}.`,
  );
  for (const one of wrong) console.log(`WRONG ${one}`);
  if (longest > limitMs || wrong.length > 0) process.exitCode = 1;
} finally {
  await dispatcher.close();
  await server.close();
  site.close();
}
