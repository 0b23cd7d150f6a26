// Bundles the product into dist/: a program that imports its 700 modules one by one starts in 1.0 to 1.7 s of processor
// time, from these files in 0.4 to 1.0 s. Every command pays for its start, and the pool of background workers for each
// worker that it replaces. `npm run check:types` checks the types.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, relative } from 'node:path';
import { build } from 'esbuild';
import { build as buildWithVite } from 'vite';

/** Zod's messages in fifty languages, of which the product uses none. */
const withoutTranslations = {
  name: 'without-translations',
  setup(builder) {
    builder.onLoad({ filter: /zod[/]v4[/]locales[/]index[.]js$/ }, () => ({
      contents: "export * as en from './en.js';",
    }));
  },
};

/** Their modules for Node read files beside themselves; these packages also have builds of one file. */
const ONE_FILE_BUILDS = { 'css-tree': 'dist/csstree.esm', csso: 'dist/csso.esm' };

const oneFileBuilds = {
  name: 'one-file-builds',
  setup(builder) {
    builder.onResolve({ filter: /^(?:css-tree|csso)$/ }, ({ path, importer, resolveDir }) =>
      builder.resolve(`${path}/${ONE_FILE_BUILDS[path]}`, { importer, resolveDir, kind: 'import-statement' }),
    );
  },
};

const ADAPTED_PACKAGES = [withoutTranslations, oneFileBuilds];

/** What all builds for Node have in common. */
export const FOR_NODE = {
  write: false,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  plugins: ADAPTED_PACKAGES,
  logLevel: 'warning',
};
export const WITH_SOURCE_MAPS = { sourcemap: 'linked', sourcesContent: false };

/** Programs, threads, and what is imported by an address that is made at run time. */
const ENTRY_POINTS = [
  'cli/main.ts',
  'library/index.ts',
  'engine/worker-entry.ts',
  'codecs/vips-thread.ts',
  'server/docs/rendering-thread.ts',
  'plugins/vite.ts',
  'plugins/astro.ts',
  ...foldersWith('engine/operations', 'run.ts'),
  ...foldersWith('codecs/formats', 'codec.ts'),
  ...foldersWith('codecs/formats', 'read.ts'),
];

/**
 * Packages that the product contains, so that nobody installs the parts of them that it never uses: development
 * dependencies that the product may import. All others are imported from node_modules: they hold data, WebAssembly or
 * machine code, or find their own files.
 */
const BUNDLED_PACKAGES = new Set(JSON.parse(readFileSync(new URL('bundled-packages.json', import.meta.url), 'utf8')));

const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);
const INSTALLED_PACKAGES = new Set(Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }));

