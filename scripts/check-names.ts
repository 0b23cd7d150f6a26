/** Fails when a file uses a name that the project has replaced by the usual one: CONTRIBUTING.md, "Names". */
import { readdirSync, readFileSync } from 'node:fs';
import { replacedNames } from './names/check.ts';

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

const files = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path}`)
    .filter((path) => /\.tsx?$/.test(path) && !EXEMPT.test(path)),
);
const faults = files.flatMap((path) => replacedNames(readFileSync(path, 'utf8')).map((fault) => `${path}: ${fault}`));
for (const fault of faults) console.error(fault);
console.log(`${faults.length} replaced names in ${files.length} files.`);
process.exitCode = files.length > 0 && faults.length === 0 ? 0 : 1;
