/**
 * One process of {@link file://./model-lanes.ts}: an ordinary pool, a model pool with one setting, and load on both.
 */
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { Engine } from '../engine/engine.ts';
import { compressParams } from '../engine/operations/compress/params.ts';
import { sourceParams } from '../engine/operations/parameters.ts';
import { removeBackgroundParams } from '../engine/operations/remove-background/params.ts';
import { createPool } from '../engine/pool.ts';
import { answer } from './fresh-process.ts';

export interface LaneSetting {
  workers: number;
  threads: number;
  niceness: number;
}

/** Times in milliseconds. */
export interface LaneRun {
  /** Background removals one after the other. */
  alone: number[];
  /** Time of each of four concurrent background removals. */
  together: number;
  /** Small ordinary requests one after the other, on an otherwise idle machine, and during four background removals. */
  idle: number[];
  busy: number[];
}

interface Order extends LaneSetting {
  folder: string;
  /** Path of the image whose background is removed. */
  image: string;
}

const CONCURRENT_REQUESTS = 4;
const SINGLE_REQUESTS = 4;
const SMALL_REQUESTS = 100;
const SMALL_WIDTH = 320;
const WARM_UP = 10;

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

await answer<Order, LaneRun>(async ({ workers, threads, niceness, folder, image }) => {
  const ordinary = await createPool({ workers: availableParallelism() });
  const models = await createPool({ workers, niceness, models: { folder, threads }, timeoutMs: 120_000 });
  await Promise.all([ordinary.ready(), models.ready()]);
  const source = await readFile(image);
  const file = () => ({ data: new Uint8Array(source).buffer });
  const cutOut = () => {
    const params = removeBackgroundParams.extend(sourceParams.shape).parse({});
    return models.run('remove-background', { image: file(), params });
  };
  const small = (engine: Engine) => {
    const params = compressParams.extend(sourceParams.shape).parse({ width: SMALL_WIDTH });
    return engine.run('compress', { image: file(), params });
  };
  const repeat = async (times: number, work: () => Promise<unknown>) => {
    const all: number[] = [];
    for (let n = 0; n < times; n += 1) all.push(await timed(work));
    return all;
  };

  // Every worker loads its model before the measurement.
  await Promise.all(Array.from({ length: workers }, cutOut));
  await repeat(WARM_UP, () => small(ordinary));
  const alone = await repeat(SINGLE_REQUESTS, cutOut);
  const together =
    (await timed(() => Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, cutOut)))) / CONCURRENT_REQUESTS;
  const idle = await repeat(SMALL_REQUESTS, () => small(ordinary));

  let measured = false;
  const keepBusy = async () => {
    while (!measured) await cutOut();
  };
  const load = Array.from({ length: CONCURRENT_REQUESTS }, keepBusy);
  const busy = await repeat(SMALL_REQUESTS, () => small(ordinary));
  measured = true;
  await Promise.all(load);
  await Promise.all([ordinary.close(), models.close()]);
  return { alone, together, idle, busy };
});
