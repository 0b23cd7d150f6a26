/** The engine in this process, for bench/cli.ts: a folder of images from memory, after a round to warm up. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compressParams } from '../engine/operations/compress/params.ts';
import { sourceParams } from '../engine/operations/parameters.ts';
import { createPool } from '../engine/pool.ts';
import { createDecoder } from '../server/http/query.ts';
import { THREADS } from './contenders/contender.ts';
import { answer } from './fresh-process.ts';

export interface FolderOrder {
  folder: string;
  params: Record<string, string>;
}

export interface FolderRun {
  seconds: number;
  /** Of all threads. */
  cpuSeconds: number;
}

/** As everywhere in the bench. */
const UNDER_WAY = 2 * THREADS;
/** Of the round to warm up. */
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
        // The engine detaches what it is given.
        await engine.run('compress', { image: { data: images[next++]!.slice().buffer }, params });
    };
    await Promise.all(Array.from({ length: UNDER_WAY }, client));
  };
  await run(files.slice(0, WARM_UP_IMAGES));
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  await run(files);
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(before);
  await engine.close();
  return { seconds, cpuSeconds: (user + system) / 1e6 };
});
