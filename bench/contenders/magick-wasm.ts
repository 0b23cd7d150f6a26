/** ImageMagick compiled to WebAssembly, on as many threads as there are cores. */
import { packageVersion } from '../machine.ts';
import { onThreads, runContender } from './contender.ts';

await runContender(async ({ name }) => ({
  job: onThreads('magick-worker', name),
  versions: { '@imagemagick/magick-wasm': packageVersion('@imagemagick/magick-wasm') },
}));
