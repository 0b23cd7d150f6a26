/** What the configuration of a project says about where its images lie. It is read as text, never run. */
import type { ProjectRoot } from './root.ts';
import type { ProjectFile } from './walk.ts';

export interface Alias {
  /** Of an address: `@/`. */
  prefix: string;
  /** That it stands for, relative to the root; '' for the root itself. */
  folder: string;
}

export interface Framework {
  /** `next`, `astro`, `hugo`, ...; `none` where nothing tells. */
  name: string;
  /** Whose files a site serves from its top, relative to the root, the likeliest first. */
  publicDirs: string[];
  aliases: Alias[];
}

const PUBLIC_DIRS = ['public', 'static', 'assets', 'wwwroot', 'htdocs', 'docs/public', 'wp-content/uploads', 'content'];

/** @param files of the walk */
export async function readFramework(
  _root: ProjectRoot,
  files: readonly Pick<ProjectFile, 'path'>[],
): Promise<Framework> {
  const publicDirs = PUBLIC_DIRS.filter((folder) => files.some(({ path }) => path.startsWith(`${folder}/`)));
  return { name: 'none', publicDirs, aliases: [] };
}