/** @param specifier such as `css-tree/tokenizer` */
const packageOf = (specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
const isBundled = (specifier) => BUNDLED_PACKAGES.has(packageOf(specifier));

/**
 * Every thread holds the text of what it runs, with two bytes per character if one is beyond Latin-1. esbuild escapes
 * such characters, except those in comments, which it drops with the whitespace. A stack trace can name the lines.
 */
const COMPACT = { minifyWhitespace: true, lineLimit: 200 };

/** For the package: smaller, with all names. */
export const PACKED = { ...COMPACT, minify: true, keepNames: true, sourcemap: false };

/**
 * Writes the product without the console.
 * @param out folder in the repository, one level deep: the code finds `../docs`, `../codecs/jpeg/jpeg.wasm` and others
 * @param packed whether for the package, not for this machine
 */
export async function buildProduct(out, packed = false) {
  const form = packed ? PACKED : { ...COMPACT, ...WITH_SOURCE_MAPS };
  const product = { ...FOR_NODE, ...form, outbase: '.', outdir: out, splitting: true };
  const [code, client] = await Promise.all([
    build({
      ...product,
      entryPoints: ENTRY_POINTS,
      chunkNames: 'chunks/[name]-[hash]',
      plugins: [keepAddresses(out), shareClient, ...ADAPTED_PACKAGES, bundleSome],
      banner: { js: REQUIRE },
    }),
    // Also runs in browsers and in bundlers of others.
    build({ ...product, entryPoints: ['client/index.ts'], platform: 'neutral', packages: 'external' }),
  ]);
  const written = [...code.outputFiles, ...client.outputFiles];
  for (const { path, contents } of written) writeWhole(path, contents);
  // A package that was packed from this folder has left its own.
  if (!packed) rmSync(`${out}/carried`, { recursive: true, force: true });
  removeOthers(
    `${out}/chunks`,
    written.map(({ path }) => relative(`${out}/chunks`, path)),
  );
}

/**
 * Lists the packages whose code the product and the browser application contain, as folders: `node_modules/koa`.
 * esbuild follows the imports of the browser application faster than Vite, which builds it, and finds the same.
 */
export async function bundledPackages() {
  const analysed = { bundle: true, write: false, metafile: true, outdir: 'dist', logLevel: 'warning' };
  const built = await Promise.all([
    build({
      ...FOR_NODE,
      ...analysed,
      entryPoints: ENTRY_POINTS,
      splitting: true,
      plugins: [...ADAPTED_PACKAGES, bundleSome],
    }),
    build({
      ...{ ...analysed, entryPoints: ['console/main.tsx', 'console/docs.ts'], format: 'esm', splitting: true },
      loader: { '.svg': 'empty' },
    }),
  ]);
  const files = built
    .flatMap(({ metafile }) => Object.values(metafile.outputs))
    .flatMap(({ inputs }) => Object.entries(inputs))
    .flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []));
  const folders = files.flatMap((path) => path.match(/^.*node_modules[/](?:@[^/]+[/])?[^/]+/)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

/** @param outs folders that receive the browser application */
export async function buildConsole(...outs) {
  const { output } = await buildWithVite({ root: 'console', logLevel: 'warn', build: { write: false } });
  for (const out of outs) {
    for (const { type, fileName, code, source } of output)
      writeWhole(`${out}/${fileName}`, Buffer.from(type === 'chunk' ? code : source));
    removeOthers(
      out,
      output.map(({ fileName }) => fileName),
    );
  }
}

/** CommonJS packages require modules of Node. */
export const REQUIRE =
  "import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);";

/** The code finds files beside it by `import.meta.url`: it must see the path of its source, not that of its chunk. */
const keepAddresses = (out) => ({
  name: 'keep-addresses',
  setup(builder) {
    builder.onLoad({ filter: /[.]ts$/ }, ({ path }) => {
      const code = readFileSync(path, 'utf8');
      if (path.includes('node_modules') || !code.includes('import.meta.url')) return undefined;
      const folder = `import.meta.url.slice(0, import.meta.url.lastIndexOf('/${out}/'))`;
      const url = `(${folder} + '/${out}/${relative('', path).replace(/ts$/, 'js')}')`;
      return { contents: code.replaceAll('import.meta.url', url), loader: 'ts' };
    });
  },
});

/** One class of errors for `imagecrew` and `imagecrew/client`: a copy of it would fail `instanceof`. */
const shareClient = {
  name: 'share-client',
  setup(builder) {
    builder.onResolve({ filter: /^[.][.][/]client[/]errors[.]ts$/ }, () => ({
      path: '../client/index.js',
      external: true,
    }));
  },
};

const bundleSome = {
  name: 'bundle-some',
  setup(builder) {
    builder.onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point' || importer.includes('node_modules')) return undefined;
      if (isBundled(path)) return undefined;
      if (isBuiltin(path) || INSTALLED_PACKAGES.has(packageOf(path))) return { path, external: true };
      return { errors: [{ text: `Expected ${path} in scripts/bundled-packages.json or in the dependencies` }] };
    });
  },
};

function foldersWith(folder, file) {
  return readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith(`/${file}`))
    .map((path) => `${folder}/${path}`);
}

/** Removes what earlier builds left: the names contain a hash of the content. */
function removeOthers(folder, kept) {
  for (const name of readdirSync(folder)) if (!kept.includes(name)) rmSync(`${folder}/${name}`, { recursive: true });
}

/** Writes a file atomically, and only if it has changed: another run may be using it. */
export function writeWhole(path, contents) {
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
