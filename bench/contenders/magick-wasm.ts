/** ImageMagick compiled to WebAssembly, on as many threads as there are cores. */
import { packageVersion } from '../machine.ts';
import { contend, onThreads } from './contender.ts';

await contend(async ({ name }) => ({
  job: onThreads(new URL('./magick-worker.ts', import.meta.url), name),
  versions: { '@imagemagick/magick-wasm': packageVersion('@imagemagick/magick-wasm') },
}));
