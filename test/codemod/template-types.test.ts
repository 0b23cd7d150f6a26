import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nightlyOnly } from '../support/nightly.ts';
import { type Files, type LocalServerClient, photo, type ScannedImage, snapshot, withLoadedPackage } from './desk.ts';
import { MARK, OTHERS, sourceOf, TYPES } from './template-types.ts';

interface Skipped {
  file: string;
  line: number;
  raw: string;
  reason: string;
}

interface ExpectedResult {
  source: string;
  /** The text after the apply. */
  applied: string;
  replaced: number;
  /** As `path:line raw reason`. */
  reported: string[];
}

function parseMarks(path: string, text: string): ExpectedResult {
  const reported: string[] = [];
  let replaced = 0;
  for (const match of text.matchAll(MARK)) {
    const line = text.slice(0, match.index).split('\n').length;
    if (match[1] === undefined) reported.push(`${path}:${line} ${match[3]} ${match[2]}`);
    else replaced += 1;
  }
  return {
    source: sourceOf(text),
    applied: sourceOf(text.replaceAll(/⟦([^⟧]*)\.jpg(?:\?v=2)?⟧/g, '⟦$1.webp⟧')),
    replaced,
    reported,
  };
}

async function images(): Promise<ScannedImage[]> {
  return [
    { at: '/img/hero.jpg', data: await photo(1) },
    { at: '/img/two.jpg', data: await photo(2) },
  ];
}

/** Runs every tool on these texts and checks the results. Rolls back at the end. */
async function replaceAll(texts: Readonly<Record<string, string>>, write: (text: string) => string): Promise<void> {
  const scanned = await images();
  const files: Files = Object.fromEntries(scanned.map(({ at, data }) => [`public${at}`, data]));
  const wanted = Object.entries(texts).map(([path, text]) => ({ path, ...parseMarks(path, text) }));
  for (const { path, source } of wanted) files[path] = write(source);
  await withLoadedPackage(files, scanned, async (desk) => {
    const before = await snapshot(desk.folder);
    const { total } = await desk.call('find_references');
    const replaced = wanted.reduce((sum, file) => sum + file.replaced, 0);
    const reported = wanted.flatMap((file) => file.reported);
    const plan = await desk.call('preview_replacements', { include: Object.keys(texts) });
    const skipped = (plan.skipped as Skipped[]).map(
      ({ file, line, raw, reason }) => `${file}:${line} ${raw} ${reason}`,
    );
    assert.deepEqual(skipped.toSorted(), reported.toSorted());
    assert.equal((plan.summary as { edits: number }).edits, replaced);
    assert.equal(total, replaced + reported.length);
    await desk.call('apply_replacements', { plan_id: plan.plan_id, approved: true });
    for (const { path, applied } of wanted) assert.equal(await desk.text(path), write(applied), path);
    assert.deepEqual(await problems(desk), []);
    await desk.call('rollback', { approved: true });
    assert.deepEqual(await snapshot(desk.folder), before);
  });
}

async function problems(desk: LocalServerClient): Promise<unknown> {
  return (await desk.call('validate_replacements')).problems;
}

describe('source types', () => {
  it('include at least 34 template types and languages', () => {
    assert.ok(Object.keys(TYPES).length >= 34, String(Object.keys(TYPES).length));
    for (const [path, text] of Object.entries(TYPES)) {
      const { replaced, reported } = parseMarks(path, text);
      assert.ok(replaced > 1 && replaced + reported.length > 1, path);
    }
  });

  // One project with all of them, below, shows the same; alone, a type that fails is named.
  for (const [path, text] of Object.entries({ ...TYPES, ...OTHERS }))
    it(
      path,
      { skip: nightlyOnly },
      async () => await replaceAll({ [path]: text, 'index.html': '<img src="⟦/img/hero.jpg⟧">' }, (source) => source),
    );

  it('are replaced and reported in one project', async () =>
    await replaceAll({ ...TYPES, ...OTHERS }, (source) => source));

  it('keep their line endings and byte order mark', async () =>
    await replaceAll({ ...TYPES, ...OTHERS }, (source) => `\ufeff${source.replaceAll('\n', '\r\n')}`));
});
