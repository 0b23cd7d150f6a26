/**
 * Reads every picture of the corpus, and made ones of the formats that it lacks, compares them with trusted decoders and
 * writes docs/formats.md. With a word it does so only for the files whose name or format contains it, and writes nothing.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkFile, type Outcome } from './format-table/check.ts';
import { corpusInputs } from './format-table/inputs.ts';
import { startOurReader } from './format-table/ours.ts';
import { makeSamples } from './format-table/samples.ts';

const [word] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'format-table-'));
const ours = await startOurReader();
const { files: made, missing } = await makeSamples(join(folder, 'made'));
for (const { name, why } of missing) console.log(`not made: ${name}: ${why}`);
const inputs = [...corpusInputs(), ...made].filter(
  ({ name, format }) => word === undefined || name.includes(word) || format === word,
);
const outcomes: Outcome[] = [];
for (const input of inputs) {
  const outcome = await checkFile(ours, input, folder);
  outcomes.push(outcome);
  const { name, format, read, agrees, difference: d, comparedWith, faults, remarks } = outcome;
  const figures = d ? `${d.largest.toFixed(2)} ${d.mean.toFixed(3)} ${d.distance}` : '-';
  console.log(
    [
      read ? (agrees ? 'ok  ' : comparedWith.size > 0 ? 'DIFF' : 'NONE') : 'FAIL',
      format,
      name,
      figures,
      [...comparedWith].map((decoder) => decoder.name).join(', '),
      ...faults,
      ...remarks,
    ].join(' | '),
  );
}
await rm(folder, { recursive: true });
process.exit(0);
