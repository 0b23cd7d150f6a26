/** One process of {@link file://./jobs.ts}: runs the images of the jobs through the engine, without a service. */
import { readFile } from 'node:fs/promises';
import { parsePipeline } from '../engine/pipeline/parse.ts';
import { createPool } from '../engine/pool.ts';
import { answer } from './fresh-process.ts';

interface Order {
  /** Path of the image. */
  image: string;
  images: number;
  workers: number;
  pipeline: unknown;
}

const WARM_UP = 20;

/** Replies with images per second. */
await answer<Order, number>(async ({ image, images, workers, pipeline }) => {
  const pool = await createPool({ workers });
  await pool.ready();
  const source = await readFile(image);
  const params = { steps: parsePipeline(pipeline).steps, maxPixels: 0 };
  const run = async (count: number) => {
    let left = count;
    const work = async () => {
      while (left > 0) {
        left -= 1;
        const data = new Uint8Array(source).buffer;
        await pool.run('pipeline', { image: { data }, params, mayRunModel: false });
      }
    };
    // One more than the number of workers, so that no worker waits for its next task.
    await Promise.all(Array.from({ length: workers + 1 }, work));
  };
  await run(WARM_UP);
  const startedAt = performance.now();
  await run(images);
  const seconds = (performance.now() - startedAt) / 1000;
  await pool.close();
  return images / seconds;
});
