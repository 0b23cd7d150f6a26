import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The versions that the package supports, the first choice first. */
export const NODE_MAJORS = [22, 24, 20] as const;
export type NodeMajor = (typeof NODE_MAJORS)[number];

/** Installs each version from the packages of npm that carry Node. @returns the paths of the programs */
export async function installNodes(folder: string): Promise<ReadonlyMap<NodeMajor, string>> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{}');
  const packages = NODE_MAJORS.map((major) => `node${major}@npm:node@${major}`);
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: folder });
  return new Map(NODE_MAJORS.map((major) => [major, join(folder, `node_modules/node${major}/bin/node`)]));
}
