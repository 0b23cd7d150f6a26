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
  const archive = gzipSync(tar(files), { level: 9 });
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

const BLOCK = 512;

/** Writes an archive as npm reads it: POSIX ustar, all files in `package/`. Equal files give equal bytes. */
function tar(files) {
  const blocks = Object.entries(files).flatMap(([name, content]) => {
    const bytes = Buffer.from(content);
    return [tarHeader(`package/${name}`, bytes.length), bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

/** The fields of POSIX.1-2001, "ustar Interchange Format". Numbers are octal. */
function tarHeader(name, size) {
  const header = Buffer.alloc(BLOCK);
  const octal = (number, length) => number.toString(8).padStart(length, '0');
  header.write(name, 0);
  header.write(octal(0o755, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(size, 11), 124);
  header.write(octal(0, 11), 136);
  // The checksum counts its own field as spaces.
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\x00 `,
    148,
  );
  return header;
}
