// Runs the tests, or those whose path contains one of the arguments: `npm test -- compress` runs
// test/**/compress*.test.ts.
// --nightly runs the files with long tests: *.nightly.test.ts, and those that depend on test/support/nightly.ts or thorough.ts.
// --share=K/N runs every Nth file from the Kth on; K counts on beyond N, to the next cases of each matrix.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { buildTests } from './build-tests.mjs';

/**
 * Several files of a folder share a process with its engine, its browser and its services: a process that imports the
 * service takes a second, an engine another. Of these folders each file has a process of its own, and a file that measures
 * the memory of its process while thousands of images are written.
 */
const SEPARATE = /^test\/(?:(?:deploy|plugins|requirements|scripts)\/|server\/sites\/package\/size)/;
const MAX_TOGETHER = 24;

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { nightly: { type: 'boolean', default: false }, share: { type: 'string', default: '0/1' } },
});
const [share, shares] = options.share.split('/').map(Number);
if (!(Number.isInteger(share) && shares > 0)) throw new Error(`Expected --share=3/7 but received ${options.share}.`);

const all = readdirSync('test', { recursive: true })
  .map((path) => `test/${path}`)
  .filter((path) => path.endsWith('.test.ts') && (options.nightly ? hasNightlyTests : isNotNightly)(path))
  .sort()
  .filter((_, index) => index % shares === share % shares);
const files = wanted.length === 0 ? all : all.filter((path) => wanted.some((part) => path.includes(part)));
// Running zero files would always pass, so it must fail.
if (files.length === 0) {
  console.error(
    `Expected at least one test file${wanted.length ? ` matching ${wanted.join(', ')}` : ''} but found none.`,
  );
  process.exit(1);
}
const built = await buildTests();
// IMAGECREW_TEST_HOLDS=FILE: the services of the tests write the longest time that their event loop was blocked to this
// file. Tests run one at a time then, because with two test processes and their workers the services would wait for a
// core.
const holds = process.env.IMAGECREW_TEST_HOLDS;
if (holds) writeFileSync(holds, '');
const concurrency = holds ? 1 : Math.min(2, availableParallelism());
const reports = mkdtempSync(join(tmpdir(), 'imagecrew-failed-tests-'));
const failed = join(reports, 'failed.txt');
const { status } = spawnSync(
  holds ? 'taskset' : process.execPath,
  // Selected tests run in separate files, so that each is reported by its name.
  [
    ...(holds ? ['--cpu-list', '0', 'chrt', '--idle', '0', process.execPath] : []),
    '--enable-source-maps',
    '--test',
    `--test-concurrency=${concurrency}`,
    `--test-reporter=${process.stdout.isTTY ? 'spec' : 'tap'}`,
    '--test-reporter-destination=stdout',
    '--test-reporter=./scripts/failed-tests.mjs',
    `--test-reporter-destination=${failed}`,
    ...(files === all ? shared() : files.map(built)),
  ],
  { stdio: 'inherit', env: { ...process.env, ...testEnvironment() } },
);
if (holds) printHolds();
process.stdout.write(readFileSync(failed, 'utf8'));
rmSync(reports, { recursive: true });
process.exit(status ?? 1);

function isNotNightly(path) {
  return !path.endsWith('.nightly.test.ts');
}

/** Whether a file does more in nightly tests: by its name, or because it or one of its helpers asks which tests run. */
function hasNightlyTests(path) {
  return !isNotNightly(path) || imports(path, /^test\/support\/(?:nightly|thorough)[.]ts$/);
}

/** Whether a file in test/ imports one whose path matches, also through others in test/. */
function imports(path, wanted, seen = new Set()) {
  if (seen.has(path)) return false;
  seen.add(path);
  const specifiers = readFileSync(path, 'utf8').matchAll(/^(?:import|export|\}) .*from '([.][^']*[.]ts)';$/gm);
  return [...specifiers]
    .map(([, specifier]) => join(dirname(path), specifier))
    .some((file) => wanted.test(file) || (file.startsWith('test/') && imports(file, wanted, seen)));
}

/** Read by test/support/nightly.ts and test/support/thorough.ts. */
function testEnvironment() {
  return { IMAGECREW_TEST_NIGHTLY: `${options.nightly}`, IMAGECREW_TEST_ROUND: `${Math.floor(share / shares)}` };
}

/** Prints the longest time that the event loop was blocked in services that tests ran as separate processes. */
function printHolds() {
  const services = readFileSync(holds, 'utf8').split('\n').filter(Boolean);
  const [longest = '0'] = services.toSorted((a, b) => Number.parseFloat(b) - Number.parseFloat(a));
  console.log(`# longest hold of the event loop of ${services.length} services, in seconds: ${longest}`);
}

/** The built test files; files that share a process are replaced with one file that imports them. */
function shared() {
  const groups = new Map();
  for (const file of files) {
    const folder = sharedFolder(file);
    const last = groups.get(folder)?.at(-1);
    if (last && last.length < MAX_TOGETHER) last.push(file);
    else groups.set(folder, [...(groups.get(folder) ?? []), [file]]);
  }
  return [...groups].flatMap(([folder, parts]) =>
    parts.map((part, index) => (part.length === 1 ? built(part[0]) : together(`${folder}/together-${index}`, part))),
  );
}

/**
 * `test/server` for the files of that folder and of its folders. ImageMagick has one instance and one policy per
 * process: that of the product, or that of the reference in test/support/magick.ts.
 */
function sharedFolder(file) {
  const text = readFileSync(file, 'utf8');
  // A top-level hook would be registered too late, after the tests of another file.
  if (SEPARATE.test(file) || /^(?:before|after)(?:Each)?\(/m.test(text)) return file;
  const folder = file.split('/').slice(0, 2).join('/');
  return text.includes("support/magick.ts'") ? `${folder}/magick-reference` : folder;
}

function together(name, members) {
  const path = built(`${name}.test.ts`);
  const imports = members.map((member) => `await import('./${relative(dirname(path), built(member))}');\n`);
  // Otherwise the runner ends when the tests of the first files have ended, while the next file waits for WebAssembly to
  // be compiled. Nothing but the timer keeps the process alive then.
  const lines = [
    "import { test } from 'node:test';\n",
    'let loaded;\n',
    'const loading = new Promise((resolve) => { loaded = resolve; });\n',
    'const alive = setInterval(() => {}, 60_000);\n',
    `test('the files of ${name} load', () => loading);\n`,
    ...imports,
    'clearInterval(alive);\n',
    'loaded();\n',
  ];
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.join(''));
  return path;
}
