/** sharp on native libvips: the upper limit. */
import sharp from 'sharp';
import { runContender } from './contender.ts';
import { sharpJob } from './sharp-job.ts';

await runContender(async (workload) => ({
  job: sharpJob(sharp, workload),
  versions: { sharp: sharp.versions.sharp, vips: sharp.versions.vips },
}));
