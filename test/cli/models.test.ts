import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, copyFile, mkdir, open, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCli } from '../../cli/program.ts';
import { CATALOGUE } from '../../models/catalogue.ts';
import { withFolder } from '../support/folder.ts';
import { type Mirror, withMirror } from '../support/mirror.ts';
import { MODELS_FOLDER, modelsSkipReason } from '../support/models.ts';
import { LOADER, program } from '../support/repository.ts';
import { skipWithout } from '../support/tool.ts';

const MAIN = fileURLToPath(program('cli/main'));

const FACES = join(MODELS_FOLDER, 'faces-yunet-n.onnx');
const BACKGROUND = join(MODELS_FOLDER, 'background-u2netp-fp16.onnx');

interface Run {
  status: number;
  out: string;
  err: string;
}

interface Fixture {
  /** The models folder, which does not exist yet. */
  folder: string;
  mirror: Mirror;
  env: Record<string, string>;
  /** Runs one command; its arguments are split at spaces. */
  run(command: string, isTerminal?: boolean): Promise<Run>;
  /** Runs one command in a separate process. */
  start(command: string): ChildProcessByStdio<null, Readable, Readable>;
}

/** Runs `work` with a mirror. The mirror serves the real files of the default models if they are installed. */
async function withModels(work: (fixture: Fixture) => Promise<void>): Promise<void> {
  const files = modelsSkipReason
    ? {}
    : { 'yunet_n_dynamic.onnx': await readFile(FACES), 'u2netp.onnx': await readFile(BACKGROUND) };
  await withFolder(async (parent) => {
    await withMirror(files, async (mirror) => {
      const folder = join(parent, 'models');
      const env = { IC_PORT: '0', IC_MODELS_DIR: folder, IC_MODELS_URL: mirror.url };
      const start: Fixture['start'] = (command) =>
        spawn(process.execPath, [...LOADER, MAIN, ...command.split(' ')], {
          env: { ...process.env, ...env },
          stdio: ['ignore', 'pipe', 'pipe'],
        });
      await work({ folder, mirror, env, start, run: (command, isTerminal) => run(command, env, isTerminal) });
    });
  });
}

async function run(command: string, env: Record<string, string>, isTerminal = false): Promise<Run> {
  const written = { out: '', err: '' };
  const status = await runCli(command.split(' '), {
    env,
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    isTerminal,
  });
  return { status, ...written };
}

async function waitForExit(child: ChildProcessByStdio<null, Readable, Readable>): Promise<Run> {
  const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { status, out, err };
}

