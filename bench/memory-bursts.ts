/**
 * `npm run bench:memory-bursts`: resident memory of the service before a burst of work, after it, and while it is idle,
 * each burst with a service of its own; then the time of a small request. Options: --only NAME (repeatable),
 * --after 0,30,60 (seconds), --workers 2. IC_MODELS_DIR names the folder of the models.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { FormData, request } from 'undici';
import { corpus } from '../test/support/corpus.ts';
import { withServer } from '../test/support/http-server.ts';
import { SCAN_ENV, ScanClient } from '../test/support/website/scan.ts';
import { Website } from '../test/support/website/website.ts';
import { type InputName, prepareInput } from './inputs.ts';
import { describeMachine, describeRevision } from './machine.ts';
import { memoryOf } from './process-memory.ts';
import { alignTable } from './report.ts';
import { type RunningServer, startServer } from './server.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    after: { type: 'string', default: '0,30,60' },
    workers: { type: 'string', default: '2' },
  },
});
const secondsAfter = values.after.split(',').map(Number);
const SMALL = 'compress?format=webp&width=320';
const SETTLE_MS = 3000;
const POLL_MS = 200;

const input = async (name: InputName): Promise<Buffer> => readFile((await prepareInput(name)).path);

function realFile(path: string): Buffer {
  const file = corpus(path);
  if (!file) throw new Error(`Expected the file ${path} of the corpus but it is missing.`);
  return Buffer.from(file);
}

async function send({ address, key }: RunningServer, path: string, body?: Buffer | FormData): Promise<Buffer> {
  const { statusCode, body: answer } = await request(`${address}/api/v1/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}` },
    body: body ?? null,
  });
  const received = Buffer.from(await answer.arrayBuffer());
  if (statusCode >= 300) throw new Error(`Expected an answer but received ${statusCode}: ${received}`);
  return received;
}

const sendAtOnce = (count: number, server: RunningServer, path: string, body: Buffer) =>
  Promise.all(Array.from({ length: count }, () => send(server, path, body)));

async function runJob(server: RunningServer, count: number, image: Buffer): Promise<void> {
  const form = new FormData();
  form.set('preset', 'web');
  for (let n = 0; n < count; n += 1)
    form.append(n === 0 ? 'image' : `image_${n}`, new Blob([Uint8Array.from(image)]), `${n}.jpg`);
  const { id } = JSON.parse(String(await send(server, 'jobs', form))) as { id: string };
  for (let status = ''; status !== 'done'; await setTimeout(POLL_MS))
    ({ status } = JSON.parse(String(await send(server, `jobs/${id}`))) as { status: string });
}

const runScan = (server: RunningServer, pages: number, images: number): Promise<void> => {
  let site: Website | undefined;
  return withServer(
    (incoming, response) => site!.serve(incoming, response),
    async ({ origin }) => {
      site = await Website.build(origin, { pages, images });
      const settings = { delay_ms: 0, concurrency: 6 };
      await new ScanClient(server.address, server.key).complete({ url: origin, optimize: 'auto', settings });
    },
  );
};

const BURSTS: Readonly<Record<string, (server: RunningServer) => Promise<unknown>>> = {
  nothing: async () => {},
  'one image of 1 MP': async (server) => send(server, SMALL, await input('photo-1mp')),
  '16 of 6 MP at once': async (server) =>
    sendAtOnce(16, server, 'compress?format=webp&width=1200', await input('photo-6mp')),
  '4 of 24 MP to WebP at once': async (server) =>
    sendAtOnce(4, server, 'compress?format=webp', await input('photo-24mp')),
  '4 of 6 MP to AVIF at once': async (server) =>
    sendAtOnce(4, server, 'compress?format=avif', await input('photo-6mp')),
  'remove background': (server) => send(server, 'remove-background', realFile('subject/rembg--animal-1.jpg')),
  ocr: (server) => send(server, 'ocr', realFile('text/tesseract.js--bill.png')),
  upscale: (server) => send(server, 'upscale', realFile('subject/rembg--animal-1.jpg')),
  'job of 20 of 6 MP': async (server) => runJob(server, 20, await input('photo-6mp')),
  'scan of 100 pages, 300 images': (server) => runScan(server, 100, 300),
};

async function measure(name: string): Promise<string[]> {
  const server = await startServer({
    IC_WORKERS: values.workers,
    ...SCAN_ENV,
    ...(process.env.IC_MODELS_DIR ? { IC_MODELS_DIR: process.env.IC_MODELS_DIR } : {}),
  });
  const megabytes = () => (memoryOf(server.pid)!.resident / 1e6).toFixed(0);
  try {
    await setTimeout(SETTLE_MS);
    const before = megabytes();
    await BURSTS[name]!(server);
    const endedAt = performance.now();
    const after: string[] = [];
    for (const second of secondsAfter) {
      await setTimeout(Math.max(0, endedAt + second * 1000 - performance.now()));
      after.push(megabytes());
    }
    const peak = (memoryOf(server.pid)!.peak / 1e6).toFixed(0);
    const startedAt = performance.now();
    await send(server, SMALL, await input('photo-1mp'));
    return [name, before, peak, ...after, (performance.now() - startedAt).toFixed(0)];
  } finally {
    await server.close();
  }
}

const names = values.only ?? Object.keys(BURSTS);
const unknown = names.find((name) => !Object.hasOwn(BURSTS, name));
if (unknown !== undefined)
  throw new Error(`Expected one of ${Object.keys(BURSTS).join(', ')} but received ${unknown}.`);
const rows: string[][] = [];
for (const name of names) {
  rows.push(await measure(name));
  console.log(rows.at(-1)!.join(' '));
}
const titles = ['Burst', 'before, MB', 'peak, MB', ...secondsAfter.map((s) => `${s} s, MB`), 'next, ms'];
console.log(alignTable([titles, ...rows]));
console.log(JSON.stringify({ revision: describeRevision(), machine: describeMachine() }));
