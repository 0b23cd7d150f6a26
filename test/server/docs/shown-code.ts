/** Runs code of the documentation as it is shown. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MODELS_FOLDER, modelsSkipReason } from '../../support/models.ts';
import { LOADER, program } from '../../support/repository.ts';
import { skipWithout } from '../../support/tool.ts';
import type { ServedDocs } from './served-docs.ts';

const run = promisify(execFile);

const noPython =
  skipWithout('python3') ||
  (await run('python3', ['-c', 'import requests']).then(
    () => false,
    () => 'not installed: requests of Python',
  ));

/** Defines `imagecrew` as the program of this repository, and curl quieter. */
const PRELUDE = `set -eo pipefail
imagecrew() { ${[process.execPath, ...LOADER.map((part) => (part.startsWith('-') ? part : import.meta.resolve(part))), fileURLToPath(program('cli/main'))].join(' ')} "$@"; }
curl() { command curl --silent --show-error --retry 3 "$@"; }
`;

export interface Language {
  /** The info string of a code fence. */
  language: 'sh' | 'js' | 'python';
  skip: string | false;
  command: string;
  file: string;
  start: string;
}

export const LANGUAGES: readonly Language[] = [
  { language: 'sh', skip: skipWithout('bash', 'curl'), command: 'bash', file: 'run.sh', start: PRELUDE },
  { language: 'js', skip: false, command: process.execPath, file: 'run.mjs', start: '' },
  { language: 'python', skip: noPython, command: 'python3', file: 'run.py', start: '' },
];

/** Returns the code blocks of a page with this info string: a language and, for some, a word for tests. */
export function blocksOf(markdown: string, ...info: string[]): string[] {
  const pattern = new RegExp(`^\`\`\`${info.join(' ')}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return [...markdown.matchAll(pattern)].map(([, code]) => code!);
}

/**
 * Runs code in a folder.
 * @returns its standard output
 * @throws if the program fails
 */
export async function runShown(
  { folder, key }: Pick<ServedDocs, 'folder' | 'key'>,
  { command, file, start }: Language,
  code: string,
): Promise<string> {
  await writeFile(join(folder, file), start + code);
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    KEY: key,
    ...(modelsSkipReason ? {} : { IC_MODELS_DIR: MODELS_FOLDER }),
  };
  const { stdout } = await run(command, [file], { cwd: folder, env, timeout: 120_000 });
  return stdout;
}
