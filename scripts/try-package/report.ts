/** The table of `npm run package:try`. */
import { table } from '../markdown-table.ts';
import type { Tarball } from './pack.ts';
import type { Trial } from './trial.ts';

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
const seconds = (ms: number | undefined): string => (ms === undefined ? '-' : `${(ms / 1000).toFixed(1)} s`);

export function reportOf(tarball: Tarball, trials: readonly Trial[], refused: ReadonlySet<string>): string {
  const jobs = [...new Set(trials.flatMap((trial) => trial.jobs.map(({ name }) => name)))];
  const sizes: [string, (trial: Trial) => string | number][] = [
    ['installed', ({ bytes }) => megabytes(bytes)],
    ['installed with `--omit=optional`', ({ coreBytes }) => megabytes(coreBytes)],
    ['packages', ({ packages }) => packages],
  ];
  const times = jobs.map((name) => [
    name,
    ...trials.map((trial) => seconds(trial.jobs.find((job) => job.name === name)?.ms)),
  ]);
  return `# The package, installed and used

Written by \`npm run package:try -- --write\`. It packs the package, installs it in an empty folder with a PATH that has only
Node, npm and a shell, behind a proxy that lets only the registry of npm pass, and does the main jobs with it. Each time is
that of one run, with the packages of npm in its cache.

The package has ${megabytes(tarball.bytes)} and ${tarball.files.length} files, unpacked ${megabytes(tarball.unpackedBytes)}.
Other hosts that were asked for: ${refused.size === 0 ? 'none' : [...refused].join(', ')}.

${table(
  ['', ...trials.map(({ version }) => `Node ${version}`)],
  [...sizes.map(([name, of]) => [name, ...trials.map(of)]), ...times],
)}

\`npm install\` includes the packages of the network; \`serve\` is the time until the service listens, on an empty data
folder. Node 20 contains no SQLite, which \`serve\` and \`scan\` need: there \`npm install better-sqlite3\` beside imagecrew
adds it, with a compiler or a copy built for the machine.
`;
}
