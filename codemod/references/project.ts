/** Lists the contents of a project: its sources, its images and the skipped files. */
import { posix } from 'node:path';
import { MAPPING_FILE } from '../../replacement-package/layout.ts';
import { withFile } from '../files.ts';
import { type Framework, readFramework } from '../project/framework.ts';
import type { ProjectRoot } from '../project/root.ts';
import { type ProjectFile, type SkippedFile, walkProject } from '../project/walk.ts';

export interface Project {
  sources: ProjectFile[];
  /** Bytes by path. */
  images: Map<string, number>;
  skipped: SkippedFile[];
  framework: Framework;
}

export async function readProject(root: ProjectRoot, signal: AbortSignal): Promise<Project> {
  const sources: ProjectFile[] = [];
  const images = new Map<string, number>();
  const skipped: SkippedFile[] = [];
  const all: (ProjectFile | SkippedFile)[] = [];
  for await (const found of walkProject(root, signal)) all.push(found);
  const packages = await packageFolders(root, all);
  for (const found of all) {
    if (packages.some((folder) => found.path.startsWith(folder))) continue;
    if ('skipped' in found) skipped.push(found);
    else if (found.kind === 'source') sources.push(found);
    else images.set(found.path, found.bytes);
  }
  const files = [...sources, ...[...images].map(([path, bytes]) => ({ path, kind: 'image' as const, bytes }))];
  return { sources, images, skipped, framework: await readFramework(root, [...files, ...skipped]) };
}

const HEAD_BYTES = 4096;

/** Folders of replacement packages, with a trailing slash. Their contents are not part of the project. */
async function packageFolders(root: ProjectRoot, files: readonly { path: string }[]): Promise<string[]> {
  const folders: string[] = [];
  for (const { path } of files) {
    const folder = posix.dirname(path);
    if (posix.basename(path) !== MAPPING_FILE || folder === '.') continue;
    const head = await withFile(root, path, async (file) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      return buffer.toString('utf8', 0, bytesRead);
    });
    if (head && /"contract_version"/.test(head) && /"package_id"/.test(head)) folders.push(`${folder}/`);
  }
  return folders;
}
