/** The files of a project that are looked at, and why the others are not (spec/shapes.md, section 18.4, safety 2). */
import { readdir } from 'node:fs/promises';
import type { ProjectRoot } from './root.ts';

export interface ProjectFile {
  /** Relative to the root, with `/`. */
  path: string;
  /** An SVG is both, and comes once as each. */
  kind: 'source' | 'image';
  bytes: number;
  /** Of a source: why it is not edited unless somebody says so. */
  reason?: 'test_or_story' | 'email_template' | 'generated';
}

export type SkipReason =
  /** By git. */
  | 'ignored'
  /** A folder of what a build has written. */
  | 'built'
  /** `.git`, `node_modules`, `vendor`, `.ic`. */
  | 'excluded'
  | 'link'
  /** A FIFO, a socket, a device. */
  | 'special'
  | 'unreadable'
  | 'lock_file'
  | 'secret'
  | 'minified'
  | 'too_large'
  | 'binary'
  | 'unknown_kind';

export interface SkippedFile {
  path: string;
  skipped: SkipReason;
  /** It is a folder with all that is in it. */
  folder: boolean;
}

/** The files in the order of their paths, folder by folder. */
export async function* walkProject(root: ProjectRoot, signal: AbortSignal): AsyncGenerator<ProjectFile | SkippedFile> {
  for (const name of await root.inFolder('', (folder) => readdir(folder))) {
    signal.throwIfAborted();
    yield { path: name, skipped: 'unknown_kind', folder: false };
  }
}
