/**
 * `npm run bench:accounting`: the cost of accounting for an image request. Compares the service with its ledger and
 * rate limits to the service with stand-ins that do nothing, in fresh processes in alternating order. An image of 64
 * pixels is the worst case, because there is little work besides the accounting.
 */
import { join } from 'node:path';
import sharp from 'sharp';
import { runInFreshProcess } from './fresh-process.ts';
import { prepareInput, TMP } from './inputs.ts';
import { describeMachine, describeRevision } from './machine.ts';
import { median, percentile, spread } from './statistics.ts';

const ROUNDS = 5;
const PATIENCE_MS = 300_000;
const CHILD = new URL('./accounting-service.ts', import.meta.url);

const TINY = join(TMP, 'tiny.png');
const photograph = await prepareInput('photo-1mp');
await sharp({ create: { width: 64, height: 64, channels: 3, background: '#808080' } })
  .png()
  .toFile(TINY);

const sources = [
  { name: '64 px PNG', requests: 1500, image: TINY },
  { name: '1 MP JPEG', requests: 100, image: photograph.path },
];

console.log(JSON.stringify({ ...describeRevision(), ...describeMachine() }));
for (const { name, requests, image } of sources) {
  const runs = { counted: [] as number[][], free: [] as number[][] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = ['counted', 'free'] as const;
    for (const kind of round % 2 === 0 ? order : order.toReversed()) {
      const reply = await runInFreshProcess<number[]>(CHILD, { kind, requests, image }, { patienceMs: PATIENCE_MS });
      if ('error' in reply) throw new Error(reply.error);
      runs[kind].push(reply.value);
    }
  }
  for (const [kind, rounds] of Object.entries(runs)) {
    const medians = rounds.map(median);
    const p95 = median(rounds.map((times) => percentile(times, 0.95)));
    console.log(
      `${name}, ${kind}: median ${median(medians).toFixed(3)} ms (spread ${(spread(medians) * 100).toFixed(0)} %), p95 ${p95.toFixed(3)} ms`,
    );
  }
}
