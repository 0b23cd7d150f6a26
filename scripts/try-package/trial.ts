/** Installs the package in empty folders with one version of Node, and does the main jobs with it. */
import assert from 'node:assert/strict';
import { chmod, copyFile, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startMcp } from './mcp.ts';
import { createShell, type Shell } from './shell.ts';

export interface Job {
  name: string;
  ms: number;
}

export interface Trial {
  /** Of Node. */
  version: string;
  packages: number;
  /** Of `node_modules`, as files. */
  bytes: number;
  /** The same without optional dependencies. */
  coreBytes: number;
  jobs: readonly Job[];
}

export interface Setup {
  folder: string;
  /** Path of the program. */
  node: string;
  /** Path of the package. */
  tarball: string;
  proxy: { address: string };
}

const SOURCES = 'docs/examples/sources';
/** npx does not pass on signals. */
const PROGRAM = 'node_modules/imagecrew/bin/imagecrew.mjs';
const INSTALL = ['install', '--no-audit', '--no-fund'];

/** @throws Error for the first job that fails */
export async function tryPackage({ folder, node, tarball, proxy }: Setup): Promise<Trial> {
  const project = join(folder, 'project');
  await mkdir(project, { recursive: true });
  const shell = createShell({ folder: project, bin: await strippedPath(join(folder, 'bin'), node), proxy });
  const version = (await shell.run('node', ['--version'])).out.trim();
  const jobs: Job[] = [];
  const job = async (name: string, work: () => Promise<number | undefined>) => {
    const start = performance.now();
    const ms = await work().catch((cause: unknown) => {
      throw new Error(`Node ${version}: ${name} failed`, { cause });
    });
    jobs.push({ name, ms: ms ?? performance.now() - start });
  };
  const core = createShell({ ...shell, folder: join(folder, 'core') });
  await mkdir(core.folder);
  await core.run('npm', [...INSTALL, '--omit=optional', tarball]);

  await job('npm install', async () => void (await shell.run('npm', [...INSTALL, tarball])));
  for (const file of ['photo.jpg', 'page.png', 'small.jpg', 'logo.svg'])
    await copyFile(join(SOURCES, file), join(project, file));
  await job('compress', () => compress(shell));
  await job('compress an SVG', () => compressSvg(shell));
  await job('ocr', () => readText(shell));
  await job('upscale', () => upscale(shell));
  await job('createEngine', () => runGuide(shell));
  await job('mcp', () => startMcp(shell));
  const hasSqlite = (await shell.tryRun('node', ['-e', "require('node:sqlite')"])).status === 0;
  if (hasSqlite) {
    await job('scan', () => scan(shell));
    await job('serve', () => serve(shell));
  } else {
    await job('serve explains what is missing', () => refuseToServe(shell));
  }
  await job('npm install --global', () => installGlobally(shell, join(folder, 'global'), tarball));
  const packages = (await shell.run('npm', ['ls', '--all', '--parseable'])).out.trim().split('\n').length - 1;
  const bytes = await sizeOf(join(project, 'node_modules'));
  return { version, packages, bytes, coreBytes: await sizeOf(join(core.folder, 'node_modules')), jobs };
}

/** A folder for PATH with Node, npm and a shell: no compiler, no Python. */
async function strippedPath(folder: string, node: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await symlink(node, join(folder, 'node'));
  await symlink('/bin/sh', join(folder, 'sh'));
  const cli = process.env.npm_execpath;
  assert(cli, 'Expected to be started by npm run.');
  for (const name of ['npm', 'npx']) {
    const script = join(folder, name);
    await writeFile(script, `#!/bin/sh\nexec node '${cli.replace(/np[mx]-cli[.]js$/, `${name}-cli.js`)}' "$@"\n`);
    await chmod(script, 0o755);
  }
  return folder;
}

async function compress({ run, folder }: Shell): Promise<undefined> {
  await run('npx', ['imagecrew', 'compress', 'photo.jpg', '-o', 'photo.webp', '--width', '600']);
  const [photo, result] = await Promise.all(['photo.jpg', 'photo.webp'].map((name) => readFile(join(folder, name))));
  assert.equal(result!.toString('latin1', 8, 12), 'WEBP');
  assert.ok(result!.length < photo!.length);
}

