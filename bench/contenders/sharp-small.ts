/** sharp on native libvips, asked for small files: the peer for the bytes of JPEG and PNG. */
import sharp from 'sharp';
import { contend } from './contender.ts';
import { sharpJob } from './sharp-job.ts';

await contend(async (workload) => ({
  job: sharpJob(sharp, workload, 'sharp-small'),
  versions: { sharp: sharp.versions.sharp, mozjpeg: String(sharp.versions.mozjpeg) },
}));
