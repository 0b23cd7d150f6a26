/**
 * `npm run bench:job-kills`: kills the service 30 times, at random moments, while it works on jobs of three accounts
 * (of 20 images, of 4 uploads, of one image; one of twenty images is large) and serves concurrent requests. Checks that
 * every accepted image ended exactly once, that none was cancelled, that each was charged once, and that each job sent
 * its webhook. Exits with 1 if anything is wrong. The test of the same name does it a few times. Options: --kills 30
 * --seed 1.
 */
import { parseArgs } from 'node:util';
import { killDuringJobs } from '../test/support/job-kills.ts';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '30' }, seed: { type: 'string', default: '1' } },
});
const startedAt = performance.now();
const report = await killDuringJobs({ kills: Number(values.kills), seed: Number(values.seed) });
console.log(JSON.stringify({ ...report, seconds: Math.round((performance.now() - startedAt) / 1000) }, null, 1));
if (report.problems.length > 0) process.exitCode = 1;
