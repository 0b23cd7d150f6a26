import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { CatalogueModel } from '../../models/catalogue.ts';
import { type PullOptions, pullModel } from '../../models/download.ts';
import { findModelFile } from '../../models/installed.ts';
import { failureOf } from '../support/failure.ts';
import { withFolder } from '../support/folder.ts';
import { etagOf, type Mirror, sendBroken, withMirror } from '../support/mirror.ts';

const SIZE = 300_000;
const HALF = 150_000;
const FILE = randomBytes(SIZE);
const OTHER_BUILD = randomBytes(1000);

const described = (bytes: Uint8Array) => ({
  bytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

const MODEL: CatalogueModel = {
  id: 'made-up',
  purpose: 'faces',
  address: 'https://models.invalid/v1/file.onnx',
  files: [described(FILE), described(OTHER_BUILD)],
  licence: 'MIT',
  default: false,
};

interface Fixture extends Mirror {
  folder: string;
  pull(options?: Partial<PullOptions>): Promise<string>;
  /** Checks that the folder contains the complete model and nothing else. */
  assertInstalled(): Promise<void>;
  /** Names of the entries of the folder. */
  names(): Promise<string[]>;
}

async function withFixture(work: (fixture: Fixture) => Promise<void>): Promise<void> {
  await withFolder(async (parent) => {
    const folder = join(parent, 'models');
    await withMirror({ 'file.onnx': FILE }, async (mirror) => {
      const names = () => readdir(folder);
      await work(
        Object.assign(mirror, {
          folder,
          names,
          pull: (options: Partial<PullOptions> = {}) => pullModel(MODEL, { folder, mirror: mirror.url, ...options }),
          async assertInstalled() {
            assert.deepEqual(await names(), ['made-up.onnx']);
            assert.ok(FILE.equals(await readFile(join(folder, 'made-up.onnx'))));
            assert.equal(await findModelFile(MODEL, folder), join(folder, 'made-up.onnx'));
          },
        }),
      );
    });
  });
}

/**
 * Breaks the connection in the middle of the file. The partial file has at most the first half, without bytes that were
 * still in transit.
 * @returns the number of bytes in the partial file
 */
async function breakConnection(fixture: Fixture): Promise<number> {
  fixture.behave = (response, _request, file) => sendBroken(response, file, HALF);
  const { message } = await failureOf('url_fetch_failed', () => fixture.pull());
  const { size } = await stat(join(fixture.folder, 'made-up.part', 'bytes'));
  assert.ok(size > 0 && size <= HALF);
  assert.match(
    message,
    new RegExp(`failed \\(ECONNRESET\\), after ${size} bytes from which the next pull goes on[.]$`),
  );
  fixture.behave = undefined;
  assert.deepEqual(await fixture.names(), ['made-up.part']);
  assert.equal(await findModelFile(MODEL, fixture.folder), undefined);
  fixture.asked.length = 0;
  return size;
}

describe('downloading a model', { timeout: 60_000 }, () => {
  it('moves the complete file into place, and reports progress', async () => {
    await withFixture(async ({ pull, folder, asked, assertInstalled }) => {
      const seen: number[] = [];
      const path = await pull({
        onProgress: (received, total) => {
          assert.equal(total, SIZE);
          seen.push(received);
        },
      });
      assert.equal(path, join(folder, 'made-up.onnx'));
      assert.deepEqual(asked, [{ name: 'file.onnx', range: undefined, ifRange: undefined }]);
      assert.equal(seen.at(-1), SIZE);
      assert.deepEqual(
        seen,
        seen.toSorted((a, b) => a - b),
      );
      await assertInstalled();
    });
  });

  it('downloads nothing when the file is there, under any name', async () => {
    await withFixture(async ({ pull, folder, asked, names }) => {
      await mkdir(folder);
      await writeFile(join(folder, 'renamed.onnx'), OTHER_BUILD);
      assert.equal(await pull(), join(folder, 'renamed.onnx'));
      assert.deepEqual(asked, []);
      assert.deepEqual(await names(), ['renamed.onnx']);
    });
  });

  it('replaces a damaged file', async () => {
    await withFixture(async ({ pull, folder, assertInstalled }) => {
      await mkdir(folder);
      await writeFile(join(folder, 'made-up.onnx'), randomBytes(SIZE));
      await pull();
      await assertInstalled();
    });
  });

  it('accepts every known build', async () => {
    await withFixture(async ({ pull, files, folder }) => {
      files.set('file.onnx', OTHER_BUILD);
      assert.ok(OTHER_BUILD.equals(await readFile(await pull())));
      assert.deepEqual(await readdir(folder), ['made-up.onnx']);
    });
  });

  it('follows redirects, as release pages use them', async () => {
    await withFixture(async (fixture) => {
      fixture.behave = (response) => {
        fixture.behave = undefined;
        response.writeHead(302, { location: '../elsewhere/file.onnx' }).end('moved');
      };
      await fixture.pull();
      await fixture.assertInstalled();
    });
  });

  it('is safe when it runs several times at once', async () => {
    await withFixture(async ({ pull, assertInstalled }) => {
      const paths = await Promise.all(Array.from({ length: 5 }, () => pull()));
      assert.equal(new Set(paths).size, 1);
      await assertInstalled();
    });
  });

  it('handles a server that closes faster than the disk writes the bytes', async () => {
    await withFixture(async ({ pull, assertInstalled }) => {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => {
          socket.write(`HTTP/1.0 200 OK\r\nContent-Length: ${SIZE}\r\n\r\n`);
          socket.end(FILE);
        });
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as { port: number };
      await pull({ mirror: `http://127.0.0.1:${port}` });
      server.close();
      await assertInstalled();
    });
  });
});

describe('a response that is not the model', { timeout: 60_000 }, () => {
  const cases: Record<
    string,
    [RegExp, (response: ServerResponse, request: IncomingMessage, file: Uint8Array) => void]
  > = {
    'status 404': [/received status 404[.]$/, (response) => response.writeHead(404).end()],
    'status 500 with a body': [/received status 500[.]$/, (response) => response.writeHead(500).end(FILE)],
    'status 204': [/received status 204[.]$/, (response) => response.writeHead(204).end()],
    'a part that nobody asked for': [
      /received status 206[.]$/,
      (response) => response.writeHead(206, { 'content-range': `bytes 0-${SIZE - 1}/${SIZE}` }).end(FILE),
    ],
    'a web page': [
      /received a web page[.]$/,
      (response) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<p>Please sign in'),
    ],
    'a file of another size': [
      /received a file of 299999 bytes[.]$/,
      (response) => response.writeHead(200, { 'content-length': SIZE - 1 }).end(FILE.subarray(1)),
    ],
    'an empty file': [/received a file of 0 bytes[.]$/, (response) => response.writeHead(200).end()],
    'less than the file, from a server that does not tell how much': [
      /received a file of 150000 bytes[.]$/,
      (response) => {
        response.writeHead(200).write(FILE.subarray(0, HALF));
        response.end();
      },
    ],
    'bytes without end': [
      /received more than 300000 bytes[.]$/,
      (response) => {
        const more = () => {
          if (!response.destroyed) response.write(randomBytes(65_536), more);
        };
        more();
      },
    ],
    'other bytes': [
      /received a file with another checksum[.]$/,
      (response) => response.writeHead(200, { 'content-length': SIZE }).end(randomBytes(SIZE)),
    ],
    'redirects without end': [
      /received more than 5 redirects[.]$/,
      (response, request) => response.writeHead(301, { location: String(request.url) }).end(),
    ],
    'a redirect to nowhere': [/received a redirect to nowhere[.]$/, (response) => response.writeHead(302).end()],
    'a redirect to a file of this machine': [
      /received a redirect to no address of http or https[.]$/,
      (response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    ],
    'a connection that ends at once': [
      /received a connection that failed \(ECONNRESET\)[.]$/,
      (response) => response.destroy(),
    ],
    'an answer that is not HTTP': [
      /received a connection that failed \(HPE_\w+\)[.]$/,
      (response) => response.socket?.end('220 mail.example.com ESMTP\r\n'),
    ],
  };
  for (const [what, [sentence, behave]] of Object.entries(cases)) {
    it(`is rejected with one sentence and leaves no file: ${what}`, async () => {
      await withFixture(async (fixture) => {
        fixture.behave = behave;
        const { message } = await failureOf('url_fetch_failed', () => fixture.pull());
        assert.match(message, sentence);
        assert.match(
          message,
          /^Expected the model made-up from http:\/\/127[.]0[.]0[.]1:\d+\/models\/file[.]onnx but /,
        );
        assert.deepEqual(await fixture.names(), []);
      });
    });
  }

  it('may be a failed connection', async () => {
    await withFixture(async ({ pull, names }) => {
      const unused = await withMirror({}, async ({ url }) => url);
      const refused = await failureOf('url_fetch_failed', () => pull({ mirror: unused }));
      assert.match(refused.message, /received a connection that failed \(ECONNREFUSED\)[.]$/);
      const unknown = await failureOf('url_fetch_failed', () => pull({ mirror: 'http://mirror.invalid' }));
      assert.match(unknown.message, /received no address for its host name[.]$/);
      assert.deepEqual(await names(), []);
    });
  });

  it('may be a server that stops sending', async () => {
    await withFixture(async (fixture) => {
      fixture.behave = () => {};
      const before = await failureOf('url_fetch_failed', () => fixture.pull({ stallMs: 50 }));
      assert.match(before.message, /received nothing for 0[.]05 seconds[.]$/);
      fixture.behave = (response, _request, file) => {
        response.writeHead(200, { 'content-length': file.length }).write(file.subarray(0, HALF));
      };
      const within = await failureOf('url_fetch_failed', () => fixture.pull({ stallMs: 200 }));
      assert.match(
        within.message,
        /received nothing for 0[.]2 seconds, after 150000 bytes from which the next pull goes on[.]$/,
      );
      fixture.behave = undefined;
      await fixture.pull();
      await fixture.assertInstalled();
    });
  });
});

describe('an interrupted download', { timeout: 60_000 }, () => {
  it('resumes where it stopped, as long as it is the same file', async () => {
    await withFixture(async (fixture) => {
      const size = await breakConnection(fixture);
      const progress: number[] = [];
      await fixture.pull({ onProgress: (received) => progress.push(received) });
      assert.deepEqual(fixture.asked, [{ name: 'file.onnx', range: `bytes=${size}-`, ifRange: etagOf(FILE) }]);
      assert.ok(progress[0]! > size);
      await fixture.assertInstalled();
    });
  });

  it('may be interrupted again', async () => {
    await withFixture(async (fixture) => {
      const first = await breakConnection(fixture);
      fixture.behave = (response, _request, file) => {
        response.writeHead(206, {
          'content-range': `bytes ${first}-${SIZE - 1}/${SIZE}`,
          'content-length': SIZE - first,
        });
        response.write(file.subarray(first, 250_000), () => response.destroy());
      };
      await failureOf('url_fetch_failed', () => fixture.pull());
      const { size } = await stat(join(fixture.folder, 'made-up.part', 'bytes'));
      assert.ok(size > first);
      fixture.behave = undefined;
      await fixture.pull();
      assert.deepEqual(fixture.asked.at(-1), { name: 'file.onnx', range: `bytes=${size}-`, ifRange: etagOf(FILE) });
      await fixture.assertInstalled();
    });
  });

  it('is kept when a server returns only an error or a page', async () => {
    await withFixture(async (fixture) => {
      const size = await breakConnection(fixture);
      for (const behave of [
        (response: ServerResponse) => response.writeHead(503).end(),
        (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in'),
        (response: ServerResponse) => response.writeHead(200, { 'content-length': 5 }).end('moved'),
      ]) {
        fixture.behave = behave;
        const { message } = await failureOf('url_fetch_failed', () => fixture.pull());
        assert.ok(message.endsWith(`, after ${size} bytes from which the next pull goes on.`));
      }
      fixture.behave = undefined;
      await fixture.pull();
      assert.equal(fixture.asked.at(-1)?.range, `bytes=${size}-`);
      await fixture.assertInstalled();
    });
  });

  const beginnings: Record<string, (response: ServerResponse, request: IncomingMessage, file: Uint8Array) => void> = {
    'has no ranges': (response, _request, file) => response.writeHead(200).end(file),
    'says that there is no rest': (response, request, file) =>
      request.headers.range === undefined ? response.end(file) : response.writeHead(416).end(),
    'sends another part': (response, request, file) =>
      request.headers.range === undefined
        ? response.end(file)
        : response.writeHead(206, { 'content-range': `bytes 1-${SIZE - 1}/${SIZE}` }).end(file.subarray(1)),
    'does not say which part it sends': (response, request, file) =>
      request.headers.range === undefined ? response.end(file) : response.writeHead(206).end(file.subarray(HALF)),
  };
  for (const [what, behave] of Object.entries(beginnings)) {
    it(`restarts when the server ${what}`, async () => {
      await withFixture(async (fixture) => {
        const size = await breakConnection(fixture);
        fixture.behave = behave;
        await fixture.pull();
        assert.equal(fixture.asked[0]?.range, `bytes=${size}-`);
        await fixture.assertInstalled();
      });
    });
  }

  it('restarts when the file has changed in between', async () => {
    await withFixture(async (fixture) => {
      fixture.files.set('file.onnx', randomBytes(SIZE));
      await breakConnection(fixture);
      fixture.files.set('file.onnx', FILE);
      await fixture.pull();
      assert.equal(fixture.asked.length, 1);
      await fixture.assertInstalled();
    });
  });

  it('restarts when the first part does not match the rest', async () => {
    await withFixture(async (fixture) => {
      await breakConnection(fixture);
      await writeFile(join(fixture.folder, 'made-up.part', 'bytes'), randomBytes(HALF));
      await fixture.pull();
      assert.deepEqual(
        fixture.asked.map(({ range }) => range),
        [`bytes=${HALF}-`, undefined],
      );
      await fixture.assertInstalled();
    });
  });

  it('sends no request when the first part was complete', async () => {
    await withFixture(async (fixture) => {
      await breakConnection(fixture);
      await writeFile(join(fixture.folder, 'made-up.part', 'bytes'), FILE);
      await fixture.pull();
      assert.deepEqual(fixture.asked, []);
      await fixture.assertInstalled();
    });
  });

  it('is also kept after a signal to stop', async () => {
    await withFixture(async (fixture) => {
      fixture.behave = (response, _request, file) => {
        response.writeHead(200, { 'content-length': file.length }).write(file.subarray(0, HALF));
      };
      const stop = new AbortController();
      const onProgress = (received: number) => received === HALF && stop.abort(new Error('stopped by the test'));
      await assert.rejects(fixture.pull({ signal: stop.signal, onProgress }), /stopped by the test/);
      await assert.rejects(fixture.pull({ signal: stop.signal }), /stopped by the test/);
      assert.equal((await stat(join(fixture.folder, 'made-up.part', 'bytes'))).size, HALF);
      fixture.behave = undefined;
      await fixture.pull();
      assert.equal(fixture.asked.at(-1)?.range, `bytes=${HALF}-`);
      await fixture.assertInstalled();
    });
  });

  it('is taken over from a killed process, not from a running one', async () => {
    await withFixture(async (fixture) => {
      const { folder } = fixture;
      const part = async (name: string, age: number) => {
        await mkdir(join(folder, name), { recursive: true });
        await writeFile(join(folder, name, 'bytes'), FILE.subarray(0, HALF));
        const time = new Date(Date.now() - age);
        await utimes(join(folder, name, 'bytes'), time, time);
      };
      await part('made-up.working.part', 0);
      await part('made-up.killed.part', 3_600_000);
      await part('made-up.dead.part', 3_600_000);
      await part('made-up-2.dead.part', 3_600_000);
      await fixture.pull();
      assert.equal(fixture.asked[0]?.range, `bytes=${HALF}-`);
      // The other abandoned partial file of the model is removed too. Those of other models stay.
      assert.deepEqual(await fixture.names(), ['made-up-2.dead.part', 'made-up.onnx', 'made-up.working.part']);
    });
  });
});

describe('a partial file', { timeout: 60_000 }, () => {
  it('is used by one download at a time, however old it is', async () => {
    await withFixture(async (fixture) => {
      const size = await breakConnection(fixture);
      const time = new Date('2026-01-01T00:00:00Z');
      await utimes(join(fixture.folder, 'made-up.part', 'bytes'), time, time);
      const stop = new AbortController();
      fixture.behave = () => {};
      const first = fixture.pull({ signal: stop.signal });
      while (fixture.asked.length === 0) await new Promise(setImmediate);
      fixture.behave = undefined;
      await fixture.pull();
      assert.deepEqual(
        fixture.asked.map(({ range }) => range),
        [`bytes=${size}-`, undefined],
      );
      stop.abort();
      await assert.rejects(first, { name: 'AbortError' });
    });
  });
});

describe('a folder that cannot store the model', () => {
  it('has too little space: no request is sent', async () => {
    await withFixture(async ({ folder, url, asked }) => {
      const huge: CatalogueModel = { ...MODEL, files: [{ bytes: 2 ** 60, sha256: '' }] };
      const { message } = await failureOf('storage_full', () => pullModel(huge, { folder, mirror: url }));
      assert.match(message, /^Expected 1152921504606847000 bytes of room in .+ \(IC_MODELS_DIR\) but received \d+[.]$/);
      assert.deepEqual(asked, []);
      assert.deepEqual(await readdir(folder), []);
    });
  });

  it('is a file', async () => {
    await withFixture(async ({ folder, pull, asked }) => {
      await writeFile(folder, '');
      const { message } = await failureOf('internal_error', pull);
      assert.match(
        message,
        /^Expected a folder that can be written for IC_MODELS_DIR but received ".+ \(EEXIST\)"[.]$/,
      );
      assert.deepEqual(asked, []);
    });
  });

  it('is not writable', { skip: process.getuid?.() === 0 && 'root may write everywhere' }, async () => {
    await withFixture(async ({ folder, pull, asked }) => {
      await mkdir(folder, { mode: 0o500 });
      const { message } = await failureOf('internal_error', pull);
      await chmod(folder, 0o700);
      assert.match(message, /\(EACCES\)"[.]$/);
      assert.deepEqual(asked, []);
    });
  });
});
