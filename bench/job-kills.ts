/**
 * Kills the service 50 times, at random moments, while it works on jobs of 40 images, each job twice, and checks that every
 * result is there once, that everything was charged once, and that each job was told of: `npm run bench:job-kills`.
 * The test of the same name does it a few times. Options: --kills 50 --seed 1.
 */
import { parseArgs } from 'node:util';
import { killDuringJobs } from '../test/support/job-kills.ts';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '50' }, seed: { type: 'string', default: '1' } },
});
const startedAt = performance.now();
const report = await killDuringJobs({ kills: Number(values.kills), seed: Number(values.seed) });
console.log(JSON.stringify({ ...report, seconds: Math.round((performance.now() - startedAt) / 1000) }, null, 1));
