/** ImageMagick compiled to WebAssembly, on as many threads as there are cores. */
import { packageVersion } from '../machine.ts';
import { contend, onThreads } from './contender.ts';

await contend(async ({ name }) => ({
  job: onThreads('magick-worker', name),
  versions: { '@imagemagick/magick-wasm': packageVersion('@imagemagick/magick-wasm') },
}));
