/**
 * Fails if npm knows of a vulnerability, high or critical, in a package that reaches users: installed in production, or
 * built into `dist/`. A registry without an audit, or one that does not answer, is no failure.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readAudit } from './audit/report.ts';
import { builtInPackages } from './licences/built-in.ts';
import { packagesOf, shippedPackages } from './licences/packages.ts';

const packages = packagesOf(JSON.parse(readFileSync('package-lock.json', 'utf8')));
const shipped = new Set(shippedPackages(packages, await builtInPackages()).map(({ path }) => path));
// Without --omit=dev: the packages that are built in are development dependencies.
const { stdout } = spawnSync('npm', ['audit', '--json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const audit = readAudit(stdout, shipped);
if ('unavailable' in audit) {
  console.log(`Not audited: ${audit.unavailable}`);
} else {
  for (const finding of audit.findings) console.error(finding);
  console.log(`${audit.findings.length} high or critical vulnerabilities in ${shipped.size} packages.`);
  process.exitCode = audit.findings.length === 0 ? 0 : 1;
}
