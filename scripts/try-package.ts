/**
 * `npm run package:try`: packs the package, installs it in an empty folder as a user does, without compilers and with no
 * other host than the registry of npm, with each supported version of Node, and does the main jobs with it. Fails on the
 * first that does not work. With `--write`, puts the table of times and sizes into docs/package.md.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installNodes, NODE_MAJORS } from './try-package/nodes.ts';
import { pack } from './try-package/pack.ts';
import { startProxy } from './try-package/proxy.ts';
import { reportOf } from './try-package/report.ts';
import { type Trial, tryPackage } from './try-package/trial.ts';

const MAX_INSTALLED_BYTES = 170_000_000;

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });

const folder = await mkdtemp(join(tmpdir(), 'imagecrew-package-'));
const proxy = await startProxy();
try {
  const [tarball, nodes] = await Promise.all([pack(folder), installNodes(join(folder, 'node'))]);
  console.log(
    `${tarball.name}: ${tarball.bytes} bytes, ${tarball.files.length} files, ${tarball.unpackedBytes} unpacked`,
  );
  const trials: Trial[] = [];
  for (const major of NODE_MAJORS) {
    const node = nodes.get(major)!;
    const trial = await tryPackage({ folder: join(folder, `with-${major}`), node, tarball: tarball.path, proxy });
    if (trial.bytes > MAX_INSTALLED_BYTES)
      throw new Error(`Expected at most ${MAX_INSTALLED_BYTES} bytes installed but received ${trial.bytes}.`);
    trials.push(trial);
    console.log(
      `Node ${trial.version}: ${trial.jobs.map(({ name, ms }) => `${name} ${Math.round(ms)} ms`).join(', ')}`,
    );
  }
  const report = reportOf(tarball, trials, proxy.refused);
  console.log(`\n${report}`);
  if (values.write) await writeFile('docs/package.md', report);
  console.log(`${trials.reduce((sum, { jobs }) => sum + jobs.length, 0)} passed, 0 failed`);
} finally {
  await proxy.close();
  await rm(folder, { recursive: true, force: true });
}
