/**
 * `npm run bench:fairness`: how much hostile clients of one account slow down the small requests of another. For every
 * attack and number of clients it prints the median and p95 of a small request alone and during the attack, and the
 * responses to the attackers. Exits with 1 if a p95 is more than three times its value alone. The attack `cut-outs`
 * needs IC_MODELS_DIR: its small request is OCR of a line of text, and its p95 has no limit.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { Agent, request } from 'undici';
import { manyScansJpeg, repeatedScansJpeg } from './bombs/jpeg.ts';
import { startAttack } from './hostile-clients.ts';
import { describeMachine, describeRevision } from './machine.ts';
import { startServer } from './server.ts';
import { median, percentile } from './statistics.ts';

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '2' },
    clients: { type: 'string', default: '1,8,64' },
    attack: { type: 'string', multiple: true },
    /** Gives each attacker its own account, instead of one for all. */
    accounts: { type: 'boolean', default: false },
  },
});

const MAX_RATIO = 3;
const WARM_UP = 20;
/** Number of small requests measured, alone and during each attack. */
const MEASURED = 150;
/** Pause between two small requests. */
const PAUSE_MS = 100;
/** A measurement ends after this time. An unfinished request counts with its waiting time so far. */
const MAX_MEASUREMENT_MS = 180_000;
/** Time from the start of an attack to the first measured request. */
const ATTACK_WARM_UP_MS = 3000;

interface Request {
  query: string;
  image: Buffer;
}

interface Attack extends Request {
  /** The concurrent small request; default: a compression. */
  small?: Request;
}

const noise = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: 'grey', noise: { type: 'gaussian', mean: 128, sigma: 40 } },
  });

const ATTACKS: Readonly<Record<string, () => Promise<Attack>>> = {
  /** Refused because of its markers: 5,000 scans. */
  scans: async () => ({ query: 'compress', image: manyScansJpeg(5000, 2800, 2800) }),
  /** The same attack in sequential coding. */
  'repeated-scans': async () => ({ query: 'compress', image: repeatedScansJpeg(5000, 2800, 2800) }),
  /** The maximum number of scans that are still decoded. */
  'allowed-scans': async () => ({ query: 'compress', image: manyScansJpeg(100, 16_000, 16_000) }),
  /** Ordinary files whose encoding takes about as long as an operation may. */
  slow: async () => ({
    query: 'compress?format=webp&mode=smart',
    image: await noise(6000, 4000).jpeg({ quality: 30 }).toBuffer(),
  }),
  /** Encoding runs out of memory, which ends the worker. */
  'ended-workers': async () => ({
    query: 'compress?format=avif&mode=lossless',
    image: await noise(6000, 4000).jpeg({ quality: 30 }).toBuffer(),
  }),
  gif: async () => ({ query: 'gif', image: await noise(4000, 3000).jpeg({ quality: 30 }).toBuffer() }),
  ...(process.env.IC_MODELS_DIR
    ? {
        'cut-outs': async () => ({
          query: 'remove-background',
          image: await noise(4000, 3000).jpeg({ quality: 30 }).toBuffer(),
          small: { query: 'ocr', image: await lineOfText() },
        }),
      }
    : {}),
};

async function lineOfText(): Promise<Buffer> {
  const blank = await sharp({ create: { width: 640, height: 120, channels: 3, background: 'white' } })
    .png()
    .toBuffer();
  const query =
    'compress?watermark_text=Fair%20turns%20for%20everybody&watermark_color=%23000000&watermark_opacity=100&watermark_size=90&watermark_position=c';
  return (await post(server.key, query, blank)).body;
}

const server = await startServer({ IC_WORKERS: values.workers });
const dispatcher = new Agent({ connections: 128, headersTimeout: 600_000, bodyTimeout: 600_000 });

async function post(
  key: string,
  query: string,
  image: Buffer,
  signal?: AbortSignal,
): Promise<{ status: number; body: Buffer }> {
  const { statusCode, body } = await request(`${server.address}/api/v1/${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' },
    body: image,
    dispatcher,
    ...(signal ? { signal } : {}),
  });
  return { status: statusCode, body: Buffer.from(await body.arrayBuffer()) };
}

/** Milliseconds of each small request, one after the other. */
async function measure(key: string, { query, image }: Request): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + MAX_MEASUREMENT_MS;
  while (times.length < MEASURED && performance.now() < end) {
    const started = performance.now();
    const { status } = await post(key, query, image, AbortSignal.timeout(Math.ceil(end - started))).catch(() => ({
      status: 'no answer',
    }));
    if (status !== 200) console.log(`# a small request got ${status}`);
    times.push(performance.now() - started);
    await pause(PAUSE_MS);
  }
  return times;
}

let failed = false;
try {
  // 7 kB, the size of a website's logo.
  const usual = { query: 'compress', image: await noise(60, 38).png().toBuffer() };
  const victim = server.addAccount('victim');
  console.log(JSON.stringify({ ...describeRevision(), ...describeMachine(), workers: Number(values.workers) }));
  console.log(`small request: ${usual.image.length} bytes`);
  console.log('| attack | clients | alone median ms | alone p95 | beside median | beside p95 | p95 ratio | answers |');
  console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |');
  for (const name of values.attack ?? Object.keys(ATTACKS)) {
    const prepared = await ATTACKS[name]?.();
    if (!prepared) throw new Error(`Expected one of ${Object.keys(ATTACKS).join(', ')} for --attack.`);
    const small = prepared.small ?? usual;
    for (let n = 0; n < WARM_UP; n += 1) await post(victim, small.query, small.image);
    for (const clients of values.clients.split(',').map(Number)) {
      const alone = await measure(victim, small);
      // New accounts each time, because the earlier ones have used up their rate limit.
      const accounts = Array.from({ length: values.accounts ? clients : 1 }, (_, n) =>
        server.addAccount(`${name}-${clients}-${n}`, undefined, 'free'),
      );
      const keys = Array.from({ length: clients }, (_, n) => accounts[n % accounts.length]!);
      const stopAttack = await startAttack({
        address: server.address,
        keys,
        query: prepared.query,
        image: prepared.image,
      });
      await pause(ATTACK_WARM_UP_MS);
      const beside = await measure(victim, small);
      const answers = [...(await stopAttack())].map(([status, count]) => `${status}: ${count}`).join(', ');
      const ratio = percentile(beside, 0.95) / percentile(alone, 0.95);
      failed ||= small === usual && ratio > MAX_RATIO;
      const times = [alone, beside].flatMap((all) => [median(all), percentile(all, 0.95)]).map((ms) => ms.toFixed(1));
      console.log(`| ${[name, clients, ...times, ratio.toFixed(2), answers || 'none'].join(' | ')} |`);
      // Waits until the tasks of the attack are stopped and their workers replaced.
      await pause(5000);
    }
  }
} finally {
  await dispatcher.destroy();
  await server.close();
}
process.exitCode = failed ? 1 : 0;
