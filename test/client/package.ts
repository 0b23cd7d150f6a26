/** Installs the client as `imagecrew/client` in a project, and reads the programs of its guide. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { repositoryFile } from '../support/repository.ts';

const run = promisify(execFile);
const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

const PACKAGE = {
  name: 'imagecrew',
  version: '0.0.0',
  type: 'module',
  exports: { './client': { types: './dist/client/index.d.ts', default: './dist/client/index.js' } },
};

/** Runs the compiler. @throws an error with the compiler's output */
export async function tsc(...args: string[]): Promise<void> {
  await run(process.execPath, [TSC, '--pretty', 'false', ...args]).catch(({ stdout }) => {
    throw new Error(stdout);
  });
}

/** Builds the client and installs it in a project. */
export async function installClient(project: string): Promise<void> {
  const folder = join(project, 'node_modules/imagecrew');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify(PACKAGE));
  await writeFile(join(project, 'package.json'), '{"type": "module"}');
  const client = fileURLToPath(repositoryFile('client/tsconfig.json'));
  await tsc('-p', client, '--outDir', join(folder, 'dist'), '--emitDeclarationOnly', 'false');
}

export interface GuidePrograms {
  /** All TypeScript blocks of the guide, joined into one program. */
  main: string;
  receiver: string;
  page: string;
}

export async function programsOfGuide(): Promise<GuidePrograms> {
  const guide = await readFile(repositoryFile('docs/guides/client.md'), 'utf8');
  const blocks = [...guide.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)].map(([, info, code]) => ({ info, code: code! }));
  const of = (wanted: string) => blocks.filter(({ info }) => info === wanted).map(({ code }) => code);
  return { main: of('ts').join('\n'), receiver: of('ts receiver').join(''), page: of('js').join('') };
}
