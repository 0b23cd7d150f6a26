// Runs the tests: all of them, or those whose path contains one of the arguments. `npm test -- compress` runs test/**/compress*.test.ts.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { buildTests } from './build-tests.mjs';

const all = readdirSync('test', { recursive: true })
  .map((path) => `test/${path}`)
  .filter((path) => path.endsWith('.test.ts'))
  .sort();
const wanted = process.argv.slice(2);
const files = wanted.length === 0 ? all : all.filter((path) => wanted.some((part) => path.includes(part)));
// A gate over zero files passes anything, so it must fail.
if (files.length === 0) {
  console.error(
    `Expected at least one test file${wanted.length ? ` matching ${wanted.join(', ')}` : ''} but found none.`,
  );
  process.exit(1);
}
const built = await buildTests();
const concurrency = Math.min(2, availableParallelism());
const { status } = spawnSync(
  process.execPath,
  ['--enable-source-maps', '--test', `--test-concurrency=${concurrency}`, ...files.map(built)],
  { stdio: 'inherit' },
);
process.exit(status ?? 1);
