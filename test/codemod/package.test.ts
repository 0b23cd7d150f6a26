import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { type Zippable, zipSync } from 'fflate';
import { parsePackage } from '../../codemod/package/package.ts';
import { MAX_PACKAGE_BYTES } from '../../codemod/package/source.ts';
import { writeFiles } from '../support/folder.ts';
import { withServer } from '../support/http-server.ts';
import {
  type Files,
  type LocalServerClient,
  PACKAGE_ID,
  packageFiles,
  photo,
  sha256,
  snapshot,
  withProject,
  zipped,
} from './desk.ts';

const LOAD = 'load_replacement_package';
const SCAN = 'scan_01JD3Z8Q4W0V6S8H2N5B7C9E1F';

describe('load_replacement_package', () => {
  let files: Files;

  before(async () => {
    files = await packageFiles([
      { at: '/img/one.jpg', data: await photo(1) },
      { at: '/img/two.jpg', data: await photo(2) },
    ]);
  });

  const text = (name: string) => String(files[name]);
  const changed = (
    change: (map: { replacements: Record<string, unknown>[]; [key: string]: unknown }) => void,
  ): Files => {
    const map = JSON.parse(text('mapping.json'));
    change(map);
    return { ...files, 'mapping.json': JSON.stringify(map) };
  };
  const withZip = <T>(zip: Uint8Array, work: (desk: LocalServerClient) => Promise<T>) =>
    withProject({ 'p.zip': zip }, work);

  it('accepts a ZIP and a folder, and keeps their files', async () => {
    for (const path of ['p.zip', './unpacked/', 'unpacked'])
      await withProject({ 'p.zip': zipped(files) }, async (desk) => {
        await writeFiles(join(desk.folder, 'unpacked'), files);
        const seen = await snapshot(desk.folder);
        const loaded = await desk.call(LOAD, { path: path === 'unpacked' ? join(desk.folder, path) : path });
        const bytes = ['files/img/one.webp', 'files/img/two.webp'].map((name) => files[name]!.length);
        assert.deepEqual(loaded, {
          contract_version: 1,
          package_id: PACKAGE_ID,
          scan_id: SCAN,
          domain: 'example.com',
          replacements: 2,
          files: 2,
          bytes: bytes[0]! + bytes[1]!,
          sha256_ok: true,
          warnings: [],
        });
        const kept = join(desk.folder, '.ic/packages', PACKAGE_ID);
        for (const name of Object.keys(files))
          assert.equal(sha256(await readFile(join(kept, name))), sha256(files[name]!));
        assert.equal(await desk.text('.ic/.gitignore'), '*\n');
        assert.deepEqual(await readdir(join(desk.folder, '.ic/tmp')), []);
        // The project itself is unchanged.
        assert.deepEqual(await snapshot(desk.folder), seen);
        // Loading the package again has no effect.
        assert.deepEqual(await desk.call(LOAD, { path: path === 'unpacked' ? path : 'p.zip' }), loaded);
      });
  });

  it('lists what it leaves out', async () => {
    await withZip(zipped({ ...files, 'files/other.webp': 'x', 'README.txt': 'y' }), async (desk) => {
      const { warnings } = await desk.call(LOAD, { path: 'p.zip' });
      assert.equal((warnings as string[]).length, 1);
      assert.deepEqual((await readdir(join(desk.folder, '.ic/packages', PACKAGE_ID, 'files'))).sort(), ['img']);
    });
  });

  it('refuses files that do not match the map, and keeps none of them', async () => {
    const same = Buffer.from(files['files/img/two.webp']!);
    same[same.length - 1]! ^= 1;
    for (const broken of [
      { ...files, 'files/img/two.webp': same },
      { ...files, 'files/img/two.webp': Buffer.concat([same, same]) },
      { ...files, 'files/img/two.webp': files['files/img/one.webp']! },
    ])
      await withZip(zipped(broken), async (desk) => {
        await desk.fails('package_hash_mismatch', LOAD, { path: 'p.zip' });
        assert.deepEqual(await readdir(join(desk.folder, '.ic/tmp')).catch(() => []), []);
        assert.deepEqual(await readdir(join(desk.folder, '.ic/packages')).catch(() => []), []);
        await desk.fails('package_not_found', 'find_references');
        await desk.fails('package_not_found', 'find_references', { package_id: PACKAGE_ID });
      });
  });

  it('checks the hash of each srcset file, except in packages of earlier versions', async () => {
    const own = await packageFiles([{ at: '/a.jpg', data: await photo(5), widths: [30] }]);
    await withZip(zipped({ ...own, 'files/a.30w.webp': own['files/a.webp']! }), (desk) =>
      desk.fails('package_hash_mismatch', LOAD, { path: 'p.zip' }),
    );
    const map = JSON.parse(String(own['mapping.json']));
    for (const copy of map.replacements[0].srcset) for (const name of ['sha256', 'bytes', 'height']) delete copy[name];
    await withZip(zipped({ ...own, 'mapping.json': JSON.stringify(map) }), async (desk) => {
      assert.equal((await desk.call(LOAD, { path: 'p.zip' })).files, 2);
    });
  });

  it('keeps the loaded package if another of the same name is broken', async () => {
    await withZip(zipped(files), async (desk) => {
      await desk.call(LOAD, { path: 'p.zip' });
      const kept = await snapshot(join(desk.folder, '.ic/packages'));
      await writeFile(join(desk.folder, 'q.zip'), zipped({ ...files, 'files/img/two.webp': 'no' }));
      await desk.fails('package_hash_mismatch', LOAD, { path: 'q.zip' });
      assert.deepEqual(await snapshot(join(desk.folder, '.ic/packages')), kept);
    });
  });

  it('refuses invalid maps', async () => {
    const { 'files/img/two.webp': _two, ...without } = files;
    for (const broken of [
      { ...files, 'mapping.json': '{' },
      { ...files, 'mapping.json': '[]' },
      changed((map) => (map.contract_version = 2)),
      changed((map) => (map.package_id = '../../evil')),
      changed((map) => (map.replacements[0]!.to = '../evil.webp')),
      changed((map) => (map.replacements[0]!.to = 'files/../../evil.webp')),
      changed((map) => (map.replacements[0]!.to = '/etc/passwd')),
      changed((map) => (map.replacements[0]!.to_sha256 = 'abc')),
      changed((map) => (map.replacements[1]!.to = 'files/img/one.webp')),
      changed((map) => delete map.replacements[0]!.from),
      changed((map) => (map.replacements[0]!.from = '/img/one.jpg')),
      changed((map) => (map.replacements[0]!.from = 'file:///img/one.jpg')),
      changed((map) => (map.replacements[0]!.raw = new Array(200_000).fill(0))),
      without,
      {},
    ])
      await withZip(zipped(broken as Files), (desk) => desk.fails('package_invalid', LOAD, { path: 'p.zip' }));
  });

  it('refuses names and bytes that do not match the image format in the map', async () => {
    const php = Buffer.from('<?php system($_GET["c"]);');
    for (const broken of [
      changed((map) => (map.replacements[0]!.to_path = '/img/one.php')),
      changed((map) => (map.replacements[0]!.to_path = '/img/one%2Ephp')),
      changed((map) => (map.replacements[0]!.to_format = 'avif')),
      changed((map) => (map.replacements[0]!.to_format = 'php')),
      changed((map) => {
        const copy = { to: 'files/img/two.webp', to_path: '/img/one.php', width: 9, height: 9 };
        map.replacements[0]!.srcset = [{ ...copy, sha256: '', bytes: 0 }];
      }),
      {
        ...changed((map) => {
          map.replacements[0]!.to = 'files/img/one.php';
        }),
        'files/img/one.php': files['files/img/one.webp']!,
      },
      {
        ...changed((map) => {
          Object.assign(map.replacements[0]!, { to_sha256: sha256(php), to_bytes: php.length });
        }),
        'files/img/one.webp': php,
      },
    ])
      await withZip(zipped(broken as Files), (desk) => desk.fails('package_invalid', LOAD, { path: 'p.zip' }));
  });

  it('stops at the first invalid line', () => {
    const map = JSON.parse(text('mapping.json'));
    map.replacements = new Array(100_000).fill(0);
    assert.throws(
      () => parsePackage(JSON.stringify(map), (id) => id),
      ({ cause }: Error) => (cause as { issues: unknown[] }).issues.length === 1,
    );
  });

  it('refuses inconsistent ZIPs', async () => {
    const entry = (name: string, data: string | Uint8Array, more = {}): Zippable => ({
      [name]: [typeof data === 'string' ? Buffer.from(data) : data, more],
    });
    const all = (more: Zippable): Uint8Array => {
      const own: Zippable = {};
      for (const [name, data] of Object.entries(files)) own[name] = Buffer.from(data as Uint8Array);
      return zipSync({ ...own, ...more });
    };
    const zip = all({});
    const zeros = all(entry('files/zeros.bin', new Uint8Array(5_000_000), { level: 9 }));
    // The data of one entry is the complete record of another file, with its header. Overlapping entries of this kind
    // make ZIP bombs of unlimited size.
    const within = (): Uint8Array => {
      const inner = 'files/inner.bin';
      const alone = zipSync(entry(inner, 'inner', { level: 0 }));
      const record = alone.subarray(0, 30 + inner.length + 5);
      const both = Buffer.from(
        all({ ...entry('files/a.bin', record, { level: 0 }), ...entry(inner, 'inner', { level: 0 }) }),
      );
      return setCentralDirectoryField(both, inner, 42, both.indexOf(record), 4);
    };
    const cases: Record<string, Uint8Array> = {
      traversal: all(entry('../evil.txt', 'x')),
      'traversal within': all(entry('files/../../evil.txt', 'x')),
      absolute: all(entry('/evil.txt', 'x')),
      'a drive': all(entry('C:/evil.txt', 'x')),
      backslashes: all(entry('..\\evil.txt', 'x')),
      'a NUL': all(entry('a\0b.txt', 'x')),
      'a device': all(entry('files/con.txt', 'x')),
      'a long name': all(entry(`files/${'a'.repeat(200)}`, 'x')),
      'a link': all(entry('files/link', '/etc/passwd', { os: 3, attrs: 0o120777 << 16 })),
      'a device file': all(entry('files/null', '', { os: 3, attrs: 0o020666 << 16 })),
      'names that differ in case': all(entry('files/IMG/one.webp', 'x')),
      'a name twice': replaceNameInZip(
        all(entry('files/img/onf.webp', 'x')),
        'files/img/onf.webp',
        'files/img/one.webp',
      ),
      encrypted: setCentralDirectoryField(zip, 'files/img/one.webp', 8, 1, 2),
      'another compression': setCentralDirectoryField(zip, 'files/img/one.webp', 10, 12, 2),
      'a size that is too small': setCentralDirectoryField(zip, 'mapping.json', 24, 100, 4),
      'a size that is too large': setCentralDirectoryField(zip, 'mapping.json', 24, 5_000_000, 4),
      'a bomb by its size': setCentralDirectoryField(zeros, 'files/zeros.bin', 24, MAX_PACKAGE_BYTES, 4),
      'an offset into the directory': setCentralDirectoryField(zip, 'mapping.json', 42, zip.length - 40, 4),
      'an offset of another file': setCentralDirectoryField(zip, 'mapping.json', 42, 0, 4),
      'a file within another': within(),
      'a cut end': zip.subarray(0, zip.length - 30),
      'a cut start': zip.subarray(100),
      'no ZIP': Buffer.from('PK but no more'),
      empty: new Uint8Array(0),
    };
    for (const [name, data] of Object.entries(cases))
      await withZip(data, async (desk) => {
        const error = await desk.fails('package_invalid', LOAD, { path: 'p.zip' }).catch((cause) => {
          throw new Error(name, { cause });
        });
        assert.ok(!String(error.message).includes(desk.folder), name);
        assert.deepEqual(await readdir(join(desk.folder, '.ic/packages')).catch(() => []), [], name);
      });
  });

  it('reads nothing outside the project', async () => {
    await withProject({ 'a.txt': 'x' }, async (desk) => {
      const outside = join(desk.folder, '..', 'outside');
      await writeFiles(outside, { ...files, 'p.zip': zipped(files) });
      await symlink(outside, join(desk.folder, 'linked'));
      await symlink(join(outside, 'p.zip'), join(desk.folder, 'p.zip'));
      for (const path of [
        '../outside',
        '../outside/p.zip',
        join(outside, 'p.zip'),
        'linked',
        'linked/p.zip',
        'p.zip',
        '..',
        '/',
        '.',
      ])
        await desk.fails('path_outside_root', LOAD, { path });
      // Links within a folder are refused as well.
      await mkdir(join(desk.folder, 'inside'));
      for (const name of ['mapping.json', 'files'])
        await symlink(join(outside, name), join(desk.folder, 'inside', name));
      await desk.fails('path_outside_root', LOAD, { path: 'inside' });
      await desk.fails('package_not_found', LOAD, { path: 'nothing.zip' });
      await desk.fails('package_invalid', LOAD, { path: 'a.txt' });
    });
  });

  it('writes into no folder behind a link', async () => {
    for (const link of ['.ic', '.ic/packages', '.ic/tmp'])
      await withProject({ 'p.zip': zipped(files) }, async (desk) => {
        const outside = join(desk.folder, '..', 'outside');
        await mkdir(outside);
        if (link !== '.ic') await mkdir(join(desk.folder, '.ic'));
        await symlink(outside, join(desk.folder, link));
        await desk.fails('path_outside_root', LOAD, { path: 'p.zip' });
        assert.deepEqual(await readdir(outside), []);
        // A link to a folder of the project itself is refused as well.
        await mkdir(join(desk.folder, 'src'));
        await rename(join(desk.folder, link), join(desk.folder, 'gone'));
        await symlink(join(desk.folder, 'src'), join(desk.folder, link));
        await desk.fails('path_outside_root', LOAD, { path: 'p.zip' });
        assert.deepEqual(await readdir(join(desk.folder, 'src')), []);
      });
  });

  it('requires either path or scan_id', async () => {
    await withProject({}, async (desk) => {
      await desk.fails('invalid_parameter', LOAD, {});
      await desk.fails('invalid_parameter', LOAD, { path: 'p.zip', scan_id: SCAN });
      for (const wrong of [{ path: '' }, { scan_id: '../x' }, { scan_id: 5 }, { other: 1 }])
        await desk.fails('invalid_parameter', LOAD, wrong);
    });
  });

  describe('from the service', () => {
    const download = (
      answer: (request: IncomingMessage, response: ServerResponse) => void,
      work: (desk: LocalServerClient) => Promise<void>,
      key: string | undefined = 'ic_live_secret',
    ) =>
      withServer(answer, ({ origin }) =>
        withProject({}, work, { baseUrl: `${origin}/`, ...(key === undefined ? {} : { key }) }),
      );

    it('downloads with the key, by the scan id', async () => {
      const asked: unknown[] = [];
      await download(
        (request, response) => {
          asked.push([request.method, request.url, request.headers.authorization]);
          response.end(zipped(files));
        },
        async (desk) => {
          assert.equal((await desk.call(LOAD, { scan_id: SCAN })).package_id, PACKAGE_ID);
          assert.deepEqual(asked, [
            ['GET', `/api/v1/sites/scans/${SCAN}/downloads/package.zip`, 'Bearer ic_live_secret'],
          ]);
          assert.deepEqual(await readdir(join(desk.folder, '.ic/tmp')), []);
        },
      );
    });

    it('requires a key', async () => {
      await withProject({}, async (desk) => {
        await desk.fails('missing_key', LOAD, { scan_id: SCAN });
      });
    });

    it('passes on the error of the service', async () => {
      await download(
        (_, response) => {
          response.statusCode = 403;
          response.end('{"error":{"code":"scope_required","message":"Expected a key with the scope sites."}}');
        },
        async (desk) => {
          const { message } = await desk.fails('scope_required', LOAD, { scan_id: SCAN });
          assert.equal(message, 'Expected a key with the scope sites.');
        },
      );
    });

    it('follows the service once, and sends the key nowhere else', async () => {
      const asked: unknown[] = [];
      await withServer(
        (request, response) => {
          asked.push(request.url, request.headers.authorization);
          if (request.url === '/x?y=z') response.end(zipped(files));
          else response.writeHead(302, { location: '/x?y=z' }).end();
        },
        async ({ origin }) => {
          const targets = [`${origin}/x?y=z`, `${origin}/again`, 'ftp://127.0.0.1/', 'http://', undefined];
          await download(
            (_, response) => {
              const location = targets.shift();
              response.writeHead(302, location === undefined ? {} : { location }).end();
            },
            async (desk) => {
              assert.equal((await desk.call(LOAD, { scan_id: SCAN })).package_id, PACKAGE_ID);
              for (const _ of [...targets]) await desk.fails('url_fetch_failed', LOAD, { scan_id: SCAN });
              assert.deepEqual(asked, ['/x?y=z', undefined, '/again', undefined]);
            },
          );
        },
      );
    });

    it('keeps nothing of incomplete or wrong responses', async () => {
      const answers: ((response: ServerResponse) => void)[] = [
        (response) => {
          response.writeHead(200, { 'content-length': '100000' });
          response.write('PK', () => response.destroy());
        },
        (response) => response.destroy(),
        (response) => response.writeHead(500).end('<html>'),
        (response) => response.writeHead(204).end(),
      ];
      for (const answer of answers)
        await download(
          (_, response) => answer(response),
          async (desk) => {
            await desk.fails('url_fetch_failed', LOAD, { scan_id: SCAN });
            assert.deepEqual(await readdir(join(desk.folder, '.ic/tmp')), []);
          },
        );
      await download(
        (_, response) => response.end('hello'),
        async (desk) => {
          await desk.fails('package_invalid', LOAD, { scan_id: SCAN });
        },
      );
    });
  });
});

/**
 * Replaces every occurrence of a name in a ZIP, in its local header and in the central directory, by another one of
 * the same length.
 */
function replaceNameInZip(zip: Uint8Array, from: string, to: string): Uint8Array {
  const bytes = Buffer.from(zip);
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + 1)) bytes.write(to, at);
  return bytes;
}

/** Changes a field in the central directory record of a file. */
function setCentralDirectoryField(
  zip: Uint8Array,
  name: string,
  field: number,
  value: number,
  bytes: 2 | 4,
): Uint8Array {
  const copy = Buffer.from(zip);
  const at = copy.lastIndexOf(name) - 46;
  assert.equal(copy.readUInt32LE(at), 0x02014b50);
  copy.writeUIntLE(value, at + field, bytes);
  return copy;
}
