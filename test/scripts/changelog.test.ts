import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { notesOf, released, sectionsOf } from '../../scripts/changelog/changelog.ts';
import { repositoryFile } from '../support/repository.ts';

const REPOSITORY = 'https://example.com/one';
const FIRST = '# Changelog\n\nAll changes.\n\n## [Unreleased]\n\n### Added\n\n- One.\n';
const firstRelease = () => released(FIRST, { version: '0.1.0', date: '2026-01-02', repository: REPOSITORY });

describe('the changelog', () => {
  test('gives its unreleased changes to a version, and links to what changed', () => {
    assert.equal(
      firstRelease(),
      `# Changelog

All changes.

## [Unreleased]

## [0.1.0] - 2026-01-02

### Added

- One.

[Unreleased]: https://example.com/one/compare/v0.1.0...HEAD
[0.1.0]: https://example.com/one/releases/tag/v0.1.0
`,
    );
    const next = firstRelease().replace('## [Unreleased]\n', '## [Unreleased]\n\n### Fixed\n\n- Two.\n');
    const second = released(next, { version: '0.2.0', date: '2026-03-04', repository: REPOSITORY });
    assert.deepEqual(sectionsOf(second), [
      { version: undefined, date: undefined, text: '' },
      { version: '0.2.0', date: '2026-03-04', text: '### Fixed\n\n- Two.' },
      { version: '0.1.0', date: '2026-01-02', text: '### Added\n\n- One.' },
    ]);
    assert.ok(
      second.endsWith(`
[Unreleased]: https://example.com/one/compare/v0.2.0...HEAD
[0.2.0]: https://example.com/one/compare/v0.1.0...v0.2.0
[0.1.0]: https://example.com/one/releases/tag/v0.1.0
`),
    );
  });

  test('has the notes of a released version only', () => {
    assert.equal(notesOf(firstRelease(), '0.1.0'), '### Added\n\n- One.');
    assert.throws(() => notesOf(FIRST, '0.1.0'), /Expected a section for 0\.1\.0 in CHANGELOG\.md/);
    assert.throws(
      () => notesOf(firstRelease().replace('- One.', '').replace('### Added', ''), '0.1.0'),
      /Expected a section/,
    );
  });

  test('releases a version once, and only with changes', () => {
    const release = { version: '0.1.0', date: '2026-01-02', repository: REPOSITORY };
    assert.throws(() => released(firstRelease(), release), /Expected changes under Unreleased/);
    const again = firstRelease().replace('## [Unreleased]\n', '## [Unreleased]\n\n- Two.\n');
    assert.throws(() => released(again, release), /Expected a new version but received 0\.1\.0/);
  });
});

describe('CHANGELOG.md', () => {
  const changelog = readFileSync(repositoryFile('CHANGELOG.md'), 'utf8');
  const sections = sectionsOf(changelog);

  test('begins with what is unreleased, and each version has its date, the newest first', () => {
    assert.equal(sections[0]!.version, undefined);
    assert.equal(sections.length, [...changelog.matchAll(/^## /gm)].length);
    const dates = sections.slice(1).map(({ version, date }) => date ?? assert.fail(`${version} has no date`));
    assert.deepEqual(dates, dates.toSorted().toReversed());
  });

  test('names the kinds of changes as Keep a Changelog does', () => {
    for (const [, kind] of changelog.matchAll(/^### (.*)$/gm))
      assert.match(kind!, /^(?:Added|Changed|Deprecated|Removed|Fixed|Security)$/);
  });
});
