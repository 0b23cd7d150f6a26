/**
 * Converts one real file of each kind of image to every format over HTTP, reads the results with other programs and
 * writes docs/conversions.md: what each conversion keeps, or the warning that says what it does not. With arguments it
 * only converts files whose path contains one of them or whose format is one of them, and writes nothing. Fails if
 * something is lost without a warning.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repositoryFile } from '../test/support/repository.ts';
import { withServed } from '../test/support/serve-process.ts';
import { type ConvertedSource, convertSource, SERVICE_SETTINGS, TARGETS } from './conversion-table/convert.ts';
import { nameTarget, SILENT, silentLosses, writeReport } from './conversion-table/report.ts';
import { SOURCES } from './conversion-table/sources.ts';

const words = process.argv.slice(2);
const selected = SOURCES.filter(
  ({ path, format }) => words.length === 0 || words.some((word) => path.includes(word) || format === word),
);
const SERVER = fileURLToPath(repositoryFile('dist/cli/main.js'));

const dataDir = await mkdtemp(join(tmpdir(), 'conversion-table-'));
const converted: ConvertedSource[] = [];
await withServed(
  dataDir,
  async (service) => {
    for (const source of selected) {
      const one = await convertSource(service, source, TARGETS);
      converted.push(one);
      console.log(line(one));
    }
  },
  SERVICE_SETTINGS,
  [SERVER],
);
await rm(dataDir, { recursive: true });

const silent = silentLosses(converted.flatMap(({ conversions }) => conversions));
for (const { conversion, loss } of silent)
  console.error(
    `${SILENT}: ${conversion.source.path} to ${nameTarget(conversion.target)}: ${loss.column}: ${loss.text}`,
  );
if (words.length === 0) {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim();
  const date = new Date().toISOString().slice(0, 10);
  await writeFile(repositoryFile('docs/conversions.md'), await writeReport(converted, { commit, date }));
}
process.exitCode = silent.length > 0 ? 1 : 0;

function line({ source, conversions }: ConvertedSource): string {
  const whole = conversions.filter(({ refused, losses }) => !refused && losses.length === 0).length;
  const refused = conversions.filter((conversion) => conversion.refused).length;
  return [
    source.path,
    `${whole} of ${conversions.length} keep everything`,
    ...(refused ? [`${refused} refused`] : []),
  ].join(' | ');
}
