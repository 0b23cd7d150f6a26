/** Compares the citations in the tests with the manifest and with the committed list of requirements proved before. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCitations } from './citations.ts';

export interface Check {
  /** Every id of the manifest, in order. */
  known: Iterable<string>;
  /** Folder whose `*.test.ts` files are read, at any depth. */
  tests: string;
  /** JSON array of the ids that some test cites. */
  provedFile: string;
  /** Adds newly proved ids to the file. Ids are only removed by hand. */
  update: boolean;
}

export interface Report {
  known: number;
  /** Sorted. */
  proved: string[];
  /** In the order of the manifest. */
  unproved: string[];
  /** Error messages; empty if everything is in order. */
  faults: string[];
}

export function checkRequirements({ known, tests, provedFile, update }: Check): Report {
  const ids = new Set(known);
  const { cited, faults } = citedIds(tests, ids);
  const proved = [...cited].sort();
  const before = readProved(provedFile);

  const lost = before.filter((id) => !cited.has(id));
  faults.push(
    ...lost.map((id) =>
      ids.has(id)
        ? `${id} was proved, but no running test cites it any more: restore the test, or take the id out of ${provedFile} by hand.`
        : `${id} is in ${provedFile} but not in the manifest.`,
    ),
  );

  const added = proved.filter((id) => !before.includes(id));
  if (update && added.length > 0) writeProved(provedFile, [...before, ...added]);
  if (!update && added.length > 0)
    faults.push(`Newly proved: ${added.join(', ')}. Run npm run check:requirements -- --update.`);

  return { known: ids.size, proved, unproved: [...ids].filter((id) => !cited.has(id)), faults };
}

function citedIds(tests: string, known: ReadonlySet<string>): { cited: Set<string>; faults: string[] } {
  const cited = new Set<string>();
  const faults: string[] = [];
  const files = readdirSync(tests, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .sort();
  // Checking zero files would always pass, so it must fail.
  if (files.length === 0) faults.push(`Expected at least one test file in ${tests} but found none.`);
  for (const file of files) {
    const path = join(tests, file);
    const found = findCitations(path, readFileSync(path, 'utf8'));
    faults.push(...found.faults.map(({ line, message }) => `${path}:${line}: ${message}`));
    for (const { id, line } of [...found.proved, ...found.skipped]) {
      if (!known.has(id)) faults.push(`${path}:${line}: ${id} is not in the manifest.`);
    }
    for (const { id } of found.proved) if (known.has(id)) cited.add(id);
  }
  return { cited, faults };
}

function readProved(file: string): string[] {
  const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!Array.isArray(content) || !content.every((id) => typeof id === 'string'))
    throw new TypeError(`Expected an array of ids in ${file}.`);
  return content;
}

function writeProved(file: string, ids: readonly string[]): void {
  writeFileSync(file, `${JSON.stringify([...new Set(ids)].sort(), null, 2)}\n`);
}
