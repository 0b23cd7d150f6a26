// Builds the tests and everything that they import, in one step. Without the build every process and worker thread
// would compile its modules at run time (1.5 s of processor time with a pool). `npm run check:types` checks the types.
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { build } from 'esbuild';
import { build as buildWithVite } from 'vite';

const SOURCES = [
  ...['base', 'client', 'engine', 'codecs', 'models', 'plugins', 'replacement-package', 'storage', 'server'],
  ...['chromium', 'cli', 'codemod', 'console', 'mcp', 'web-documents'],
  ...['bench', 'scripts', 'test'],
];
const OUT = 'dist-test';

/** The console has its own build; tests import only modules of it that need no page. */
const CONSOLE = 'console';
const PAGE_FILES = new Set(['docs.ts', 'vite.config.ts'].map((name) => `${CONSOLE}/${name}`));

/** Keeps one output file per source file and renames imports to the built files. JSON is inlined. */
const keepFiles = {
  name: 'keep-files',
  setup(builder) {
    builder.onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, kind }) =>
      kind === 'entry-point' ? undefined : { path: path.replace(/ts$/, 'js'), external: true },
    );
  },
};

/** @returns a function from the path of a source to its built path */
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

/** Writes a file atomically, and only if it has changed: another run may be using it. */
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