async function compressSvg({ run, folder }: Shell): Promise<undefined> {
  await run('npx', ['imagecrew', 'compress', 'logo.svg', '-o', 'small.svg']);
  const [logo, result] = await Promise.all(
    ['logo.svg', 'small.svg'].map((name) => readFile(join(folder, name), 'utf8')),
  );
  assert.match(result!, /^<svg /);
  assert.ok(result!.length < logo!.length);
}

async function readText({ run }: Shell): Promise<undefined> {
  const { out } = await run('npx', ['imagecrew', 'ocr', 'page.png']);
  assert.match(out, /[A-Za-z]{4}/);
}

async function upscale({ run }: Shell): Promise<undefined> {
  await run('npx', ['imagecrew', 'upscale', 'small.jpg', '-o', 'large.png']);
  const widths = ['small.jpg', 'large.png'].map(async (file) => {
    const { out } = await run('npx', ['imagecrew', 'inspect', file, '--json']);
    return (JSON.parse(out) as { width: number }).width;
  });
  const [small, large] = await Promise.all(widths);
  assert.equal(large, 2 * small!);
}

/** Runs the first program of the guide. */
async function runGuide({ run, folder }: Shell): Promise<undefined> {
  const guide = await readFile('docs/guides/library.md', 'utf8');
  await writeFile(join(folder, 'guide.mjs'), /^```js\n([\s\S]*?)^```$/m.exec(guide)![1]!);
  const { out } = await run('node', ['guide.mjs']);
  assert.match(out, /^webp \d+ \d+ reduced$/m);
}

async function scan({ run, folder }: Shell): Promise<undefined> {
  await mkdir(join(folder, 'site'));
  await copyFile(join(folder, 'photo.jpg'), join(folder, 'site/photo.jpg'));
  await writeFile(
    join(folder, 'site/index.html'),
    '<!doctype html><title>Site</title><img src="photo.jpg" width="80">',
  );
  const { out } = await run('npx', ['imagecrew', 'scan', 'site', '--json']);
  assert.match(out, /photo[.]jpg/);
}

/** @returns the time until the service listens */
async function serve(shell: Shell): Promise<number> {
  const dataDir = join(shell.folder, 'data');
  const start = performance.now();
  const service = shell.start('node', [PROGRAM, 'serve'], {
    IC_DATA_DIR: dataDir,
    IC_PORT: '0',
    IC_MODELS_FETCH: 'false',
  });
  const address = await service.line(/listens on (\S+)/);
  const ms = performance.now() - start;
  const key = (await readFile(join(dataDir, 'first-key'), 'utf8')).trim();
  const response = await fetch(`${address}/api/v1/compress?format=webp&width=300`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: await readFile(join(shell.folder, 'photo.jpg')),
  });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('Content-Type'), 'image/webp');
  for (const page of ['/', '/docs', '/licences', '/openapi.json']) {
    const { status } = await fetch(address + page);
    assert.equal(status, 200, page);
  }
  assert.equal(await service.end('SIGTERM'), 0);
  return ms;
}

async function refuseToServe({ tryRun, folder }: Shell): Promise<undefined> {
  const { status, err } = await tryRun('npx', ['imagecrew', 'serve'], { IC_DATA_DIR: join(folder, 'data') });
  assert.notEqual(status, 0);
  assert.match(err, /Use Node 22[.]13 or newer, or run npm install better-sqlite3/);
}

/** Installs the command beside Node, and uses it in an empty folder. */
async function installGlobally(shell: Shell, prefix: string, tarball: string): Promise<number> {
  const start = performance.now();
  await shell.run('npm', [...INSTALL, '--global', '--prefix', prefix, tarball]);
  const ms = performance.now() - start;
  const empty = createShell({ ...shell, folder: join(prefix, 'empty') });
  await mkdir(empty.folder);
  await copyFile(join(shell.folder, 'photo.jpg'), join(empty.folder, 'photo.jpg'));
  await empty.run(join(prefix, 'bin/imagecrew'), ['compress', 'photo.jpg', '-o', 'small.jpg', '--width', '100']);
  assert.ok((await stat(join(empty.folder, 'small.jpg'))).size > 0);
  return ms;
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => stat(join(entry.parentPath, entry.name)));
  return (await Promise.all(files)).reduce((sum, { size }) => sum + size, 0);
}
