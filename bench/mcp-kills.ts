/**
 * `npm run bench:mcp-kills`: kills the local MCP server 200 times, at random moments, while it changes a project of 40
 * pages and 24 images, sometimes also while it rolls the change back, and checks every byte after each kill. The test
 * of the same name does it a few times. Options: --kills 200 --seed 1.
 */
import { parseArgs } from 'node:util';
import { killDuringApplies } from '../test/codemod/kills.ts';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
});
const startedAt = performance.now();
const report = await killDuringApplies({ kills: Number(values.kills), seed: Number(values.seed) });
console.log(JSON.stringify({ ...report, seconds: Math.round((performance.now() - startedAt) / 1000) }, null, 1));
