/** Starter projects from their npm packages, and how their frameworks build them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Starter {
  name: string;
  framework: string;
  /** npm package with version; under the MIT licence. */
  package: string;
  /** Folders of the project in the package; later ones are copied over earlier ones. */
  project: readonly string[];
  /** The folder of the built website, in the project. */
  output: string;
  /** Files that the framework's project generator would write, or that a static host needs. */
  files?: Readonly<Record<string, string>>;
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

export const STARTERS: readonly Starter[] = [
  {
    name: 'agency',
    framework: 'HTML theme, built from Pug and Sass',
    package: 'startbootstrap-agency@7.0.12',
    project: ['.'],
    output: 'dist',
  },
  {
    name: 'docusaurus',
    framework: 'Docusaurus',
    package: 'create-docusaurus@3.10.2',
    project: ['templates/shared', 'templates/classic'],
    output: 'build',
  },
  {
    name: 'astro',
    framework: 'Astro',
    package: 'create-astro-app@1.2.1',
    project: ['src/template-ts-blog'],
    output: 'dist',
    files: {
      'package.json': json({
        private: true,
        scripts: { build: 'astro build' },
        devDependencies: {
          '@astrojs/mdx': '0.18.1',
          '@astrojs/rss': '2.3.0',
          '@astrojs/sitemap': '1.2.1',
          astro: '2.1.3',
        },
        // Later versions of 7 accept only relative folders, and this version of the integration gives an absolute one.
        overrides: { sitemap: '7.1.1' },
      }),
    },
  },
  {
    name: 'next',
    framework: 'Next',
    package: 'create-nextra-app@0.2.0',
    project: ['dist/templates/blog'],
    output: 'out',
    files: {
      'package.json': json({
        private: true,
        scripts: { build: 'next build' },
        dependencies: {
          next: '13.5.6',
          nextra: '2.13.4',
          'nextra-theme-blog': '2.13.4',
          react: '18.3.1',
          'react-dom': '18.3.1',
        },
      }),
      // Next exports a static website only if its image server is not needed.
      'next.config.js': `const withNextra = require('nextra')('nextra-theme-blog', './theme.config.js')
module.exports = withNextra({ output: 'export', images: { unoptimized: true } })
`,
    },
  },
];

/** Runs a program; its output goes to a file. */
async function run(command: string, args: readonly string[], cwd: string, log: string): Promise<void> {
  const output = createWriteStream(log, { flags: 'a' });
  await once(output, 'open');
  const child = spawn(command, args, { cwd, stdio: ['ignore', output, output], env: { ...process.env, CI: 'true' } });
  const [code] = (await once(child, 'exit')) as [number | null];
  output.close();
  if (code !== 0)
    throw new Error(`Expected ${command} ${args.join(' ')} to end with 0 but received ${code}: see ${log}.`);
}

/** Copies the project of a starter into a folder, which must be empty, and installs its dependencies. */
export async function prepareStarter(starter: Starter, folder: string): Promise<void> {
  const unpacked = `${folder}.package`;
  await mkdir(unpacked, { recursive: true });
  const log = `${folder}.log`;
  await run('npm', ['pack', '--silent', starter.package], unpacked, log);
  await run('sh', ['-c', 'tar xzf *.tgz'], unpacked, log);
  for (const part of starter.project) await cp(join(unpacked, 'package', part), folder, { recursive: true });
  await rm(join(folder, starter.output), { recursive: true, force: true });
  for (const [name, text] of Object.entries(starter.files ?? {})) await writeFile(join(folder, name), text);
  await run('npm', ['install', '--no-audit', '--no-fund', '--legacy-peer-deps'], folder, log);
}

/** Builds the project again, and copies the website to `site`. */
export async function buildStarter(starter: Starter, folder: string, site: string): Promise<void> {
  await rm(join(folder, starter.output), { recursive: true, force: true });
  await run('npm', ['run', 'build'], folder, `${folder}.log`);
  await cp(join(folder, starter.output), site, { recursive: true });
}
