/** One thread of the contender magick-wasm: read, resize, write. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { workerData } from 'node:worker_threads';
import { initializeImageMagick, MagickFormat, MagickImageCollection } from '@imagemagick/magick-wasm';
import { isMissing, workloadNamed } from '../workloads.ts';

const require = createRequire(import.meta.url);

let started: Promise<void> | undefined;

async function start(): Promise<void> {
  const file = await readFile(require.resolve('@imagemagick/magick-wasm/magick.wasm'));
  await initializeImageMagick(await WebAssembly.compile(file));
}

const { format, width, magick } = workloadNamed(workerData as string);
const FORMATS: Partial<Record<typeof format, MagickFormat>> = {
  jpeg: MagickFormat.Jpeg,
  png: MagickFormat.Png,
  webp: MagickFormat.WebP,
  avif: MagickFormat.Avif,
  jxl: MagickFormat.Jxl,
};

export default async function run(input: Uint8Array): Promise<Uint8Array> {
  started ??= start();
  await started;
  const images = MagickImageCollection.create(input);
  try {
    // The frames of a file may be partial; a still image is not changed by this.
    images.coalesce();
    for (const image of images) {
      if (width !== undefined) image.resize(width, Math.round((image.height * width) / image.width));
      if (!isMissing(magick)) magick(image);
    }
    return images.write(FORMATS[format]!, (data) => data.slice());
  } finally {
    images.dispose();
  }
}
