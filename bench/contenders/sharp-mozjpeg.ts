/** sharp on native libvips and mozjpeg: the peer for the bytes of a JPEG. */
import sharp from 'sharp';
import { contend } from './contender.ts';
import { sharpJob } from './sharp-job.ts';

await contend(async (workload) => ({
  job: sharpJob(sharp, workload, 'sharp-mozjpeg'),
  versions: { sharp: sharp.versions.sharp, mozjpeg: String(sharp.versions.mozjpeg) },
}));
