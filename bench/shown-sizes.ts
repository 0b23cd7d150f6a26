/**
 * `npm run bench:shown-sizes`: generates pages whose style sheets show images larger than their attributes say, scans
 * them, replaces the originals with the optimised files and opens every page in Chromium, 360, 1440 and 2560 pixels
 * wide. No image may have fewer pixels than are displayed, or a different box than before; otherwise exits with 1.
 * Options: --pages 200 --seed 1.
 */
import { parseArgs } from 'node:util';
import { withFolder } from '../test/support/folder.ts';
import { measureShownSizes } from '../test/support/website/shown-sizes.ts';
import { describeMachine, describeRevision } from './machine.ts';

const { values } = parseArgs({
  options: { pages: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
});

const options = { seed: Number(values.seed), pages: Number(values.pages) };
const { worse, ...report } = await withFolder((dataDir) => measureShownSizes(dataDir, options, { IC_WORKERS: '2' }));
console.log(
  JSON.stringify({ revision: describeRevision(), machine: describeMachine(), ...options, ...report }, null, 1),
);
console.log(`${worse.length} views are worse than before.`);
for (const view of worse) console.log(`  ${view}`);
process.exitCode = worse.length > 0 ? 1 : 0;
