/**
 * `npm run bench:operations`: favicon packs, animations and ID photos, compared with the equivalent use of sharp,
 * ImageMagick or gifsicle. Sends single requests, in a fresh process for each contender and round, in alternating
 * order. The programs are started once per request, as they are used in practice; the start time is reported.
 */
import { parseArgs } from 'node:util';
import { runInFreshProcess } from './fresh-process.ts';
import { describeMachine, describeRevision } from './machine.ts';
import type { OperationRun } from './operation-contender.ts';
import { CONTENDERS, OPERATIONS } from './operation-peers.ts';
import { median, spread } from './statistics.ts';

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, requests: { type: 'string', default: '15' } },
});
const rounds = Number(options.rounds);
const requests = Number(options.requests);
const PATIENCE_MS = 600_000;
const CHILD = new URL('./operation-contender.ts', import.meta.url);

console.log(JSON.stringify({ ...describeRevision(), ...describeMachine() }));
for (const { name, title } of OPERATIONS) {
  const runs = new Map<string, OperationRun[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of round % 2 === 0 ? CONTENDERS : CONTENDERS.toReversed()) {
      const reply = await runInFreshProcess<OperationRun | null>(
        CHILD,
        { operation: name, contender, requests },
        { patienceMs: PATIENCE_MS },
      );
      if ('error' in reply) throw new Error(`${name}, ${contender}: ${reply.error}`);
      if (reply.value) runs.set(contender, [...(runs.get(contender) ?? []), reply.value]);
    }
  }
  const own = median((runs.get('imagecrew') ?? []).map(({ times }) => median(times)));
  console.log(`\n${title}\n`);
  console.log('| contender | median ms | spread % | times ours | bytes |\n| --- | ---: | ---: | ---: | ---: |');
  for (const contender of CONTENDERS) {
    const done = runs.get(contender);
    if (!done) continue;
    const medians = done.map(({ times }) => median(times));
    const ms = median(medians);
    const row = [contender, ms.toFixed(1), (spread(medians) * 100).toFixed(0), (ms / own).toFixed(2), done[0]?.bytes];
    console.log(`| ${row.join(' | ')} |`);
  }
}