function linesOf({ out }: Run): Record<string, unknown>[] {
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const idsOf = (rows: Record<string, unknown>[]) => rows.map(({ id }) => id);

describe('models list', () => {
  it('lists every model of the catalogue and the bundled ones', async () => {
    await withModels(async ({ run, folder }) => {
      const result = await run('models list');
      assert.deepEqual([result.status, result.err], [0, '']);
      const rows = linesOf(result);
      assert.deepEqual(idsOf(rows), [...CATALOGUE.map(({ id }) => id), 'imagecrew-x2', 'eng', 'slv']);
      assert.deepEqual(
        rows.find(({ id }) => id === 'isnet-general-use'),
        {
          id: 'isnet-general-use',
          purpose: 'background',
          installed: false,
          built_in: false,
          default: false,
          bytes: 178_648_008,
          licence: 'Apache-2.0 for the code; the terms of the weights are unclear',
          notice: 'The terms of the weights are not stated by their authors.',
          path: null,
        },
      );
      assert.deepEqual(idsOf(rows.filter((row) => row.installed)), ['imagecrew-x2', 'eng', 'slv']);
      assert.deepEqual(idsOf(rows.filter((row) => row.default)), ['u2netp', 'yunet-n']);
      for (const { built_in, bytes, path } of rows) {
        assert.equal(built_in, path !== null);
        if (built_in) assert.equal((await stat(String(path))).size, bytes);
      }
      await assert.rejects(stat(folder));
    });
  });

  it('names the installed file', { skip: modelsSkipReason }, async () => {
    await withModels(async ({ run, folder }) => {
      await mkdir(folder);
      await copyFile(BACKGROUND, join(folder, 'subject.onnx'));
      const row = linesOf(await run('models list')).find(({ id }) => id === 'u2netp');
      assert.deepEqual([row?.installed, row?.bytes, row?.path], [true, 2_298_115, join(folder, 'subject.onnx')]);
    });
  });
});

describe('models pull', () => {
  it('downloads the default models, and nothing on the second run', { skip: modelsSkipReason }, async () => {
    await withModels(async ({ run, folder, mirror }) => {
      const { status, err, ...rest } = await run('models pull');
      assert.deepEqual([status, err], [0, '']);
      const rows = linesOf({ status: 0, err: '', ...rest });
      assert.deepEqual(
        rows.map(({ id, fetched, installed, path }) => [id, fetched, installed, path]),
        [
          ['u2netp', true, true, join(folder, 'u2netp.onnx')],
          ['yunet-n', true, true, join(folder, 'yunet-n.onnx')],
        ],
      );
      assert.deepEqual((await readdir(folder)).sort(), ['u2netp.onnx', 'yunet-n.onnx']);
      assert.deepEqual(await readFile(join(folder, 'yunet-n.onnx')), await readFile(FACES));

      mirror.asked.length = 0;
      const again = await run('models pull yunet-n yunet-n');
      assert.deepEqual([again.status, again.err], [0, 'yunet-n is installed already.\n']);
      assert.deepEqual(linesOf(again), [{ ...rows[1], fetched: false }]);
      assert.deepEqual(mirror.asked, []);
    });
  });

  it('shows a progress bar on a terminal', { skip: modelsSkipReason }, async () => {
    await withModels(async ({ run }) => {
      const { status, out, err } = await run('models pull yunet-n', true);
      assert.equal(status, 0);
      assert.match(err, /\ryunet-n \[#{30}\] 100% of 0[.]3 MB/);
      assert.ok(err.endsWith('\r\u001b[K'));
      assert.match(out, /^\{.+\}\n$/);
    });
  });

  it('shows the terms to accept before it downloads', async () => {
    await withModels(async ({ run }) => {
      const { status, err } = await run('models pull isnet-general-use');
      assert.equal(status, 1);
      assert.match(err, /^isnet-general-use: The terms of the weights are not stated by their authors[.]\nExpected /);
    });
  });

  it('exits with 1 and one sentence if the download is not the model', async () => {
    await withModels(async ({ run, folder, mirror }) => {
      const page = Buffer.from('This is not the model.');
      mirror.files.set('u2netp.onnx', page);
      for (const [behave, received] of [
        [undefined, 'a file of 22 bytes'],
        [(response) => response.writeHead(500).end(), 'status 500'],
        [(response) => response.destroy(), 'a connection that failed (ECONNRESET)'],
        [(response) => response.writeHead(302, { location: '/models/u2netp.onnx' }).end(), 'more than 5 redirects'],
        [(response) => response.writeHead(200).end(Buffer.alloc(2_298_115)), 'a file with another checksum'],
        [(response) => response.writeHead(200).end(Buffer.alloc(5_000_000)), 'more than 4574861 bytes'],
      ] satisfies [Mirror['behave'], string][]) {
        mirror.behave = behave;
        assert.deepEqual(await run('models pull'), {
          status: 1,
          out: '',
          err: `Expected the model u2netp from ${mirror.url}/u2netp.onnx but received ${received}.\n`,
        });
        assert.deepEqual(await readdir(folder), []);
      }
    });
  });

  it('keeps a partial download on Ctrl-C, and the next run resumes it', { skip: modelsSkipReason }, async () => {
    await withModels(async ({ start, run, folder, mirror }) => {
      const half = 1_000_000;
      mirror.behave = (response, _request, file) => {
        response.writeHead(200, { 'content-length': file.length }).write(file.subarray(0, half));
      };
      const child = start('models pull u2netp');
      const result = waitForExit(child);
      const received = async () => {
        const [part = ''] = await readdir(folder).catch(() => []);
        return (await stat(join(folder, part, 'bytes')).catch(() => undefined))?.size;
      };
      while ((await received()) !== half) await new Promise(setImmediate);
      child.kill('SIGINT');
      assert.deepEqual(await result, {
        status: 1,
        out: '',
        err: 'Expected to fetch every model but received a signal to stop. The next pull goes on with what has come.\n',
      });
      assert.deepEqual(await readdir(folder), ['u2netp.part']);
      mirror.behave = undefined;
      assert.equal((await run('models pull u2netp')).status, 0);
      assert.equal(mirror.asked.at(-1)?.range, `bytes=${half}-`);
      assert.deepEqual(await readdir(folder), ['u2netp.onnx']);
    });
  });

  it('may run twice at once', { skip: modelsSkipReason }, async () => {
    await withModels(async ({ start, folder }) => {
      const results = await Promise.all([waitForExit(start('models pull')), waitForExit(start('models pull'))]);
      assert.deepEqual(
        results.map(({ status }) => status),
        [0, 0],
      );
      assert.deepEqual((await readdir(folder)).sort(), ['u2netp.onnx', 'yunet-n.onnx']);
      assert.deepEqual(await readFile(join(folder, 'u2netp.onnx')), await readFile(BACKGROUND));
    });
  });

  it('leaves nothing behind on a full disk', { skip: modelsSkipReason || skipWithout('sh') }, async () => {
    await withModels(async ({ folder, env }) => {
      // `ulimit -f` limits the size of the files that this process may write, in blocks of 512 bytes. It simulates a
      // full disk.
      const command = `ulimit -f 2000; exec "$0" "$@" models pull u2netp`;
      const child = spawn('sh', ['-c', command, process.execPath, ...LOADER, MAIN], {
        env: { ...process.env, ...env, TSX_DISABLE_CACHE: '1' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      assert.deepEqual(await waitForExit(child), {
        status: 1,
        out: '',
        err: `Expected room for a model for IC_MODELS_DIR but received "${folder} (EFBIG)".\n`,
      });
      assert.deepEqual(await readdir(folder), []);
    });
  });

  it('rejects unknown models', async () => {
    await withModels(async ({ run }) => {
      for (const id of ['imagecrew-x2', 'eng', 'u2net', '../u2netp']) {
        const { status, err } = await run(`models pull ${id}`);
        assert.equal(status, 2);
        assert.match(err, /^error: .+ Allowed choices are birefnet-lite, .+[.]\n$/);
      }
    });
  });
});

describe('models verify', () => {
  const stateOf = (rows: Record<string, unknown>[], id: string) => rows.find((row) => row.id === id)?.state;

  it('exits with 1 if an operation has no model', async () => {
    await withModels(async ({ run }) => {
      const result = await run('models verify');
      assert.equal(result.status, 1);
      assert.equal(result.err, 'Expected a model for every purpose but these have none: background, faces.\n');
      assert.deepEqual(
        [stateOf(linesOf(result), 'u2netp'), stateOf(linesOf(result), 'imagecrew-x2')],
        ['missing', 'ok'],
      );
    });
  });

  it('reads every file again, even if its metadata has not changed', { skip: modelsSkipReason }, async () => {
    await withModels(async ({ run, folder }) => {
      assert.equal((await run('models pull')).status, 0);
      const path = join(folder, 'yunet-n.onnx');
      const time = new Date('2026-01-01T00:00:00Z');
      await utimes(path, time, time);
      const whole = await run('models verify');
      assert.deepEqual([whole.status, whole.err], [0, '']);
      const handle = await open(path, 'r+');
      await handle.write(Buffer.of(1, 2, 3), 0, 3, 1000);
      await handle.utimes(time, time);
      await handle.close();
      assert.equal(linesOf(await run('models list')).find(({ id }) => id === 'yunet-n')?.installed, true);
      const damaged = await run('models verify');
      assert.deepEqual([damaged.status, damaged.err], [1, 'Expected whole files but these are damaged: yunet-n.\n']);
      assert.equal(stateOf(linesOf(damaged), 'yunet-n'), 'damaged');
      assert.equal(stateOf(linesOf(damaged), 'u2netp'), 'ok');
    });
  });

  it('detects files that are too short, too long or no models', async () => {
    await withModels(async ({ run, folder }) => {
      await mkdir(folder);
      await writeFile(join(folder, 'silueta.onnx'), '');
      await writeFile(join(folder, 'yunet-n.onnx'), Buffer.alloc(322_906));
      await writeFile(join(folder, 'mine.onnx'), 'abc');
      await writeFile(join(folder, 'notes.txt'), 'abc');
      const result = await run('models verify');
      assert.equal(result.err, 'Expected whole files but these are damaged: silueta, yunet-n.\n');
      const odd = linesOf(result).filter(({ state }) => state === 'damaged' || state === 'unknown');
      assert.deepEqual(
        odd.map(({ id, path, state }) => [id, path, state]),
        [
          ['silueta', join(folder, 'silueta.onnx'), 'damaged'],
          ['yunet-n', join(folder, 'yunet-n.onnx'), 'damaged'],
          [null, join(folder, 'mine.onnx'), 'unknown'],
        ],
      );
    });
  });
});

describe('doctor', () => {
  it('says which models are installed', { skip: modelsSkipReason }, async () => {
    await withModels(async ({ run, folder }) => {
      await mkdir(folder);
      await copyFile(FACES, join(folder, 'yunet-n.onnx'));
      const { status, out } = await run('doctor');
      assert.equal(status, 0);
      assert.match(out, /^ {7}model for background: missing \(imagecrew models pull u2netp fetches it\)$/m);
      assert.match(out, /^\[ok\] {3}model for faces: yunet-n$/m);
      assert.match(out, /^\[ok\] {3}model for upscale: imagecrew-x2$/m);
      assert.match(out, /^\[ok\] {3}model for ocr: eng, slv$/m);
      await appendFile(join(folder, 'yunet-n.onnx'), 'x');
      const damaged = await run('doctor');
      assert.equal(damaged.status, 1);
      assert.match(damaged.out, /^\[fail\] model for faces: damaged /m);
    });
  });
});
