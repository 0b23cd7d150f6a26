// Builds the tests, and all that they import, in one go: every process and worker thread of theirs starts as much sooner as
// compiling its modules on the way would take (1.5 s of processor time with a pool). Types are `npm run check:types`.
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { build } from 'esbuild';
import { build as buildWithVite } from 'vite';

const SOURCES = [
  ...['base', 'client', 'engine', 'codecs', 'models', 'plugins', 'storage', 'server'],
  ...['bench', 'scripts', 'test'],
];
const OUT = 'dist-test';

/** Of the console, its own build; tests import of it what needs no page. */
const CONSOLE = 'server/console/app';
const PAGE_FILES = new Set(['docs.ts', 'vite.config.ts'].map((name) => `${CONSOLE}/${name}`));

/** Every file stays one; what it imports is named as built. JSON goes in. */
const keepFiles = {
  name: 'keep-files',
  setup(builder) {
    builder.onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, kind }) =>
      kind === 'entry-point' ? undefined : { path: path.replace(/ts$/, 'js'), external: true },
    );
  },
};

/** @returns the built path of a source */
export async function buildTests() {
  const sources = SOURCES.flatMap((folder) =>
    readdirSync(folder, { recursive: true })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => `${folder}/${path}`)
      .filter((path) => !PAGE_FILES.has(path)),
  );
  const { outputFiles } = await build({
    entryPoints: sources,
    outbase: '.',
    outdir: OUT,
    write: false,
    bundle: true,
    packages: 'external',
    plugins: [keepFiles],
    format: 'esm',
    platform: 'node',
    target: 'node20',
    treeShaking: false,
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
  });
  for (const { path, contents } of outputFiles) writeWhole(path, contents);
  await buildConsole();
  return (source) => `${OUT}/${source.replace(/ts$/, 'js')}`;
}

async function buildConsole() {
  const { output } = await buildWithVite({ root: CONSOLE, logLevel: 'warn', build: { write: false } });
  for (const file of output) writeWhole(`${OUT}/server/console/built/${file.fileName}`, contentOf(file));
}

function contentOf({ type, code, source }) {
  return Buffer.from(type === 'chunk' ? code : source);
}

/** Whole at any time, and untouched where it is the same: another run may be at it. */
function writeWhole(path, contents) {
  if (holds(path, contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, contents);
  renameSync(partial, path);
}

function holds(path, contents) {
  try {
    return readFileSync(path).equals(contents);
  } catch {
    return false;
  }
}
