import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { repositoryFile } from '../support/repository.ts';

/** Files with texts for people and agents: documents, and the sources of generated texts. */
const PLACES = [
  'README.md',
  'CONTRIBUTING.md',
  'openapi.json',
  'docs',
  'server',
  'cli',
  'codemod',
  'console',
  'mcp',
  'web-documents',
  'replacement-package',
  'client',
  'engine',
  'models',
  'deploy',
];
const TEXT = /[.](?:md|json|tsx?|mjs|html|ya?ml|service|conf)$/;
/** Matches commands that fetch a package named `imagecrew` from a public registry. */
const REGISTRY_COMMAND =
  /\b(?:npx|bunx|pnpm dlx|yarn dlx|npm exec|npm x|npm (?:i|install)(?: -g| --global)?)(?: -\S+| --)* (?:package=)?imagecrew\b/;

async function textsIn(place: string): Promise<string[]> {
  const path = fileURLToPath(repositoryFile(place));
  if (TEXT.test(place)) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && TEXT.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
}

describe('documents and texts', () => {
  it('never tell a reader to run a package of a public registry by our name', async () => {
    const paths = (await Promise.all(PLACES.map(textsIn))).flat();
    assert.ok(paths.length > 500);
    const found: string[] = [];
    for (const path of paths) {
      const lines = (await readFile(path, 'utf8')).split('\n');
      for (const [index, line] of lines.entries())
        if (REGISTRY_COMMAND.test(line)) found.push(`${path}:${index + 1} ${line}`);
    }
    assert.deepEqual(found, []);
  });
});
