/**
 * Reads every image of the corpus, and made samples of formats that the corpus lacks, compares the results with trusted
 * decoders and writes docs/formats.md. With arguments it only checks files whose name contains one of them or whose
 * format is one of them, and writes nothing. `--verbose` lists the decoders that could not decode a file.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkFile, type Outcome } from './format-table/check.ts';
import { corpusInputs } from './format-table/inputs.ts';
import { startOurReader } from './format-table/ours.ts';
import { writeReport } from './format-table/report.ts';
import { makeSamples } from './format-table/samples.ts';

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { verbose: { type: 'boolean', default: false } },
});

const folder = await mkdtemp(join(tmpdir(), 'format-table-'));
const ours = await startOurReader();
const { files: made, missing } = await makeSamples(join(folder, 'made'));
const inputs = [...corpusInputs(), ...made].filter(
  ({ name, format }) => words.length === 0 || words.some((word) => name.includes(word) || format === word),
);
const outcomes: Outcome[] = [];
for (const input of inputs) {
  const outcome = await checkFile(ours, input, folder, values.verbose ? console.error : undefined);
  outcomes.push(outcome);
  console.log(line(outcome));
}
if (words.length === 0) {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim();
  const date = new Date().toISOString().slice(0, 10);
  await mkdir('docs', { recursive: true });
  await writeFile('docs/formats.md', await writeReport(outcomes, { commit, date, missing }));
}
await rm(folder, { recursive: true });
// The engines of WebAssembly keep the process alive.
process.exit(0);

function line({ name, format, read, agrees, difference, comparedWith, faults, remarks }: Outcome): string {
  const verdict = agrees ? 'agrees' : comparedWith.size > 0 ? 'DIFFERS' : read ? 'NOT COMPARED' : 'NOT READ';
  const figures = difference
    ? `${difference.largest.toFixed(2)} ${difference.mean.toFixed(3)} ${difference.distance}`
    : '-';
  const decoders = [...comparedWith].map((decoder) => decoder.name).join(', ');
  return [verdict, format, name, figures, decoders, ...faults, ...remarks].join(' | ');
}
