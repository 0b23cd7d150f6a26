import type sharp from 'sharp';
import type { Job } from '../measure.ts';
import { isMissing, type Workload } from '../workloads.ts';

/** Runs the code that a user of sharp would write. @param entry of the workload */
export function sharpJob(
  load: typeof sharp,
  { width, animated = false, ...workload }: Workload,
  entry: 'sharp' | 'sharp-small' = 'sharp',
): Job {
  const encode = workload[entry];
  if (encode === undefined || isMissing(encode)) throw new Error(`Expected a workload of ${entry}.`);
  // Every request sends the same bytes; a real service would not see them twice, so the cache would help unfairly.
  load.cache(false);
  return (input) => {
    const image = load(input, { animated });
    return encode(width === undefined ? image : image.resize(width)).toBuffer();
  };
}
