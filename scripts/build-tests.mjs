// Builds the product, and the tests with everything that they import, in one step. Without the build every process and
// worker thread would compile its modules at run time (1.5 s of processor time with a pool). `npm run check:types` checks
// the types.
import { readdirSync } from 'node:fs';
import { relative } from 'node:path';
import { build, stop } from 'esbuild';
import { buildConsole, buildProduct, FOR_NODE, REQUIRE, WITH_SOURCE_MAPS, writeWhole } from './bundles.mjs';
import { buildLocalServer } from './local-server-package.mjs';

const SOURCES = [
  ...['base', 'client', 'engine', 'library', 'codecs', 'models', 'plugins', 'replacement-package', 'storage', 'server'],
  ...['chromium', 'cli', 'codemod', 'console', 'mcp', 'web-documents'],
  ...['bench', 'scripts', 'test'],
];
const OUT = 'dist-test';
/** Not dist/, from which a service may be running. */
const PRODUCT_OUT = 'dist-test-product';
const PACKAGES_OUT = `${OUT}/packages`;

/** Packages of many small modules; the MCP SDK alone takes 0.4 s to load. All others are imported from node_modules. */
const MANY_MODULES =
  /^(?:zod|zod-openapi|kysely|commander|koa|@koa\/router|nodemailer|htmlparser2|@modelcontextprotocol\/server)(?:$|\/)/;

/** The console has its own build; tests import only modules of it that need no page. */
const PAGE_FILES = new Set(['console/docs.ts', 'console/vite.config.ts']);

/** Worker threads share no module with the test, so they run the product, which loads faster. */
const WORKER = 'engine/worker-entry';
const WORKER_OF_PRODUCT = `export { default, ready } from '../../${PRODUCT_OUT}/${WORKER}.js';\n`;

/** @returns a function from the path of a source to its built path */
export async function buildTests() {
  const packages = new Set();
  const entryPoints = SOURCES.flatMap((folder) =>
    readdirSync(folder, { recursive: true })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => `${folder}/${path}`)
      .filter((path) => !PAGE_FILES.has(path) && path !== `${WORKER}.ts`),
  );
  const { outputFiles } = await build({
    ...FOR_NODE,
    ...WITH_SOURCE_MAPS,
    entryPoints,
    outbase: '.',
    outdir: OUT,
    packages: 'external',
    plugins: [keepFiles(packages)],
    treeShaking: false,
  });
  for (const { path, contents } of outputFiles) writeWhole(path, contents);
  writeWhole(`${OUT}/${WORKER}.js`, Buffer.from(WORKER_OF_PRODUCT));
  await Promise.all([
    buildPackages(packages),
    buildProduct(PRODUCT_OUT),
    buildConsole(`${PRODUCT_OUT}/server/console/built`, `${OUT}/server/console/built`),
    buildLocalServer(PRODUCT_OUT, OUT),
  ]);
  // Its process holds more than 1 GB, and would until the tests have ended.
  await stop();
  return (source) => `${OUT}/${source.replace(/ts$/, 'js')}`;
}

/**
 * Keeps one output file per source file and renames imports to the built files. JSON is inlined.
 * @param packages receives the specifiers of the imported packages that are bundled
 */
function keepFiles(packages) {
  return {
    name: 'keep-files',
    setup(builder) {
      builder.onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, kind }) =>
        kind === 'entry-point' ? undefined : { path: path.replace(/ts$/, 'js'), external: true },
      );
      builder.onResolve({ filter: MANY_MODULES }, ({ path, resolveDir }) => {
        packages.add(path);
        const importer = `${OUT}/${relative('', resolveDir)}`;
        return { path: relative(importer, `${PACKAGES_OUT}/${bundleName(path)}.js`), external: true };
      });
    },
  };
}

/** In one build, because the packages share zod and the classes of each other. */
async function buildPackages(specifiers) {
  const { outputFiles } = await build({
    ...FOR_NODE,
    entryPoints: [...specifiers].map((specifier) => ({ in: specifier, out: bundleName(specifier) })),
    outdir: PACKAGES_OUT,
    splitting: true,
    banner: { js: REQUIRE },
  });
  for (const { path, contents } of outputFiles) writeWhole(path, contents);
}

function bundleName(specifier) {
  return specifier.replace(/[.]js$/, '').replaceAll(/[^\w-]+/g, '_');
}
