/** Fails when a file uses a name that the project has replaced by the usual one: CONTRIBUTING.md, "Names". */
import { readdirSync, readFileSync } from 'node:fs';
import { replacedNames, replacedWords } from './names/check.ts';

const FOLDERS = [
  'base',
  'bench',
  'client',
  'codecs',
  'engine',
  'models',
  'plugins',
  'replacement-package',
  'scripts',
  'server',
  'chromium',
  'cli',
  'codemod',
  'console',
  'mcp',
  'web-documents',
  'storage',
  'test',
];
/** These two hold the list. */
const EXEMPT = /^scripts\/names\/|^test\/scripts\/names\./;
/** Here a picture is the HTML element, or a Macintosh picture (PICT). */
const EXEMPT_FROM_WORDS = /^(?:test\/)?(?:codemod|web-documents|codecs\/formats\/pict)\/|^base\/reference-roles\./;

const files = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path}`)
    .filter((path) => /\.tsx?$/.test(path) && !EXEMPT.test(path)),
);
const faults = files.flatMap((path) => {
  const source = readFileSync(path, 'utf8');
  const found = [...replacedNames(source), ...(EXEMPT_FROM_WORDS.test(path) ? [] : replacedWords(source))];
  return found.map((fault) => `${path}: ${fault}`);
});
for (const fault of faults) console.error(fault);
console.log(`${faults.length} replaced names in ${files.length} files.`);
process.exitCode = files.length > 0 && faults.length === 0 ? 0 : 1;
