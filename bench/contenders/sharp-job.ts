import type sharp from 'sharp';
import type { Job } from '../measure.ts';
import { isMissing, type Workload } from '../workloads.ts';

/** What a user of sharp would write. */
export function sharpJob(load: typeof sharp, { sharp: encode, width, animated = false }: Workload): Job {
  if (isMissing(encode)) throw new Error(encode.missing);
  // Every request brings the same bytes; a service would not see them twice.
  load.cache(false);
  return (input) => {
    const image = load(input, { animated });
    return encode(width === undefined ? image : image.resize(width)).toBuffer();
  };
}
