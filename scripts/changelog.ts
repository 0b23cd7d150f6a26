/**
 * `changelog.ts notes VERSION` prints the section of a version, which the release on GitHub shows; it fails if there is
 * none. `changelog.ts release` makes what is unreleased the section of the version in package.json: `npm version` runs it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { notesOf, released } from './changelog/changelog.ts';

const FILE = 'CHANGELOG.md';
const changelog = readFileSync(FILE, 'utf8');
const [command, argument] = process.argv.slice(2);

if (command === 'notes' && argument) {
  console.log(notesOf(changelog, argument));
} else if (command === 'release') {
  const { version, homepage } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    version: string;
    homepage: string;
  };
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(FILE, released(changelog, { version, date, repository: homepage }));
  console.log(`CHANGELOG.md has the section ${version}.`);
} else {
  throw new Error(`Expected "notes VERSION" or "release" but received "${process.argv.slice(2).join(' ')}".`);
}
