/**
 * `npm run bench:pipelines`: the cost of running a request as a pipeline. Runs the same resize and encoding as compress
 * and as a pipeline of two steps, through the pool with one worker in this process, in alternating order.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { compressParams } from '../engine/operations/compress/params.ts';
import type { Step } from '../engine/pipeline/record.ts';
import { createPool } from '../engine/pool.ts';
import { STEP_PARAMS } from '../engine/steps/registry.ts';
import { prepareInput } from './inputs.ts';
import { describeMachine, describeRevision } from './machine.ts';
import { median } from './statistics.ts';

const { values: options } = parseArgs({ options: { requests: { type: 'string', default: '20' } } });
const requests = Number(options.requests);
const WIDTH = 1024;

const steps: Step[] = [
  { op: 'resize', params: STEP_PARAMS.resize.parse({ width: WIDTH }) },
  { op: 'compress', params: STEP_PARAMS.compress.parse({}) },
];
const params = { ...compressParams.parse({ width: WIDTH }), page: 1 };

const engine = await createPool({ workers: 1 });
await engine.ready();
console.log(JSON.stringify({ ...describeRevision(), ...describeMachine() }));
console.log('\n| image | compress ms | pipeline ms | ratio |\n| --- | ---: | ---: | ---: |');
for (const name of ['photo-1mp', 'photo-6mp', 'photo-24mp'] as const) {
  const source = await readFile((await prepareInput(name)).path);
  const image = () => ({ data: new Uint8Array(source).buffer });
  const runs = {
    compress: () => engine.run('compress', { image: image(), params }),
    pipeline: () => engine.run('pipeline', { image: image(), params: { steps, maxPixels: 0 } }),
  };
  const times = { compress: [] as number[], pipeline: [] as number[] };
  // The first request of each kind warms up the compiler.
  for (let request = -1; request < requests; request += 1) {
    const order = ['compress', 'pipeline'] as const;
    for (const kind of request % 2 === 0 ? order : order.toReversed()) {
      const started = performance.now();
      await runs[kind]();
      if (request >= 0) times[kind].push(performance.now() - started);
    }
  }
  const [own, piped] = [median(times.compress), median(times.pipeline)];
  console.log(`| ${name} | ${own.toFixed(1)} | ${piped.toFixed(1)} | ${(piped / own).toFixed(3)} |`);
}
await engine.close();
