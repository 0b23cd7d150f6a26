/**
 * `npm run bench:model-lanes`: compares settings of the worker that runs models, each in fresh processes in alternating
 * order. Measures how long one background removal takes alone and with four at once, and how much four at once slow
 * down small ordinary requests. The settings in engine/pools.ts follow from the result. Models are read from
 * IC_MODELS_DIR.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { runInFreshProcess } from './fresh-process.ts';
import { prepareInput } from './inputs.ts';
import { describeMachine, describeRevision } from './machine.ts';
import type { LaneRun, LaneSetting } from './model-lane.ts';
import { median, percentile } from './statistics.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } });
const rounds = Number(values.rounds);
const PATIENCE_MS = 300_000;
const CHILD = new URL('./model-lane.ts', import.meta.url);

const cores = availableParallelism();
const SETTINGS: readonly LaneSetting[] = [
  { workers: 1, threads: 1, niceness: 0 },
  { workers: 1, threads: 1, niceness: 10 },
  { workers: cores, threads: 1, niceness: 0 },
  { workers: cores, threads: 1, niceness: 10 },
  { workers: 1, threads: cores, niceness: 0 },
  { workers: 1, threads: cores, niceness: 5 },
  { workers: 1, threads: cores, niceness: 10 },
  { workers: 1, threads: cores, niceness: 19 },
];

const folder = process.env.IC_MODELS_DIR;
if (!folder) throw new Error('Expected the folder of the installed models in IC_MODELS_DIR.');
const { path } = await prepareInput('photo-1mp');
const runs = new Map<LaneSetting, LaneRun[]>();
for (let round = 0; round < rounds; round += 1) {
  for (const setting of round % 2 === 0 ? SETTINGS : SETTINGS.toReversed()) {
    const reply = await runInFreshProcess<LaneRun>(
      CHILD,
      { ...setting, folder, image: path },
      { patienceMs: PATIENCE_MS },
    );
    if ('error' in reply) throw new Error(`${JSON.stringify(setting)}: ${reply.error}`);
    runs.set(setting, [...(runs.get(setting) ?? []), reply.value]);
  }
}

console.log(JSON.stringify({ ...describeRevision(), ...describeMachine() }));
console.log(
  '| workers | threads | niceness | alone ms | four at once, ms each | small p95 idle ms | beside four ms | ratio |',
);
console.log('| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |');
for (const [{ workers, threads, niceness }, done] of runs) {
  const middle = (value: (run: LaneRun) => number) => median(done.map(value));
  const idle = middle((run) => percentile(run.idle, 0.95));
  const busy = middle((run) => percentile(run.busy, 0.95));
  const figures = [middle((run) => median(run.alone)), middle((run) => run.together), idle, busy].map((ms) =>
    ms.toFixed(0),
  );
  console.log(`| ${[workers, threads, niceness, ...figures, (busy / idle).toFixed(2)].join(' | ')} |`);
}
