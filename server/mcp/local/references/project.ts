/** The project as it lies there: its sources, its images and what of it is not looked at. */
import { type Framework, readFramework } from '../project/framework.ts';
import type { ProjectRoot } from '../project/root.ts';
import { type ProjectFile, type SkippedFile, walkProject } from '../project/walk.ts';

export interface Project {
  sources: ProjectFile[];
  /** By their paths: bytes. */
  images: Map<string, number>;
  skipped: SkippedFile[];
  framework: Framework;
}

export async function readProject(root: ProjectRoot, signal: AbortSignal): Promise<Project> {
  const sources: ProjectFile[] = [];
  const images = new Map<string, number>();
  const skipped: SkippedFile[] = [];
  for await (const found of walkProject(root, signal)) {
    if ('skipped' in found) skipped.push(found);
    else if (found.kind === 'source') sources.push(found);
    else images.set(found.path, found.bytes);
  }
  const files = [...sources, ...[...images].map(([path, bytes]) => ({ path, kind: 'image' as const, bytes }))];
  return { sources, images, skipped, framework: await readFramework(root, [...files, ...skipped]) };
}
