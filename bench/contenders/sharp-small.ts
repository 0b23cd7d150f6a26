/** sharp on native libvips with settings for small files: the reference for JPEG and PNG sizes. */
import sharp from 'sharp';
import { runContender } from './contender.ts';
import { sharpJob } from './sharp-job.ts';

await runContender(async (workload) => ({
  job: sharpJob(sharp, workload, 'sharp-small'),
  versions: { sharp: sharp.versions.sharp, mozjpeg: String(sharp.versions.mozjpeg) },
}));
