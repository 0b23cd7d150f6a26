import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { checkRequirements, type Report } from '../../../scripts/requirements/check.ts';
import { withFolder, writeFiles } from '../../support/folder.ts';

const KNOWN = ['b.two', 'a.one', 'c.three'];
const CITES_ONE = "it('x', () => { verifies('a.one'); });";

interface Case {
  files: Record<string, string>;
  proved: string[];
  update?: boolean;
}

/** Runs the check on a folder with these tests; returns its report and the list of proved ids after it. */
function check({ files, proved, update = false }: Case): Promise<Report & { file: unknown; folder: string }> {
  return withFolder(async (folder) => {
    const provedFile = join(folder, 'proved.json');
    const tests = join(folder, 'test');
    await mkdir(tests);
    await writeFile(provedFile, JSON.stringify(proved));
    await writeFiles(tests, files);
    const report = checkRequirements({ known: KNOWN, tests, provedFile, update });
    return { ...report, file: JSON.parse(await readFile(provedFile, 'utf8')), folder };
  });
}

describe('checkRequirements', () => {
  it('passes when the list contains what the tests cite', async () => {
    const { known, proved, unproved, faults } = await check({
      files: { 'deep/er/x.test.ts': CITES_ONE },
      proved: ['a.one'],
    });
    assert.deepEqual(
      { known, proved, unproved, faults },
      {
        known: 3,
        proved: ['a.one'],
        unproved: ['b.two', 'c.three'],
        faults: [],
      },
    );
  });

  it('fails when an id lost its last test', async () => {
    const { faults } = await check({ files: { 'x.test.ts': CITES_ONE }, proved: ['a.one', 'b.two'] });
    assert.equal(faults.length, 1);
    assert.match(faults[0] ?? '', /^b[.]two was proved, but no running test cites it any more/);
  });

  it('fails when the last test of an id is skipped', async () => {
    const { faults } = await check({
      files: { 'x.test.ts': "it.skip('x', () => { verifies('a.one'); });" },
      proved: ['a.one'],
    });
    assert.match(faults.join(), /^a[.]one was proved, but no running test cites it/);
  });

  it('fails on an id that is not in the manifest, even in a skipped test', async () => {
    const { faults, folder } = await check({
      files: { 'x.test.ts': "it.skip('x', () => {\n  verifies('a.on');\n});" },
      proved: [],
    });
    assert.deepEqual(faults, [`${join(folder, 'test', 'x.test.ts')}:2: a.on is not in the manifest.`]);
  });

  it('fails on an id in the list that is not in the manifest', async () => {
    const { faults } = await check({ files: { 'x.test.ts': CITES_ONE }, proved: ['a.one', 'gone.id'] });
    assert.match(faults.join(), /^gone[.]id is in .*proved[.]json but not in the manifest[.]$/);
  });

  it('fails on a call that cannot be parsed', async () => {
    const { faults, folder } = await check({ files: { 'x.test.ts': "verifies('a.one');" }, proved: [] });
    assert.deepEqual(faults, [`${join(folder, 'test', 'x.test.ts')}:1: Expected verifies inside a test or a suite.`]);
  });

  it('fails when there is no test file at all', async () => {
    const { faults } = await check({ files: { 'helper.ts': CITES_ONE }, proved: [] });
    assert.match(faults.join(), /^Expected at least one test file in .* but found none[.]$/);
  });

  it('asks for --update when an id is newly proved, and changes nothing', async () => {
    const { faults, file } = await check({ files: { 'x.test.ts': CITES_ONE }, proved: [] });
    assert.deepEqual(faults, ['Newly proved: a.one. Run npm run check:requirements -- --update.']);
    assert.deepEqual(file, []);
  });

  it('adds newly proved ids with --update, sorted', async () => {
    const { faults, file } = await check({
      files: { 'x.test.ts': "it('x', () => { verifies('c.three', 'a.one', 'b.two'); });" },
      proved: ['b.two'],
      update: true,
    });
    assert.deepEqual(faults, []);
    assert.deepEqual(file, ['a.one', 'b.two', 'c.three']);
  });

  it('removes no id with --update and still fails', async () => {
    const { faults, file } = await check({ files: { 'x.test.ts': CITES_ONE }, proved: ['b.two'], update: true });
    assert.match(faults.join(), /^b[.]two was proved/);
    assert.deepEqual(file, ['a.one', 'b.two']);
  });
});
