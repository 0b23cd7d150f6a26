import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { jsonLines, runCliHere, runCliProcess, startCli, waitForCli } from '../../support/cli.ts';
import { readFiles, withFolder, writeFiles } from '../../support/folder.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { decode, difference, jpeg, pattern, png } from '../../support/test-images.ts';

const photo = await jpeg(pattern(400, 300), 98);
const drawing = await sharp(await png(pattern(200, 150)))
  .png({ compressionLevel: 0 })
  .toBuffer();

async function optimize(cwd: string, ...args: string[]) {
  const { status, out, err } = await runCliHere(['optimize', '--in-place', '--json', ...args], {
    cwd,
    // Identical files reach the workers at the same time.
    env: { IC_WORKERS: '2' },
  });
  const lines = jsonLines(out);
  const byFile = Object.fromEntries(lines.map(({ file, ...record }) => [String(file), record]));
  const statuses = Object.fromEntries(lines.map(({ file, status: each }) => [String(file), each]));
  return {
    status,
    out,
    err,
    byFile,
    statuses,
    compressed: lines.filter(({ compressed }) => compressed === true).length,
  };
}

describe('optimize --in-place', () => {
  it('replaces images by smaller ones of the same format, size and name, and compresses nothing on the second run', async () => {
    await withFolder(async (folder) => {
      const site = join(folder, 'site');
      const tiny = await jpeg(pattern(16, 16), 20);
      const files = {
        'a.jpg': photo,
        'img/b.JPEG': photo,
        'img/c.png': drawing,
        'tiny.jpg': tiny,
        'index.html': '<img src="a.jpg">',
        'd.webp': await sharp(photo).webp({ lossless: true }).toBuffer(),
        'e.pdf': '%PDF-1.4',
      };
      await writeFiles(site, files);
      await chmod(join(site, 'a.jpg'), 0o640);
      const first = await optimize(folder, 'site');
      assert.deepEqual([first.status, first.err], [0, '']);
      // Only one of several identical files is compressed.
      assert.equal(first.compressed, 3);
      assert.deepEqual(Object.values(first.statuses).sort(), ['from_cache', 'optimized', 'optimized', 'unchanged']);
      const after = await readFiles(site);
      assert.deepEqual(Object.keys(after).sort(), Object.keys(files).sort());
      for (const [path, format] of [
        ['a.jpg', 'jpeg'],
        ['img/b.JPEG', 'jpeg'],
        ['img/c.png', 'png'],
      ] as const) {
        const original = files[path];
        const made = after[path]!;
        assert.equal((await sharp(made).metadata()).format, format);
        assert.ok(made.length < 0.9 * original.length, path);
        assert.ok(difference(await decode(made), await decode(original)).mean < 6, path);
        assert.deepEqual(first.byFile[`site/${path}`], {
          status: first.statuses[`site/${path}`],
          compressed: first.statuses[`site/${path}`] === 'optimized',
          original_bytes: original.length,
          bytes: made.length,
          reason: null,
        });
      }
      for (const path of ['tiny.jpg', 'index.html', 'd.webp', 'e.pdf'])
        assert.ok(after[path]!.equals(Buffer.from(files[path as 'tiny.jpg'])), path);
      assert.equal((await stat(join(site, 'a.jpg'))).mode & 0o777, 0o640);
      assert.equal(await readFile(join(folder, '.imagecrew-cache/.gitignore'), 'utf8'), '*\n');

      const second = await optimize(folder, 'site');
      assert.equal(second.compressed, 0);
      assert.deepEqual(new Set(Object.values(second.statuses)), new Set(['unchanged']));
      assert.deepEqual(await readFiles(site), after);

      // A fresh checkout in another folder, with the cache of the first one.
      const other = join(folder, 'elsewhere');
      await writeFiles(join(other, 'build'), files);
      const fresh = await optimize(other, 'build', '--cache', '../.imagecrew-cache');
      assert.deepEqual([fresh.status, fresh.compressed], [0, 0]);
      assert.deepEqual(Object.values(fresh.statuses).sort(), ['from_cache', 'from_cache', 'from_cache', 'unchanged']);
      assert.deepEqual(await readFiles(join(other, 'build')), after);
      assert.deepEqual(await readdir(other), ['build']);
    });
  });

  it('prints a summary for people', { skip: nightlyOnly }, async () => {
    await withFolder(async (folder) => {
      await writeFiles(folder, { 'a.jpg': photo, 'b.jpg': photo, 'c.jpg': 'no image' });
      const run = () => runCliProcess(['optimize', '--in-place', '.'], { cwd: folder });
      const first = await run();
      assert.equal(first.status, 1);
      assert.match(first.out, /^[ab][.]jpg: [0-9.]+ kB -> [0-9.]+ kB \([0-9.]+% less\)$/m);
      assert.match(first.out, /^[ab][.]jpg: [0-9.]+ kB -> [0-9.]+ kB \([0-9.]+% less\), from the cache$/m);
      assert.match(
        first.out,
        /^2 of 3 files, .* less\), 1 optimized, 1 from the cache, 0 unchanged, 1 compressed now, 1 failed, [0-9.]+ s$/m,
      );
      assert.match(first.err, /^c[.]jpg: /);
      const second = await run();
      assert.match(second.out, /^a[.]jpg: unchanged, is optimized already, from the cache$/m);
      assert.match(second.out, /, 0 optimized, 0 from the cache, 2 unchanged, 0 compressed now, 1 failed, /);
    });
  });

  it('compresses again if the settings have changed', { skip: nightlyOnly }, async () => {
    await withFolder(async (folder) => {
      const run = async (...args: string[]) => {
        await writeFiles(folder, { 'a.jpg': photo });
        const { compressed } = await optimize(folder, 'a.jpg', ...args);
        return { compressed, bytes: (await stat(join(folder, 'a.jpg'))).size };
      };
      const usual = await run();
      const low = await run('--quality', '40');
      assert.deepEqual([usual.compressed, low.compressed], [1, 1]);
      assert.ok(low.bytes < usual.bytes);
      assert.deepEqual(await run(), { compressed: 0, bytes: usual.bytes });
      // In mode `smart` the quality has no effect.
      assert.equal((await run('--mode', 'smart', '--quality', '40')).compressed, 1);
      assert.equal((await run('--mode', 'smart')).compressed, 0);
      assert.equal((await run('--min-savings-percent', '99')).bytes, photo.length);
    });
  });

  it('skips images that would lose something or were not selected', { skip: nightlyOnly }, async () => {
    await withFolder(async (folder) => {
      const animated = Buffer.concat([
        drawing.subarray(0, 33),
        // An animation control chunk (acTL) for two frames, with its checksum.
        Buffer.from('000000086163544c0000000200000000f38d9370', 'hex'),
        drawing.subarray(33),
      ]);
      const webp = await sharp(photo).webp({ lossless: true }).toBuffer();
      const svg = `<svg xmlns="http://www.w3.org/2000/svg"><!--${'x'.repeat(9000)}--><path d="M0 0h9v9z"/></svg>`;
      const files = {
        'a.png': animated,
        'b.jpg': webp,
        'c.svg': svg,
        'd.gif': 'GIF89a',
        'half.jpg': photo.subarray(0, 30_000),
      };
      await writeFiles(folder, files);
      const run = await optimize(folder, 'a.png', 'b.jpg', 'half.jpg');
      assert.equal(run.status, 0);
      assert.deepEqual(
        Object.entries(run.byFile)
          .map(([file, { status, reason }]) => [file, status, reason])
          .sort(),
        [
          ['a.png', 'unchanged', 'is an animation, of which one frame would stay'],
          ['b.jpg', 'unchanged', 'is a webp file, which is left as it is'],
          ['half.jpg', 'unchanged', 'is a damaged file'],
        ],
      );
      for (const [path, data] of Object.entries(files))
        assert.ok((await readFile(join(folder, path))).equals(Buffer.from(data)), path);
      const asked = await optimize(folder, 'b.jpg', 'c.svg', '--recompress-webp', '--optimize-svg');
      assert.deepEqual(asked.statuses, { 'b.jpg': 'optimized', 'c.svg': 'optimized' });
      assert.equal((await sharp(join(folder, 'b.jpg')).metadata()).format, 'webp');
      assert.match(await readFile(join(folder, 'c.svg'), 'utf8'), /^<svg [^>]*><path d="[^"]+"\/><\/svg>$/);
      const lossless = await optimize(folder, 'half.jpg', '--mode', 'lossless');
      assert.equal(lossless.byFile['half.jpg']!.reason, 'is a jpeg file, which cannot be written without loss');
      assert.deepEqual([run.compressed, lossless.compressed], [2, 0]);
    });
  });

  it('selects images by path patterns, and follows no link that was not named', { skip: nightlyOnly }, async () => {
    await withFolder(async (folder) => {
      const names = ['a.jpg', 'img/b.jpg', 'img/icons/c.jpg', 'a ž%.jpg'];
      await writeFiles(folder, Object.fromEntries(names.map((name) => [`site/${name}`, photo])));
      await writeFiles(folder, { 'outside.jpg': photo });
      await symlink('../outside.jpg', join(folder, 'site/link.jpg'));
      const chosen = async (...args: string[]) =>
        Object.keys((await optimize(folder, ...args)).statuses)
          .map((file) => file.slice('site/'.length))
          .sort();
      assert.deepEqual(await chosen('site', '--include', '/img/**', '--exclude', 'icons/*'), ['img/b.jpg']);
      assert.deepEqual(await chosen('site', '--exclude', 're:^/img/', '--exclude', '/a.jpg'), ['a ž%.jpg']);
      assert.deepEqual(await chosen('site/img/*.jpg'), ['img/b.jpg']);
      assert.deepEqual(await chosen('site'), [...names].sort());
      assert.ok((await readFile(join(folder, 'outside.jpg'))).equals(photo));
    });
  });

  it('compresses again if the cache is damaged, and repairs it', { skip: nightlyOnly }, async () => {
    await withFolder(async (folder) => {
      const cache = join(folder, 'cache');
      await writeFiles(folder, { 'a.jpg': photo });
      await optimize(folder, 'a.jpg', '--cache', 'cache');
      const [made, entries] = [await readFile(join(folder, 'a.jpg')), await readFiles(cache)];
      const paths = Object.keys(entries).filter((path) => path !== '.gitignore');
      assert.equal(paths.length, 2);
      for (const path of paths)
        await writeFile(join(cache, path), entries[path]!.subarray(0, entries[path]!.length >> 1));
      await writeFiles(folder, { 'a.jpg': photo });
      const { byFile } = await optimize(folder, 'a.jpg', '--cache', 'cache');
      assert.equal(byFile['a.jpg']!.status, 'optimized', JSON.stringify(byFile));
      assert.ok((await readFile(join(folder, 'a.jpg'))).equals(made));
      assert.deepEqual(await readFiles(cache), entries);
    });
  });

  it('shares a cache between concurrent runs', { skip: nightlyOnly }, async () => {
    await withFolder(async (folder) => {
      const photos = await Promise.all([90, 94, 98].map((quality) => jpeg(pattern(500, 400), quality)));
      const files = Object.fromEntries(photos.map((data, index) => [`${index}.jpg`, data]));
      const runs = ['one', 'two', 'three'];
      for (const run of runs) await writeFiles(join(folder, run), files);
      const ended = await Promise.all(runs.map((run) => optimize(folder, run, '--cache', 'cache')));
      for (const { status, out, err } of ended) assert.deepEqual([status, err], [0, ''], out);
      const made = await readFiles(join(folder, 'one'));
      for (const [path, data] of Object.entries(made)) assert.ok(data.length < files[path]!.length);
      for (const run of runs) assert.deepEqual(await readFiles(join(folder, run)), made);
      assert.equal((await optimize(folder, 'one', '--cache', 'cache')).compressed, 0);
    });
  });

  it('leaves complete files when it is killed, and continues from the cache', { skip: nightlyOnly }, async () => {
    await withFolder(async (folder) => {
      const count = 30;
      for (let index = 0; index < count; index += 1)
        await writeFiles(folder, { [`site/${index}.jpg`]: await jpeg(pattern(800 + index, 600), 97) });
      const originals = await readFiles(join(folder, 'site'));
      const child = startCli(['optimize', '--in-place', 'site', '--json'], { cwd: folder });
      const end = waitForCli(child);
      await once(child.stdout, 'data');
      child.kill('SIGKILL');
      const killed = jsonLines((await end).out.replace(/[^\n]*$/, '')).length;
      assert.ok(killed > 0 && killed < count);
      const left = await readFiles(join(folder, 'site'));
      const changed = Object.keys(originals).filter((name) => !left[name]!.equals(originals[name]!));
      assert.ok(changed.length < count);
      for (const name of Object.keys(originals))
        assert.equal(
          (await sharp(left[name], { failOn: 'truncated' }).raw().toBuffer({ resolveWithObject: true })).info.height,
          600,
        );
      const again = await optimize(folder, 'site');
      assert.deepEqual([again.status, again.err], [0, ''], again.out);
      for (const name of changed) assert.equal(again.byFile[`site/${name}`]!.compressed, false, name);
      assert.ok(again.compressed > 0 && again.compressed <= count - changed.length);
      assert.equal((await optimize(folder, 'site')).compressed, 0);
    });
  });

  it('exits with 1 if a file failed, 0 if there is nothing to do, 2 on invalid usage', {
    skip: nightlyOnly,
  }, async () => {
    await withFolder(async (folder) => {
      await writeFiles(folder, { 'empty/notes.txt': 'notes', 'bad.png': 'no image', 'a.jpg': photo, file: 'a file' });
      const empty = await optimize(folder, 'empty');
      assert.deepEqual([empty.status, empty.statuses], [0, {}]);
      const failed = await optimize(folder, 'bad.png', 'none.png', 'a.jpg');
      assert.equal(failed.status, 1);
      const codes = Object.entries(failed.byFile).map(([file, { error }]) => [file, (error as { code: string })?.code]);
      assert.deepEqual(codes.sort(), [
        ['a.jpg', undefined],
        ['bad.png', 'unsupported_format'],
        ['none.png', 'not_found'],
      ]);
      const noCache = await optimize(folder, 'a.jpg', '--cache', 'file/below');
      assert.equal(noCache.status, 1);
      assert.match(
        noCache.err,
        /^Expected a folder that can be made \(ENOTDIR\) for the cache but received "file\/below"[.]\n$/,
      );
      const wrong = async (...args: string[]) => {
        const { status, out, err } = await runCliProcess(['optimize', ...args], { cwd: folder });
        assert.deepEqual([status, out], [2, '']);
        return err.split('\n')[0];
      };
      assert.equal(
        await wrong('a.jpg', '--in-place', '--site', 'https://example.com'),
        'Expected no --site with --in-place but received one.',
      );
      assert.equal(
        await wrong('a.jpg', '--in-place', '--no-fit-displayed'),
        'Expected no --no-fit-displayed with --in-place but received one.',
      );
      assert.equal(await wrong('-', '--in-place'), 'Expected files for --in-place but received the standard input.');
      assert.equal(
        await wrong('a.jpg', '--in-place', '--exclude', 're:('),
        'Expected re: and a regular expression in the syntax of RE2 for exclude but received "re:(".',
      );
      assert.equal(await wrong('empty', '--cache', 'x'), 'Expected --in-place with --cache but received none.');
      assert.equal(await wrong('empty', 'bad.png'), 'Expected one website without --in-place but received 2.');
      assert.match(
        String(await wrong('a.jpg', '--in-place', '--quality', '0')),
        /Expected an integer from 1 to 100[.]$/,
      );
      await rm(join(folder, 'empty'), { recursive: true });
    });
  });
});
