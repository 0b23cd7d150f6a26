/**
 * Reads a project's configuration: where its images are and whether a framework optimizes them. Files are parsed as
 * text and never executed.
 */
import { posix } from 'node:path';
import { Failure } from '../../base/failure.ts';
import { configValues } from './config-text.ts';
import type { ProjectFile } from './project-file.ts';
import type { ProjectRoot } from './root.ts';

export interface Alias {
  /** Prefix of an address, such as `@/`. */
  prefix: string;
  /** Folder that the prefix stands for, relative to the root; empty for the root itself. */
  folder: string;
}

export interface Framework {
  /** `next`, `astro`, `hugo`, ...; `none` if it is unknown. */
  name: string;
  /** Folders served at the site's root, relative to the project root: configured ones first, then the usual ones. */
  publicDirs: string[];
  aliases: Alias[];
  /** False if the framework's image component serves every file unchanged. */
  optimizesImages: boolean;
}

/** Frameworks by a package that the project depends on. The first match counts. */
const PACKAGES: readonly (readonly [name: string, framework: string])[] = [
  ['next', 'next'],
  ['nuxt', 'nuxt'],
  ['nuxt3', 'nuxt'],
  ['@sveltejs/kit', 'sveltekit'],
  ['astro', 'astro'],
  ['gatsby', 'gatsby'],
  ['@docusaurus/core', 'docusaurus'],
  ['vitepress', 'vitepress'],
  ['vuepress', 'vuepress'],
  ['@11ty/eleventy', 'eleventy'],
  ['hexo', 'hexo'],
  ['hexo-cli', 'hexo'],
  ['@remix-run/react', 'remix'],
  ['@react-router/dev', 'react-router'],
  ['@angular/core', 'angular'],
  ['@vue/cli-service', 'vue-cli'],
  ['react-scripts', 'create-react-app'],
  ['vite', 'vite'],
];

