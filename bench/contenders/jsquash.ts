/** @jsquash used directly: its functions one after the other, on as many threads as there are cores. */
import { packageVersion } from '../machine.ts';
import { isMissing } from '../workloads.ts';
import { onThreads, runContender } from './contender.ts';
import type { Recipe } from './jsquash-worker.ts';

await runContender(async ({ jsquash, width }) => {
  if (isMissing(jsquash)) throw new Error(jsquash.missing);
  const recipe: Recipe = { ...jsquash, ...(width === undefined ? {} : { width }) };
  const packages = new Set([jsquash.decoder, jsquash.encoder, 'resize']);
  return {
    job: onThreads('jsquash-worker', recipe),
    versions: Object.fromEntries([...packages].map((name) => [`@jsquash/${name}`, packageVersion(`@jsquash/${name}`)])),
  };
});
