/** The plugins in real Vite builds, and called in the way Astro calls integrations. */
import assert from 'node:assert/strict';
import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { build, createLogger, type InlineConfig } from 'vite';
import imagecrewAstro from '../../plugins/astro.ts';
import imagecrew, { type ImagecrewOptions } from '../../plugins/vite.ts';
import { tsc } from '../client/package.ts';
import { readFiles, withFolder, writeFiles } from '../support/folder.ts';
import { nightlyOnly } from '../support/nightly.ts';
import { repositoryFile } from '../support/repository.ts';
import { jpeg, pattern } from '../support/test-images.ts';

let photo: Buffer;
let other: Buffer;
before(async () => {
  // For the command that the plugins start.
  process.env.IC_WORKERS = '1';
  photo = await jpeg(pattern(400, 300), 98);
  other = await jpeg(pattern(300, 400), 98);
});

const isImage = (path: string) => /[.](?:jpg|png)$/.test(path);

/** Writes a website with an image that the bundler renames and one that is copied unchanged. */
const fillProject = (root: string) =>
  writeFiles(root, {
    'index.html': '<img src="/photo.jpg"><script type="module" src="/main.js"></script>',
    'main.js': "import url from './images/other.jpg';\ndocument.body.append(url);\n",
    'server.js': "export { default } from './images/other.jpg';\n",
    'images/other.jpg': other,
    'public/photo.jpg': photo,
  });

/** Runs a build; returns the messages of the plugin and the files. */
async function buildWith(root: string, options: ImagecrewOptions | undefined, config: InlineConfig = {}) {
  const said: string[] = [];
  const customLogger = createLogger('silent');
  for (const level of ['info', 'warn'] as const)
    customLogger[level] = (message) => {
      if (message.startsWith('imagecrew: ')) said.push(message.slice('imagecrew: '.length));
    };
  const plugins = options ? [imagecrew(options)] : [];
  await build({ root, configFile: false, logLevel: 'silent', customLogger, plugins, ...config });
  return { said, files: await readFiles(join(root, config.build?.outDir ?? 'dist')) };
}

describe('imagecrew/vite', () => {
  it('makes the images of a build smaller, changes nothing else, and skips them the second time', async () => {
    await withFolder(async (root) => {
      await fillProject(root);
      const plain = await buildWith(root, undefined);
      const first = await buildWith(root, {});
      assert.deepEqual(Object.keys(first.files), Object.keys(plain.files));
      const images = Object.keys(plain.files).filter(isImage);
      assert.equal(images.length, 2);
      for (const [path, data] of Object.entries(plain.files)) {
        const made = first.files[path]!;
        if (!images.includes(path)) assert.ok(made.equals(data), path);
        else {
          const [before, after] = await Promise.all([sharp(data).metadata(), sharp(made).metadata()]);
          assert.deepEqual([after.format, after.width, after.height], ['jpeg', before.width, before.height]);
          assert.ok(made.length < 0.9 * data.length, path);
        }
      }
      assert.equal(first.said.length, 1);
      assert.match(
        first.said[0]!,
        /^2 images, [0-9.]+ kB -> [0-9.]+ kB \([0-9.]+% less\), 2 optimized, 0 from the cache, 0 unchanged, 2 compressed now$/,
      );
      const second = await buildWith(root, {});
      assert.deepEqual(second.files, first.files);
      assert.match(second.said[0]!, /, 0 optimized, 2 from the cache, 0 unchanged, 0 compressed now$/);
      assert.deepEqual(
        (await readdir(root)).filter((name) => name.startsWith('.')),
        ['.imagecrew-cache'],
      );
    });
  });

  it('accepts the options of the command line, and does not change a server build', { skip: nightlyOnly }, async () => {
    await withFolder(async (root) => {
      await fillProject(root);
      const outside = join(root, 'cache');
      const chosen = await buildWith(root, { cache: 'cache', quality: 30, exclude: ['/assets/**'] });
      assert.match(chosen.said[0]!, /^1 image, .*, 1 optimized, /);
      assert.ok((await readdir(outside)).length > 1);
      assert.ok(Object.entries(chosen.files).some(([path, data]) => path.startsWith('assets/') && data.equals(other)));
      const server = { build: { ssr: 'server.js', outDir: 'server', ssrEmitAssets: true } };
      const { said, files } = await buildWith(root, { cache: 'cache' }, server);
      assert.deepEqual(said, []);
      assert.ok(Object.values(files).some((data) => data.equals(other)));
    });
  });

  it('fails for invalid options, and only warns about an unreadable image', { skip: nightlyOnly }, async () => {
    await withFolder(async (root) => {
      await writeFiles(root, { 'index.html': '<img src="/bad.jpg">', 'public/bad.jpg': 'no image' });
      await assert.rejects(
        buildWith(root, { quality: 0 }),
        /imagecrew: error: option '--quality <integer>' .*Expected an integer from 1 to 100[.]/s,
      );
      const unknown = { qualty: 80 } as ImagecrewOptions;
      await assert.rejects(buildWith(root, unknown), /imagecrew: error: unknown option '--qualty=80'/);
      const { said } = await buildWith(root, {});
      assert.match(said[0]!, /^dist\/bad[.]jpg: Expected /);
      assert.match(said[1]!, /^0 images, 0 optimized, /);
    });
  });
});

