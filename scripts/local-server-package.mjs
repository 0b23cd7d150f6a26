// The local MCP server as an npm package of its own, which the service hands out (server/sites/local-server.ts): one
// file with all that it imports, so that `npx` fetches nothing else.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { FOR_NODE, PACKED, REQUIRE, writeWhole } from './bundles.mjs';

const NAME = 'imagecrew-mcp-local';
/** As deep as its source is in the build: the code finds `../../package.json`. */
const PROGRAM = 'dist/cli/local-server.js';

/** Imported only where they are installed: Chromium renders pages through one, Node 20 has SQLite only by the other. */
const OPTIONAL_PACKAGES = ['playwright-core', 'better-sqlite3'];

/** @param outs folders that receive the package, as `server/sites/mcp-local.tgz` */
export async function buildLocalServer(...outs) {
  const { outputFiles } = await build({
    ...FOR_NODE,
    ...PACKED,
    entryPoints: ['cli/local-server.ts'],
    outfile: PROGRAM,
    external: OPTIONAL_PACKAGES,
    banner: { js: `#!/usr/bin/env node\n${REQUIRE}` },
  });
  const files = {
    'package.json': JSON.stringify(packageJson(), null, 2),
    [PROGRAM]: outputFiles[0].contents,
    LICENSE: readFileSync('LICENSE'),
    'THIRD-PARTY-NOTICES': readFileSync('THIRD-PARTY-NOTICES'),
  };
  const archive = gzipSync(await tar(files), { level: 9 });
  for (const out of outs) writeWhole(`${out}/server/sites/mcp-local.tgz`, archive);
}

function packageJson() {
  const { version, license } = JSON.parse(readFileSync('package.json', 'utf8'));
  return {
    ...{ name: NAME, version, license, type: 'module' },
    description: 'Replaces the images in the sources of a website: the local MCP server of Imagecrew.',
    // Older ones contain no SQLite, which locks the project.
    engines: { node: '>=22.13' },
    bin: { [NAME]: PROGRAM },
  };
}

/** Equal files give equal bytes. */
async function tar(files) {
  const { TAR_END, tarHeader, tarPadding } = await importSource('storage/backup/tar.ts');
  const blocks = Object.entries(files).flatMap(([name, content]) => {
    const bytes = Buffer.from(content);
    return [tarHeader(`package/${name}`, bytes.length, 0), bytes, tarPadding(bytes.length)];
  });
  return Buffer.concat([...blocks, TAR_END]);
}

/** Imports a file of the product, which Node 20 cannot do by itself. */
async function importSource(path) {
  const { outputFiles } = await build({ ...FOR_NODE, entryPoints: [path] });
  return await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}
