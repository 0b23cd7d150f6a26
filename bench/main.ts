/** `npm run bench`: measures Imagecrew and other image libraries. bench/README.md explains how to read the result. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { THREADS } from './contenders/contender.ts';
import { CONTENDERS } from './contenders/index.ts';
import { TMP } from './inputs.ts';
import { describeMachine, describeRevision } from './machine.ts';
import { describe, formatTables, writeReport } from './report.ts';
import type { Report, Settings } from './results.ts';
import { runAll } from './runner.ts';
import { PHOTOGRAPH_KIND } from './source-images.ts';
import { WORKLOADS } from './workloads.ts';

const RESULTS = join(import.meta.dirname, 'results');
const FULL = { rounds: 3, seconds: 6, fewest: 5 };
/** Checks that everything works; its figures are noise. */
const QUICK = { rounds: 1, seconds: 0.1, fewest: 1 };
/** Full load is twice as many requests as cores, so that an idle core always finds a waiting request. */
const REQUESTS_PER_CORE = 2;

const { values: flags } = parseArgs({
  options: {
    workload: { type: 'string', multiple: true },
    contender: { type: 'string', multiple: true },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});

function chosen<T extends { name: string }>(
  all: readonly T[],
  what: string,
  names: string[] | undefined,
): readonly T[] {
  const unknown = names?.find((name) => !all.some((each) => each.name === name));
  if (unknown !== undefined) {
    console.error(`Expected one of ${all.map(({ name }) => name).join(', ')} for --${what} but received ${unknown}.`);
    process.exit(2);
  }
  return names ? all.filter(({ name }) => names.includes(name)) : all;
}

function positive(what: string, text: string | undefined, fallback: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (value > 0) return value;
  console.error(`Expected a positive number for --${what} but received ${text}.`);
  process.exit(2);
}

const defaults = flags.quick ? QUICK : FULL;
const settings: Settings = {
  rounds: positive('rounds', flags.rounds, defaults.rounds),
  seconds: positive('seconds', flags.seconds, defaults.seconds),
  concurrency: REQUESTS_PER_CORE * THREADS,
  fewest: defaults.fewest,
  quick: flags.quick,
};
const workloads = chosen(WORKLOADS, 'workload', flags.workload);
const contenders = chosen(CONTENDERS, 'contender', flags.contender);

// Read before anything runs, so that the load does not include our own.
const machine = describeMachine();
const outcome = await runAll(workloads, contenders, settings, ({ workload, contender, round }, done, all) => {
  console.error(`[${done + 1}/${all}] round ${round + 1}: ${workload.name}, ${contender.name}`);
});
const report: Report = {
  date: new Date().toISOString(),
  revision: describeRevision(),
  machine,
  settings,
  images: PHOTOGRAPH_KIND,
  ...outcome,
};
console.log(`${describe(report)}\n\n${formatTables(report.figures)}`);
// Only a complete run is kept; partial runs go to bench/tmp.
const partial = flags.quick || flags.workload !== undefined || flags.contender !== undefined;
const path = await writeReport(report, partial ? join(TMP, 'results') : RESULTS);
console.error(`\nRaw values and plot: ${path}.{json,md,svg,png}`);
process.exit(report.figures.some(({ absent }) => absent?.startsWith('failed')) ? 1 : 0);
