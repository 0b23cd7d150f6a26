/**
 * Writes files with ImageMagick in a separate thread. The instance in this thread is the one under test, which must
 * not write anything.
 */
import { createRequire } from 'node:module';
import { runInThread } from './run-in-thread.ts';

const require = createRequire(import.meta.url);

export interface WriteJob {
  /** ImageMagick's name of the format. */
  format: string;
  /** One image per frame, interleaved 8-bit RGB or RGBA. */
  frames: { data: Uint8Array; width: number; height: number; channels: 3 | 4 }[];
  /** ImageMagick's name of the compression. */
  compression?: string;
  /** Options of the writer. */
  defines?: Readonly<Record<string, string>>;
  /** For JPEG only. */
  progressive?: boolean;
}

const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { readFileSync } = require('node:fs');
(async () => {
  const magick = require(workerData.module);
  await magick.initializeImageMagick(readFileSync(workerData.wasm));
  const files = workerData.jobs.map(({ format, frames, compression, defines = {}, progressive = false }) => {
    const images = magick.MagickImageCollection.create();
    for (const { data, width, height, channels } of frames) {
      const settings = new magick.MagickReadSettings({ format: channels === 4 ? 'RGBA' : 'RGB', width, height });
      settings.depth = 8;
      const one = magick.MagickImageCollection.create();
      one.read(data, settings);
      const image = one[0];
      if (compression) image.settings.compression = magick.CompressionMethod[compression];
      for (const [name, value] of Object.entries(defines)) image.settings.setDefine(format, name, value);
      if (progressive) image.settings.interlace = magick.Interlace.Jpeg;
      images.push(image);
    }
    return images.write(format, (bytes) => Uint8Array.from(bytes));
  });
  parentPort.postMessage(files);
})().catch((error) => { throw error; });
`;

/** Writes the files, in the order of the jobs. */
export async function writeWithMagick(jobs: readonly WriteJob[]): Promise<Uint8Array[]> {
  return await runInThread(PROGRAM, {
    jobs,
    module: require.resolve('@imagemagick/magick-wasm'),
    wasm: require.resolve('@imagemagick/magick-wasm/magick.wasm'),
  });
}
