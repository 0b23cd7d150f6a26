import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { findInputs } from '../../../cli/images/inputs.ts';
import { Targets } from '../../../cli/images/targets.ts';
import { replaceAtomically, versionOf, writeAtomically } from '../../../cli/images/write.ts';
import { resultFilename } from '../../../engine/file-name.ts';
import { jsonLines, runCliHere, runCliProcess } from '../../support/cli.ts';
import { filePaths, withFolder, writeFiles } from '../../support/folder.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { jpeg, pattern, png } from '../../support/test-images.ts';

const jpegImage = await jpeg(pattern(120, 90), 98);
const pngImage = await png(pattern(60, 40));

const codes = (out: string) =>
  jsonLines(out)
    .filter(({ error }) => error !== undefined)
    .map(({ file, error }) => [file, (error as { code: string }).code]);

describe('files on the command line', () => {
  it('mirrors folders, skips non-images, and continues after an unreadable file', async () => {
    await withFolder(async (folder) => {
      await writeFiles(folder, {
        'photos/a.jpg': jpegImage,
        'photos/b.jpg': 'no image',
        'photos/empty.png': '',
        'photos/deep/er/c.png': pngImage,
        'photos/none/notes.txt': 'notes',
        'photos/.hidden/d.jpg': jpegImage,
        'photos/node_modules/e.jpg': jpegImage,
        'photos/out/old.webp': pngImage,
      });
      await symlink('..', join(folder, 'photos', 'circle'));
      const args = [
        'compress',
        'photos',
        'missing.jpg',
        'photos/none',
        '-o',
        'photos/out',
        '--format',
        'webp',
        '--json',
      ];
      const { status, out, err } = await runCliHere(args, { cwd: folder });
      assert.deepEqual([status, err], [1, '']);
      assert.deepEqual(codes(out).sort(), [
        ['missing.jpg', 'not_found'],
        ['photos/b.jpg', 'unsupported_format'],
        ['photos/empty.png', 'missing_image'],
        ['photos/none', 'not_found'],
      ]);
      const made = (await filePaths(join(folder, 'photos', 'out'))).filter((path) => path !== 'old.webp');
      assert.deepEqual(made, ['a.webp', 'deep/er/c.webp']);
      const lines = jsonLines(out).filter(({ output }) => output !== undefined);
      const line = lines.find(({ file }) => file === 'photos/a.jpg')!;
      const bytes = (await stat(join(folder, 'photos/out/a.webp'))).size;
      assert.deepEqual(
        [line.output, line.filename, line.format, line.bytes, line.original_bytes, line.width],
        ['photos/out/a.webp', 'a.webp', 'webp', bytes, jpegImage.length, 120],
      );
      assert.match(String(line.sha256), /^[0-9a-f]{64}$/);
      assert.equal(
        ['id', 'url', 'expires_at', 'quota_meter', 'test_mode'].some((name) => name in line),
        false,
      );
    });
  });

  it('expands patterns, and keeps output names distinct', { skip: nightlyOnly }, async () => {
    await withFolder(async (folder) => {
      await writeFiles(folder, {
        'in/a.jpg': jpegImage,
        'in/a.png': pngImage,
        'in/b.jpg': jpegImage,
        'in/sub/a.jpg': jpegImage,
      });
      const args = ['compress', 'in/**/a.*', 'in/a.jpg', '-o', 'out', '--format', 'webp'];
      const { status, out } = await runCliHere(args, { cwd: folder });
      assert.equal(status, 0);
      assert.deepEqual(await filePaths(join(folder, 'out')), ['a.jpg.webp', 'a.png.webp', 'sub/a.webp']);
      assert.equal((await sharp(join(folder, 'out/a.png.webp')).metadata()).width, 60);
      assert.match(out, /^3 of 3 files, .* less\), 0 failed, [0-9.]+ s$/m);
    });
  });

  it('keeps the spelling of the extension if the format stays', { skip: nightlyOnly }, async () => {
    await withFolder(async (folder) => {
      const tiff = await sharp(pngImage).tiff().toBuffer();
      await writeFiles(folder, {
        'a.jpeg': jpegImage,
        'b.JPG': jpegImage,
        'c.jpe': jpegImage,
        'd.tiff': tiff,
        'e.jpeg': pngImage,
      });
      const inputs = ['a.jpeg', 'b.JPG', 'c.jpe', 'd.tiff', 'e.jpeg'];
      await runCliHere(['compress', ...inputs, '-o', 'same'], { cwd: folder });
      // `e.jpeg` contains a PNG, so its result is named `.png`.
      assert.deepEqual(await filePaths(join(folder, 'same')), ['a.jpeg', 'b.JPG', 'c.jpe', 'd.tiff', 'e.png']);
      await runCliHere(['compress', 'a.jpeg', 'b.JPG', '-o', 'other', '--format', 'webp'], { cwd: folder });
      assert.deepEqual(await filePaths(join(folder, 'other')), ['a.webp', 'b.webp']);
    });
  });

  it('creates a folder for an output without an extension, for one input or several', {
    skip: nightlyOnly,
  }, async () => {
    await withFolder(async (folder) => {
      await writeFiles(folder, { 'a.jpeg': jpegImage, taken: 'mine' });
      for (const args of [
        ['pipeline', 'a.jpeg', '--preset', 'web', '-o', 'web'],
        ['compress', 'a.jpeg', '-o', 'small'],
      ])
        assert.equal((await runCliHere(args, { cwd: folder })).status, 0);
      assert.equal((await filePaths(join(folder, 'web'))).length, 1);
      assert.deepEqual(await filePaths(join(folder, 'small')), ['a.jpeg']);
      // An existing file at the output path is not replaced by a folder.
      const refused = await runCliHere(['compress', 'a.jpeg', '-o', 'taken', '--json'], { cwd: folder });
      assert.deepEqual(codes(refused.out), [['a.jpeg', 'invalid_state']]);
      assert.equal(await readFile(join(folder, 'taken'), 'utf8'), 'mine');
    });
  });

  it('writes beside the source, and overwrites files only on request', { skip: nightlyOnly }, async () => {
    await withFolder(async (folder) => {
      await writeFiles(folder, { 'a.jpg': jpegImage, 'a.webp': 'mine' });
      const refused = await runCliHere(['compress', 'a.jpg', '--format', 'webp'], { cwd: folder });
      assert.deepEqual([refused.status, refused.out], [1, '']);
      assert.match(refused.err, /^a[.]jpg: Expected a new name for the result but a[.]webp is there already[.]/);
      const itself = await runCliHere(['compress', 'a.jpg', '--json'], { cwd: folder });
      assert.deepEqual(codes(itself.out), [['a.jpg', 'invalid_state']]);
      assert.equal(await readFile(join(folder, 'a.webp'), 'utf8'), 'mine');
      assert.deepEqual(await readFile(join(folder, 'a.jpg')), jpegImage);

      const overwritten = await runCliHere(['compress', 'a.jpg', '--format', 'webp', '--overwrite'], { cwd: folder });
      assert.equal(overwritten.status, 0);
      assert.equal((await sharp(join(folder, 'a.webp')).metadata()).format, 'webp');
      assert.deepEqual(await filePaths(folder), ['a.jpg', 'a.webp']);
    });
  });

  it('replaces only files that become smaller, also behind a link, and keeps their permissions', {
    skip: nightlyOnly,
  }, async () => {
    await withFolder(async (folder) => {
      await writeFiles(folder, {
        'real/a.jpg': jpegImage,
        'tiny.jpg': await jpeg(pattern(16, 16), 20),
        'c.png': pngImage,
      });
      await chmod(join(folder, 'real/a.jpg'), 0o640);
      await symlink('real/a.jpg', join(folder, 'link.jpg'));
      const before = await readFile(join(folder, 'tiny.jpg'));
      const args = ['compress', 'link.jpg', 'tiny.jpg', '--in-place', '--quality', '60', '--json'];
      const { status, out } = await runCliHere(args, { cwd: folder });
      assert.equal(status, 0);
      const facts = await stat(join(folder, 'real/a.jpg'));
      assert.ok(facts.size < jpegImage.length);
      assert.equal(facts.mode & 0o777, 0o640);
      assert.equal((await sharp(join(folder, 'real/a.jpg')).metadata()).width, 120);
      assert.deepEqual(await readFile(join(folder, 'tiny.jpg')), before);
      assert.deepEqual(jsonLines(out).find(({ file }) => file === 'tiny.jpg')?.output, null);
      const other = await runCliHere(['compress', 'c.png', '--in-place', '--format', 'webp', '--json'], {
        cwd: folder,
      });
      assert.deepEqual(codes(other.out), [['c.png', 'conflicting_parameters']]);
      assert.deepEqual(await filePaths(folder), ['c.png', 'real/a.jpg', 'tiny.jpg']);
    });
  });

  it('reads standard input and writes standard output', async () => {
    await withFolder(async (folder) => {
      const piped = await runCliProcess(['compress', '-', '--format', 'webp'], { cwd: folder, input: jpegImage });
      assert.equal(piped.status, 0);
      assert.deepEqual([(await sharp(piped.bytes).metadata()).format, (await readdir(folder)).length], ['webp', 0]);
      assert.match(piped.err, /^-: /);
      const named = await runCliHere(['compress', '-', '-o', 'new/', '--filename', 'x.jpg'], {
        cwd: folder,
        input: jpegImage,
      });
      assert.deepEqual([named.status, await filePaths(folder)], [0, ['new/x.jpg']]);
      const none = await runCliHere(['inspect', '-', '--json'], { cwd: folder });
      assert.deepEqual(codes(none.out), [['-', 'missing_image']]);
    });
  });

  it('predicts results in a dry run and writes nothing', async () => {
    await withFolder(async (folder) => {
      await writeFiles(folder, { 'in/a.jpg': jpegImage, 'in/b.jpg': jpegImage, 'out/b.webp': 'mine', 'c.heic': 'x' });
      const args = ['compress', 'in', 'c.heic', '-o', 'out', '--dry-run', '--json'];
      const { status, out } = await runCliHere([...args, '--format', 'webp'], { cwd: folder });
      assert.equal(status, 1);
      assert.deepEqual(
        jsonLines(out).find(({ file }) => file === 'in/a.jpg'),
        {
          file: 'in/a.jpg',
          dry_run: true,
          output: 'out/a.webp',
          original_bytes: jpegImage.length,
        },
      );
      assert.deepEqual(codes(out), [['in/b.jpg', 'invalid_state']]);
      const unknown = await runCliHere(args, { cwd: folder });
      assert.deepEqual(
        new Set(jsonLines(unknown.out).map(({ output }) => output)),
        new Set(['out/a.jpg', 'out/b.jpg', null]),
      );
      assert.deepEqual(await filePaths(folder), ['c.heic', 'in/a.jpg', 'in/b.jpg', 'out/b.webp']);
      assert.equal(await readFile(join(folder, 'out/b.webp'), 'utf8'), 'mine');
    });
  });

  it('names the path that cannot be written', async () => {
    await withFolder(async (folder) => {
      await writeFiles(folder, { 'a.jpg': jpegImage, 'b.jpg': jpegImage, file: 'no folder' });
      const args = ['compress', 'a.jpg', 'b.jpg', '-o', 'file/below', '--json'];
      const { status, out } = await runCliHere(args, { cwd: folder });
      assert.equal(status, 1);
      assert.deepEqual(codes(out).sort(), [
        ['a.jpg', 'delivery_failed'],
        ['b.jpg', 'delivery_failed'],
      ]);
      assert.deepEqual(await filePaths(folder), ['a.jpg', 'b.jpg', 'file']);
    });
  });

  it('leaves a damaged file in place', async () => {
    await withFolder(async (folder) => {
      const half = (await jpeg(pattern(400, 300), 98)).subarray(0, 30_000);
      await writeFiles(folder, { 'half.jpg': half });
      const args = ['compress', 'half.jpg', '--in-place', '--quality', '40', '--json'];
      const { status, out } = await runCliHere(args, { cwd: folder });
      assert.deepEqual([status, codes(out)], [1, [['half.jpg', 'conflicting_parameters']]]);
      assert.ok((await readFile(join(folder, 'half.jpg'))).equals(half));
    });
  });

  it('replaces a file of several pages by one with all of them', async () => {
    await withFolder(async (folder) => {
      const pages = await Promise.all([1, 2, 3].map((page) => png(pattern(60 + page, 40))));
      const file = await sharp(pages, { join: { animated: true } })
        .tiff({ compression: 'none' })
        .toBuffer();
      await writeFiles(folder, { 'pages.tif': file });
      const paged = await runCliHere(['compress', 'pages.tif', '--in-place', '--page', '1'], { cwd: folder });
      assert.equal(paged.status, 2);
      assert.match(paged.err, /Expected --in-place without --page/);
      const { status } = await runCliHere(['compress', 'pages.tif', '--in-place', '--quality', '40'], { cwd: folder });
      assert.equal(status, 0);
      const { pages: kept, size } = await sharp(await readFile(join(folder, 'pages.tif'))).metadata();
      assert.deepEqual([kept, size! < file.length], [3, true]);
    });
  });

  it('overwrites no other source, and writes no format that differs from the extension', {
    skip: nightlyOnly,
  }, async () => {
    await withFolder(async (folder) => {
      const files = { 'a.jpg': jpegImage, 'a.png': pngImage, 'a.png.jpg': await jpeg(pattern(33, 22)) };
      await writeFiles(folder, files);
      const args = ['compress', ...Object.keys(files), '--format', 'jpeg', '--overwrite', '--json'];
      const { out } = await runCliHere(args, { cwd: folder });
      assert.deepEqual(codes(out), [['a.png', 'invalid_state']]);
      assert.equal((await sharp(join(folder, 'a.png.jpg')).metadata()).width, 33);
      const named = await runCliHere(['pipeline', 'a.jpg', '-o', 'p.gif', '--preset', 'web', '--json'], {
        cwd: folder,
      });
      assert.deepEqual(codes(named.out), [['a.jpg', 'invalid_parameter']]);
      assert.deepEqual(await filePaths(folder), Object.keys(files));
    });
  });

  it('in place, skips links that were not named, and lists each file once', async () => {
    await withFolder(async (folder) => {
      await writeFiles(folder, { 'outside/o.jpg': '', 'in/a.jpg': '' });
      await symlink('../outside/o.jpg', join(folder, 'in', 'link.jpg'));
      await symlink('../outside', join(folder, 'in', 'linked'));
      const found = async (args: readonly string[], inPlace: boolean) => {
        const paths = args.map((arg) => join(folder, arg));
        const { sources } = await findInputs(paths, { outputFolder: undefined, inPlace });
        return sources.map(({ file }) => file.slice(folder.length + 1));
      };
      assert.deepEqual(await found(['in'], true), ['in/a.jpg']);
      assert.deepEqual(await found(['in/**/*.jpg'], true), ['in/a.jpg']);
      assert.deepEqual(await found(['in/**/*.jpg'], false), ['in/a.jpg', 'in/link.jpg', 'in/linked/o.jpg']);
      assert.deepEqual(await found(['in/link.jpg', 'outside/o.jpg'], true), ['in/link.jpg']);
    });
  });

  it('skips a separate output folder when it expands patterns', async () => {
    await withFolder(async (folder) => {
      await writeFiles(folder, { 'a.png': '', 'out/b.png': '' });
      const names = async (pattern: string, output: string) => {
        const options = { outputFolder: join(folder, output), inPlace: false };
        return (await findInputs([join(folder, pattern)], options)).sources.map(({ name }) => name);
      };
      assert.deepEqual(await names('*.png', '.'), ['a.png']);
      assert.deepEqual(await names('**/*.png', 'out'), ['a.png']);
    });
  });

  it('keeps long names, and names that differ only in case, distinct', async () => {
    const long = 'x'.repeat(120);
    const sources = [`${long}1.jpg`, `${long}2.jpg`, 'A.jpg', 'a.jpg'].map((name) => ({
      file: `/in/${name}`,
      real: `/in/${name}`,
      folder: '',
      name,
    }));
    const targets = new Targets({ kind: 'folder', folder: '/out' }, sources);
    const made = { filename: (name: string | undefined) => resultFilename(name, { format: 'jpeg' }) };
    const paths = sources.map((source) => targets.pathFor(source, made)!);
    assert.equal(new Set(paths.map((path) => path.toLowerCase())).size, sources.length);
    for (const [index, path] of paths.entries()) await targets.take(path, sources[index]!);
    await assert.rejects(targets.take('/OUT/A.jpg'.toLowerCase(), sources[3]!), { code: 'invalid_state' });
  });

  it('keeps the permissions of overwritten files, and skips files changed in the meantime', async () => {
    await withFolder(async (folder) => {
      await writeFiles(folder, { 'a.jpg': 'secret' });
      const path = join(folder, 'a.jpg');
      await chmod(path, 0o600);
      await writeAtomically(path, new ArrayBuffer(4), { overwrite: true });
      const read = await versionOf(path);
      assert.deepEqual([read.size, (await stat(path)).mode & 0o777], [4n, 0o600]);
      await writeFile(path, 'edited');
      await assert.rejects(replaceAtomically(path, new ArrayBuffer(1), read), { code: 'invalid_state' });
      assert.equal(await readFile(path, 'utf8'), 'edited');
      await replaceAtomically(path, new ArrayBuffer(1), await versionOf(path));
      assert.deepEqual([(await stat(path)).size, await filePaths(folder)], [1, ['a.jpg']]);
    });
  });

  const ownMounts = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
  it('reports a full disk, and leaves no partial files', {
    skip: !ownMounts && 'cannot mount a small disk',
  }, async () => {
    await withFolder(async (folder) => {
      await writeFiles(folder, { 'a.bmp': await png(pattern(400, 300)), 'disk/x': '' });
      // Mounts a small disk that disappears with the process. Lists the files left on it on stderr at the end.
      const script = 'mount -t tmpfs -o size=64k none disk && { "$@"; status=$?; ls -A disk >&2; exit $status; }';
      const under = ['unshare', '-m', 'sh', '-c', script, 'sh'];
      const args = ['compress', 'a.bmp', '-o', 'disk/a.bmp', '--format', 'bmp', '--json'];
      const { status, out, err } = await runCliProcess(args, { cwd: folder, under });
      assert.deepEqual([status, err], [1, '']);
      const [{ error }] = jsonLines(out) as unknown as [{ error: object }];
      assert.deepEqual(error, { code: 'storage_full', message: 'Expected room for a.bmp but the disk is full.' });
    });
  });

  it('reports a read-only disk', { skip: (!ownMounts && 'cannot mount a disk') || nightlyOnly }, async () => {
    await withFolder(async (folder) => {
      await writeFiles(folder, { 'a.jpg': jpegImage, 'disk/x': '' });
      const under = ['unshare', '-m', 'sh', '-c', 'mount -t tmpfs -o ro none disk && exec "$@"', 'sh'];
      const { status, out } = await runCliProcess(['compress', 'a.jpg', '-o', 'disk', '--json'], {
        cwd: folder,
        under,
      });
      assert.deepEqual([status, codes(out)], [1, [['a.jpg', 'delivery_failed']]]);
    });
  });
});