describe('imagecrew/astro', () => {
  it('makes the images of a build smaller after Astro has written them', async () => {
    await withFolder(async (root) => {
      const dist = join(root, 'dist');
      await writeFiles(dist, { 'index.html': '<img src="/photo.jpg">', 'photo.jpg': photo });
      const { hooks, name } = imagecrewAstro({ optimize_svg: true });
      assert.equal(name, 'imagecrew');
      const said: string[] = [];
      const logger = { info: (text: string) => said.push(text), warn: (text: string) => said.push(`warning: ${text}`) };
      hooks['astro:config:done']({ config: { root: pathToFileURL(`${root}/`) } });
      await hooks['astro:build:done']({ dir: pathToFileURL(`${dist}/`), logger });
      const made = await readFiles(dist);
      assert.ok(made['photo.jpg']!.length < photo.length);
      assert.equal((await sharp(made['photo.jpg']).metadata()).format, 'jpeg');
      assert.match(said[0]!, /^1 image, .*, 1 compressed now$/);
      assert.equal(said.length, 1);
      assert.ok((await readdir(root)).includes('.imagecrew-cache'));
    });
  });
});

describe('the type declarations of the plugins', () => {
  it('match those of Vite in a strict project, and include every option', { skip: nightlyOnly }, async () => {
    await withFolder(async (project) => {
      const modules = join(project, 'node_modules');
      const exports = ['vite', 'astro'].map((name) => [
        `./${name}`,
        { types: `./dist/plugins/${name}.d.ts`, default: `./dist/plugins/${name}.js` },
      ]);
      await writeFiles(project, {
        'package.json': '{"type": "module"}',
        'node_modules/imagecrew/package.json': JSON.stringify({
          name: 'imagecrew',
          version: '0.0.0',
          type: 'module',
          exports: Object.fromEntries(exports),
        }),
        'main.ts': [
          "import { defineConfig } from 'vite';",
          "import imagecrew, { type ImagecrewOptions } from 'imagecrew/vite';",
          "import integration from 'imagecrew/astro';",
          "const options: ImagecrewOptions = { quality: 70, exclude: ['/icons/**'] };",
          'export default defineConfig({ plugins: [imagecrew(), imagecrew(options)] });',
          "export const name: 'imagecrew' = integration(options).name;",
          '// @ts-expect-error',
          "imagecrew({ quality: '70' });",
          '// @ts-expect-error',
          'integration({ qualty: 70 });',
        ].join('\n'),
        'tsconfig.json': JSON.stringify({
          compilerOptions: {
            ...{ strict: true, noEmit: true, target: 'es2022', lib: ['es2023', 'dom'], skipLibCheck: true },
            ...{ module: 'nodenext', moduleResolution: 'nodenext', exactOptionalPropertyTypes: true },
            ...{ types: ['node'], typeRoots: [fileURLToPath(repositoryFile('node_modules/@types'))] },
          },
          include: ['main.ts'],
        }),
      });
      await symlink(fileURLToPath(repositoryFile('node_modules/vite')), join(modules, 'vite'));
      const plugins = fileURLToPath(repositoryFile('plugins/tsconfig.json'));
      await tsc('-p', plugins, '--outDir', join(modules, 'imagecrew/dist'));
      await tsc('-p', project);
    });
  });
});