/** Frameworks by a file in the root, or in a folder that only one framework has. */
const FILES: readonly (readonly [name: RegExp, framework: string])[] = [
  [/^hugo\.(?:toml|ya?ml|json)$/, 'hugo'],
  // Must come before Jekyll: the configuration file has the same name.
  [/^(?:scaffolds|source\/_posts)\//, 'hexo'],
  [/^_config\.ya?ml$/, 'jekyll'],
  [/^artisan$/, 'laravel'],
  [/^manage\.py$/, 'django'],
  [/^config\.ru$/, 'rails'],
  [/^wp-(?:config|load)\.php$/, 'wordpress'],
  [/^mkdocs\.ya?ml$/, 'mkdocs'],
  [/^[^/]*\.csproj$/, 'aspnet'],
  [/^(?:\.eleventy|eleventy\.config)\.[cm]?js$/, 'eleventy'],
];

/** Frameworks by a folder anywhere, since the packages may belong to an enclosing project. */
const FOLDERS: readonly (readonly [name: RegExp, framework: string])[] = [
  [/(?:^|\/)\.vitepress\//, 'vitepress'],
  [/(?:^|\/)\.vuepress\//, 'vuepress'],
];

/** The usual public folders; `*` stands for one folder. */
const PUBLIC_DIRS: readonly string[] = [
  'public',
  'static',
  'assets',
  'wwwroot',
  'htdocs',
  'docs/public',
  'docs/.vuepress/public',
  'wp-content/uploads',
  'content',
  'themes/*/static',
  'themes/*/source',
  'src/main/resources/static',
  'app/assets/images',
  'source',
];

/** Default aliases of frameworks. */
const ALIASES: Readonly<Record<string, readonly Alias[]>> = {
  nuxt: [
    { prefix: '~/', folder: '' },
    { prefix: '@/', folder: '' },
    { prefix: '~~/', folder: '' },
    { prefix: '@@/', folder: '' },
  ],
  sveltekit: [{ prefix: '$lib/', folder: 'src/lib' }],
  'vue-cli': [{ prefix: '@/', folder: 'src' }],
  remix: [{ prefix: '~/', folder: 'app' }],
  aspnet: [{ prefix: '~/', folder: 'wwwroot' }],
};

const CONFIGURATION =
  /^(?:vite|nuxt|svelte|astro|next|vue|gatsby|docusaurus|eleventy|\.eleventy)(?:\.?config)?\.[cm]?[jt]s$/;
const TYPES = /^(?:tsconfig|jsconfig)(?:\.[a-z]+)?\.json$/;
const MAX_CONFIG_BYTES = 200_000;

/** @param files all files of the walk, including skipped ones, since they may identify a framework */
export async function readFramework(
  root: ProjectRoot,
  files: readonly Pick<ProjectFile, 'path'>[],
): Promise<Framework> {
  const top = files.map(({ path }) => path).filter((path) => !path.includes('/'));
  const name = (await frameworkOfPackages(root)) ?? frameworkOfFiles(files.map(({ path }) => path)) ?? 'none';
  const publicDirs = new Set<string>();
  const aliases = new Map<string, string>();
  let optimizesImages = true;
  for (const path of top.filter((file) => CONFIGURATION.test(file))) {
    const values = configValues(await textOf(root, path));
    if (name === 'next' && values.hasUnoptimizedImages) optimizesImages = false;
    for (const folder of values.publicDirs) add(publicDirs, folderOf(folder));
    for (const [key, value] of values.aliases) addAlias(aliases, key, value);
  }
  for (const path of top.filter((file) => TYPES.test(file))) readPaths(aliases, await textOf(root, path));
  const usual =
    name === 'nuxt' && files.some(({ path }) => path.startsWith('app/')) ? appAliases() : (ALIASES[name] ?? []);
  for (const { prefix, folder } of usual) if (!aliases.has(prefix)) aliases.set(prefix, folder);
  for (const folder of usualDirs(files)) publicDirs.add(folder);
  return {
    name,
    publicDirs: [...publicDirs],
    aliases: [...aliases].map(([prefix, folder]) => ({ prefix, folder })),
    optimizesImages,
  };
}

/** Since Nuxt 4 the sources are in `app`. */
function appAliases(): Alias[] {
  return [
    { prefix: '~/', folder: 'app' },
    { prefix: '@/', folder: 'app' },
    { prefix: '~~/', folder: '' },
    { prefix: '@@/', folder: '' },
  ];
}

async function frameworkOfPackages(root: ProjectRoot): Promise<string | undefined> {
  const manifest = parseObject(await textOf(root, 'package.json'));
  // A theme may not depend on its framework.
  if (typeof manifest.name === 'string' && /^(?:@[^/]+\/)?hexo-theme-/.test(manifest.name)) return 'hexo';
  const names = new Set(
    ['dependencies', 'devDependencies', 'peerDependencies'].flatMap((member) =>
      Object.keys(objectOf(manifest[member])),
    ),
  );
  return PACKAGES.find(([name]) => names.has(name))?.[1];
}

const frameworkOfFiles = (paths: readonly string[]): string | undefined =>
  [...FILES, ...FOLDERS].find(([pattern]) => paths.some((path) => pattern.test(path)))?.[1];

function usualDirs(files: readonly Pick<ProjectFile, 'path'>[]): string[] {
  const folders = new Set<string>();
  for (const { path } of files)
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1))
      folders.add(path.slice(0, slash));
  return PUBLIC_DIRS.flatMap((wanted) => {
    if (!wanted.includes('*')) return folders.has(wanted) ? [wanted] : [];
    const [before, after] = wanted.split('*') as [string, string];
    return [...folders].filter(
      (folder) =>
        folder.startsWith(before) &&
        folder.endsWith(after) &&
        !folder.slice(before.length, -after.length).includes('/'),
    );
  });
}

function add(folders: Set<string>, folder: string | undefined): void {
  if (folder) folders.add(folder);
}

/** Adds an alias. `@` and `@/*` both become `@/`. */
function addAlias(aliases: Map<string, string>, key: string, value: string): void {
  const folder = folderOf(value.replace(/(?:^|\/)\*$/, ''));
  const prefix = key.replace(/\/\*$/, '').replace(/\/$/, '');
  if (folder !== undefined && prefix !== '' && !prefix.includes('*')) aliases.set(`${prefix}/`, folder);
}

/** @returns undefined for a folder outside the project */
function folderOf(written: string): string | undefined {
  // All these configurations treat a leading slash as the project root.
  const folder = posix.normalize(written.replace(/^~~?\/|^\/+/, './')).replace(/\/$/, '');
  if (folder === '.' || folder === '') return '';
  return folder === '..' || folder.startsWith('../') || folder.includes('\0') || folder.includes('*')
    ? undefined
    : folder;
}

function readPaths(aliases: Map<string, string>, text: string): void {
  const options = objectOf(parseObject(withoutComments(text)).compilerOptions);
  const base = typeof options.baseUrl === 'string' ? options.baseUrl : '.';
  for (const [key, targets] of Object.entries(objectOf(options.paths))) {
    const target: unknown = Array.isArray(targets) ? targets[0] : undefined;
    if (key.endsWith('/*') && typeof target === 'string' && target.endsWith('/*'))
      addAlias(aliases, key, posix.join(base, target));
  }
}

/** Removes comments and trailing commas, which these JSON files may contain. */
function withoutComments(text: string): string {
  return text
    .replace(/"[^"\\]*(?:\\[\s\S][^"\\]*)*"|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, (found) =>
      found.startsWith('"') ? found : ' ',
    )
    .replace(/"[^"\\]*(?:\\[\s\S][^"\\]*)*"|,(?=\s{0,1000}[}\]])/g, (found) => (found === ',' ? '' : found));
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return objectOf(JSON.parse(text.replace(/^\ufeff/, '')));
  } catch {
    return {};
  }
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** Empty if the file does not exist. */
async function textOf(root: ProjectRoot, path: string): Promise<string> {
  try {
    return (await root.read(path, MAX_CONFIG_BYTES)).toString('utf8');
  } catch (error) {
    if (error instanceof Failure) return '';
    throw error;
  }
}
