/** Fails on a licence that the product may not have: see `licences/policy.ts` and `licences/contents.ts`. */
import { readFileSync } from 'node:fs';
import { builtInPackages } from './licences/built-in.ts';
import { licenceFaults } from './licences/check.ts';
import { type Lock, packagesOf } from './licences/packages.ts';

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
const faults = licenceFaults({ lock, builtIn: await builtInPackages() });
for (const fault of faults) console.error(fault);
console.log(`${faults.length} faults in the licences of ${packagesOf(lock).length} packages.`);
process.exitCode = faults.length === 0 ? 0 : 1;
