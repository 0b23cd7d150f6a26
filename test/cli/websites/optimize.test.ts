import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { unzipSync } from 'fflate';
import { readFiles, withFolder, writeFiles } from '../../support/folder.ts';
import { withServer } from '../../support/http-server.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { withServed } from '../../support/serve-process.ts';
import { prepareScanner, SCAN_ENV, ScanClient } from '../../support/website/scan.ts';
import { Website } from '../../support/website/website.ts';
import { documentOf, drawTestImages, LOCAL_SITE_OPTIONS, run } from './command.ts';

type Files = Record<string, Buffer>;

const unpacked = (zip: Uint8Array): Files =>
  Object.fromEntries(Object.entries(unzipSync(zip)).map(([name, data]) => [name, Buffer.from(data)]));

/** Replaces ids and times, which differ from scan to scan. */
const replaceIdsAndTimes = (data: Buffer): string =>
  data
    .toString('latin1')
    .replaceAll(/\b(?:scan|opt|pack)_[0-9A-Za-z]{26}\b/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');

function assertSame(one: Files, other: Files): void {
  assert.deepEqual(Object.keys(one).sort(), Object.keys(other).sort());
  for (const [name, data] of Object.entries(one)) {
    const [text, otherText] = [replaceIdsAndTimes(data), replaceIdsAndTimes(other[name]!)];
    if (/[.](?:json|csv|html|md|txt)$/.test(name)) assert.equal(text, otherText, name);
    else assert.ok(text === otherText, name);
  }
}

describe('optimize', { timeout: 600_000 }, () => {
  it('writes the same package as the service, as a folder or a ZIP', { skip: nightlyOnly }, async () => {
    let site: Website | undefined;
    await withServer(
      (request, response) => site!.serve(request, response),
      async ({ origin }) => {
        site = await Website.build(origin, { pages: 3, images: 5 });
        await withFolder(async (folder) => {
          const output = join(folder, 'package');
          const result = await run(['optimize', origin, ...LOCAL_SITE_OPTIONS, '-o', output]);
          assert.deepEqual([result.status, result.err], [0, '']);
          const files = await readFiles(output);
          const bytes = Object.values(files).reduce((sum, { length }) => sum + length, 0);
          assert.match(result.out, new RegExp(`\\n${Object.keys(files).length} files, [\\d.]+ kB, in ${output}\\n$`));

          let ofService: Files = {};
          const dataDir = join(folder, 'data');
          await mkdir(dataDir);
          const key = await prepareScanner(dataDir);
          await withServed(
            dataDir,
            async ({ address }) => {
              const client = new ScanClient(address, key);
              const settings = { delay_ms: 0, concurrency: 6 };
              const { id } = await client.start({ url: origin, max_pages: 50, settings });
              const { downloads } = await client.ended(id);
              ofService = unpacked(new Uint8Array(await (await client.fetch(downloads.zip_url!)).arrayBuffer()));
            },
            SCAN_ENV,
          );
          assert.ok(Object.keys(ofService).filter((name) => name.startsWith('files/')).length > 3);
          // The service hands out the program that agents start, the command does not.
          const start = /in the folder of the\nproject, by `([^`]+)`.*\n/;
          assert.equal(start.exec(files['AGENT.md']!.toString())![1], 'imagecrew mcp --root .');
          for (const made of [files, ofService])
            made['AGENT.md'] = Buffer.from(made['AGENT.md']!.toString().replace(start, ''));
          assertSame(files, ofService);

          const zip = join(folder, 'package.zip');
          const packed = await run(['optimize', origin, ...LOCAL_SITE_OPTIONS, '-o', zip, '--zip', '--json']);
          assert.equal(packed.status, 0);
          const { package: written, scan } = documentOf(packed);
          const data = await readFile(zip);
          assert.deepEqual(written, { path: zip, files: 1, bytes: data.length });
          const { 'AGENT.md': instructions, ...others } = unpacked(data);
          assert.match(instructions!.toString(), start);
          const { 'AGENT.md': _, ...rest } = files;
          assertSame(others, rest);
          assert.equal(scan.totals.bytes_saved, JSON.parse(files['mapping.json']!.toString()).totals.bytes_saved);
          assert.ok(bytes > 0);
          assert.deepEqual((await readdir(folder)).sort(), ['data', 'package', 'package.zip']);
        });
      },
    );
  });

  it('writes new files of a folder at the paths of the old ones, and changes none', { skip: nightlyOnly }, async () => {
    const images = await drawTestImages();
    await withFolder(async (parent) => {
      const folder = join(parent, 'site');
      const files: Files = {
        'index.html': Buffer.from('<img src="img/100%25 ž.jpg" width="480" height="360" alt="A place">'),
        'img/100% ž.jpg': images.file('photo', 1),
      };
      await writeFiles(folder, files);
      // The output folder is inside the website but is not part of it.
      const output = join(folder, 'out');
      assert.equal((await run(['optimize', folder, '-o', output])).status, 0);
      const made = await readFiles(output);
      const { replacements } = JSON.parse(made['mapping.json']!.toString());
      assert.deepEqual(
        replacements.map(({ from_path, raw }: Record<string, unknown>) => [from_path, raw]),
        [['/img/100%25%20%C5%BE.jpg', ['img/100%25 ž.jpg']]],
      );
      assert.ok(made[replacements[0].to]!.length < files['img/100% ž.jpg']!.length);
      assert.match(made[replacements[0].to]!.toString('latin1'), /^RIFF.{4}WEBP/s);

      const again = await run(['optimize', folder, '-o', output]);
      assert.equal(again.status, 2);
      assert.match(
        again.err,
        /^Expected a new name or an empty folder .+ Choose another place with -o, or say --overwrite[.]\n$/,
      );
      await writeFile(join(output, 'mine.txt'), 'kept');
      await writeFile(join(output, 'report.html'), 'old');
      assert.equal((await run(['optimize', folder, '-o', output, '--overwrite'])).status, 0);
      const { 'mine.txt': mine, ...overwritten } = await readFiles(output);
      assert.equal(mine!.toString(), 'kept');
      assertSame(overwritten, made);
      const site = Object.entries(await readFiles(folder)).filter(([name]) => !name.startsWith('out/'));
      assert.deepEqual(Object.fromEntries(site), files);
    });
  });

  it('says how many pages could not be reached', { skip: nightlyOnly }, async () => {
    await withServer(
      ({ url }, response) => {
        if (url !== '/') response.statusCode = url === '/gone' ? 404 : 200;
        if (url === '/broken') return response.destroy();
        response.setHeader('content-type', 'text/html');
        response.end(
          url === '/' ? '<a href="/gone">one</a> <a href="/two">two</a> <a href="/broken">three</a>' : 'Gone',
        );
      },
      async ({ origin }) => {
        await withFolder(async (folder) => {
          const args = ['optimize', origin, ...LOCAL_SITE_OPTIONS, '-o', join(folder, 'a')];
          assert.match((await run(args)).out, /^2 pages \(2 more could not be reached\), /);
          const { scan } = documentOf(await run([...args, '--overwrite', '--json']));
          assert.deepEqual([scan.totals.pages_scanned, scan.totals.pages_failed], [2, 2]);
        });
      },
    );
  });
});
