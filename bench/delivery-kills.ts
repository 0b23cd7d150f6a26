/**
 * `npm run bench:delivery-kills`: kills the service at random moments while it makes images for addresses, and checks
 * that it never sends a part of an image or a wrong one, and that it knows what its cache holds. Exits with 1 if
 * anything is wrong. Options: --images 10000 --kills 20 --seed 1.
 */
import { parseArgs } from 'node:util';
import { killDuringDelivery } from '../test/support/delivery-kills.ts';

const { values } = parseArgs({
  options: {
    images: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
  },
});
const startedAt = performance.now();
const report = await killDuringDelivery({
  images: Number(values.images),
  kills: Number(values.kills),
  seed: Number(values.seed),
});
console.log(JSON.stringify({ ...report, seconds: Math.round((performance.now() - startedAt) / 1000) }, null, 1));
if (report.problems.length > 0) process.exitCode = 1;
