/** Runs the engine in this process, for bench/cli.ts, on a folder of images in memory, after a warm-up round. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDecoder } from '../base/parameter-decoder.ts';
import { compressParams } from '../engine/operations/compress/params.ts';
import { sourceParams } from '../engine/operations/parameters.ts';
import { createPool } from '../engine/pool.ts';
import { THREADS } from './contenders/contender.ts';
import { answer } from './fresh-process.ts';

export interface FolderOrder {
  folder: string;
  params: Record<string, string>;
}

export interface FolderRun {
  seconds: number;
  /** Processor time of all threads. */
  cpuSeconds: number;
}

/** The same concurrency as in the other benchmarks. */
const CONCURRENCY = 2 * THREADS;
/** Number of images in the warm-up round. */
const WARM_UP_IMAGES = 10 * THREADS;

await answer(async ({ folder, params: given }: FolderOrder): Promise<FolderRun> => {
  const names = await readdir(folder);
  const files = await Promise.all(names.map(async (name) => new Uint8Array(await readFile(join(folder, name)))));
  const decoder = createDecoder(compressParams.extend(sourceParams.shape));
  const params = decoder.complete(decoder.fromText(Object.entries(given)));
  const engine = await createPool({ workers: THREADS });
  await engine.ready();
  const run = async (images: readonly Uint8Array[]) => {
    let next = 0;
    const client = async () => {
      while (next < images.length)
        // The engine detaches the buffer it receives, so each request needs a copy.
        await engine.run('compress', { image: { data: images[next++]!.slice().buffer }, params });
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, client));
  };
  await run(files.slice(0, WARM_UP_IMAGES));
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  await run(files);
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(before);
  await engine.close();
  return { seconds, cpuSeconds: (user + system) / 1e6 };
});
