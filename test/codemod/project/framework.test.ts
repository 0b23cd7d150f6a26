import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Framework, readFramework } from '../../../codemod/project/framework.ts';
import { ProjectRoot } from '../../../codemod/project/root.ts';
import { walkProject } from '../../../codemod/project/walk.ts';
import { withFolder, writeFiles } from '../../support/folder.ts';

async function frameworkOf(files: Readonly<Record<string, string>>, links: Readonly<Record<string, string>> = {}) {
  return await withFolder(async (folder): Promise<Framework> => {
    await writeFiles(folder, files);
    for (const [path, target] of Object.entries(links)) await symlink(target, join(folder, path));
    const root = await ProjectRoot.open(folder);
    const found: { path: string }[] = [];
    for await (const file of walkProject(root, new AbortController().signal)) found.push(file);
    return await readFramework(root, found);
  });
}

const NONE: Framework = { name: 'none', publicDirs: [], aliases: [], optimizesImages: true };

const dependsOn = (name: string) => JSON.stringify({ dependencies: { [name]: '1', vite: '1' } });

describe('the framework of a project', () => {
  it('is detected by its packages, otherwise by its files', async () => {
    for (const [name, framework] of [
      ['next', 'next'],
      ['nuxt', 'nuxt'],
      ['@sveltejs/kit', 'sveltekit'],
      ['astro', 'astro'],
      ['gatsby', 'gatsby'],
      ['left-pad', 'vite'],
    ] as const)
      assert.equal((await frameworkOf({ 'package.json': dependsOn(name) })).name, framework);
    for (const [path, framework] of [
      ['hugo.toml', 'hugo'],
      ['_config.yml', 'jekyll'],
      ['artisan', 'laravel'],
      ['wp-load.php', 'wordpress'],
      ['docs/.vitepress/config.ts', 'vitepress'],
      ['scaffolds/post.md', 'hexo'],
    ] as const)
      assert.equal((await frameworkOf({ [path]: '' })).name, framework);
    assert.equal((await frameworkOf({ '_config.yml': '', 'source/_posts/one.md': '' })).name, 'hexo');
    assert.equal((await frameworkOf({ '_config.yml': '', 'package.json': '{"name": "hexo-theme-one"}' })).name, 'hexo');
    assert.equal((await frameworkOf({ '_config.yml': '', '_posts/one.md': '' })).name, 'jekyll');
    assert.deepEqual(await frameworkOf({ 'a/hugo.toml': '' }), NONE);
  });

  it('determines the public folders, existing or configured', async () => {
    const { publicDirs } = await frameworkOf({
      'package.json': dependsOn('vite'),
      'vite.config.ts': `export default defineConfig({ publicDir: './files', build: { outDir: 'x' } })`,
      'public/a.png': '',
      'themes/one/static/b.png': '',
      'wp-content/uploads/2020/c.png': '',
      'src/public/d.png': '',
    });
    assert.deepEqual(publicDirs, ['files', 'public', 'wp-content/uploads', 'themes/one/static']);
    const kit = await frameworkOf({
      'package.json': dependsOn('@sveltejs/kit'),
      'svelte.config.js': `export default { kit: { files: { assets: 'media' }, alias: { $pictures: 'src/pictures', '$more/*': 'src/more/*' } } };`,
    });
    assert.deepEqual(kit.publicDirs, ['media']);
    assert.deepEqual(kit.aliases, [
      { prefix: '$pictures/', folder: 'src/pictures' },
      { prefix: '$more/', folder: 'src/more' },
      { prefix: '$lib/', folder: 'src/lib' },
    ]);
  });

  it('determines the aliases in its configuration, which is never executed', async () => {
    const { aliases } = await frameworkOf({
      'package.json': dependsOn('vite'),
      'tsconfig.json': `{ // a comment, "x": 1
        "compilerOptions": { "baseUrl": "./src", "paths": { "@img/*": ["images/*"], "~/*": ["../*",], "out/*": ["../../out/*"], "one": ["one.ts"] }, } /* end */ }`,
      'vite.config.mjs': `import { fileURLToPath } from 'node:url';
        throw new Error('it is run');
        export default { resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)), '#': path.resolve(__dirname, 'app', 'assets'), bad: '../outside' } } };`,
      'next.config.js': `module.exports = { webpack: (c) => { c.resolve.alias = [{ find: 'x', replacement: '/src/x' }]; return { alias: [{ find: 'y', replacement: '/src/y' }] } } }`,
    });
    assert.deepEqual(
      new Map(aliases.map(({ prefix, folder }) => [prefix, folder])),
      new Map([
        ['@/', 'src'],
        ['#/', 'app/assets'],
        ['@img/', 'src/images'],
        ['~/', ''],
        ['y/', 'src/y'],
      ]),
    );
  });

  it('optimizes images unless its configuration disables it', async () => {
    for (const [framework, images, optimizes] of [
      ['next', '{ unoptimized: true }', false],
      ['next', '{ unoptimized: false }', true],
      ['next', '{ formats: [{ unoptimized: true }] }', true],
      ['next', 'process.env.IMAGES', true],
      ['astro', '{ unoptimized: true }', true],
    ] as const) {
      const configuration = `module.exports = withPlugin({ output: 'export', images: ${images} });`;
      const { optimizesImages } = await frameworkOf({
        'package.json': dependsOn(framework),
        'next.config.js': configuration,
      });
      assert.equal(optimizesImages, optimizes, `${framework} ${images}`);
    }
  });

  it('is none if its files are invalid, too large or outside the project', async () => {
    const broken = await frameworkOf({
      'package.json': '{"dependencies": [',
      'tsconfig.json': '[[[',
      'vite.config.ts': 'export default {{{',
      'nuxt.config.ts': '('.repeat(100_000),
    });
    assert.deepEqual(broken, NONE);
    const large = await frameworkOf({ 'package.json': `${dependsOn('next')}${' '.repeat(200_000)}` });
    assert.equal(large.name, 'none');
    const outside = await frameworkOf(
      { 'a.html': '' },
      { 'package.json': '/etc/passwd', 'vite.config.js': '/dev/zero' },
    );
    assert.equal(outside.name, 'none');
  });
});
