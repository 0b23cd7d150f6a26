/** The client as users see it: installed in a project, in the programs of its guide, and in a browser. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { Webhook } from 'standardwebhooks';
import { newSecret } from '../../server/webhooks/signature.ts';
import { withBrowser } from '../support/browser.ts';
import { withFolder } from '../support/folder.ts';
import { withServer } from '../support/http-server.ts';
import { nightlyOnly } from '../support/nightly.ts';
import { repositoryFile } from '../support/repository.ts';
import { browserSkipReason } from '../support/separate-browser.ts';
import { withServed } from '../support/serve-process.ts';
import { jpeg, pattern } from '../support/test-images.ts';
import { type GuidePrograms, installClient, programsOfGuide, tsc } from './package.ts';

const run = promisify(execFile);
const STANDIN = 'https://images.example.com';

let project: string;
let programs: GuidePrograms;
let stop: () => void;
let ended: Promise<void>;

before(async () => {
  await new Promise<void>((ready, fail) => {
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    ended = withFolder(async (folder) => {
      project = folder;
      programs = await programsOfGuide();
      await installClient(project);
      await writeFile(join(project, 'photo.jpg'), await jpeg(pattern(640, 480)));
      ready();
      await stopped;
    });
    ended.catch(fail);
  });
});

after(async () => {
  stop();
  await ended;
});

/**
 * Compiles a program of the guide for Node.
 * @param address replaces the address of the service in the guide
 * @returns the path of the JavaScript file
 */
async function programOf(name: string, code: string, address = STANDIN): Promise<string> {
  const path = join(project, `${name}.ts`);
  await writeFile(path, code.replaceAll(STANDIN, address));
  const outfile = join(project, `${name}.js`);
  await build({ entryPoints: [path], outfile, format: 'esm', target: 'node20' });
  return outfile;
}

describe('a project that installs the client', () => {
  for (const resolution of ['nodenext', 'bundler'])
    it(`compiles strictly, with moduleResolution ${resolution}`, { skip: nightlyOnly }, async () => {
      const folder = join(project, resolution);
      await mkdir(folder);
      await writeFile(join(folder, 'main.ts'), programs.main);
      await writeFile(join(folder, 'receiver.ts'), programs.receiver);
      // If the types were not found, this line would be no error and the compiler would complain.
      const wrong = programs.main.replace(
        /^.*width: 1200/m,
        (line) => `// @ts-expect-error\n${line.replace('1200', "'wide'")}`,
      );
      await writeFile(join(folder, 'wrong.ts'), wrong);
      const compilerOptions = {
        ...{ strict: true, noEmit: true, target: 'es2022', lib: ['es2023'], skipLibCheck: false },
        ...{ module: resolution === 'bundler' ? 'esnext' : resolution, moduleResolution: resolution },
        ...{ noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true },
        ...{ types: ['node'], typeRoots: [fileURLToPath(repositoryFile('node_modules/@types'))] },
      };
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
      await tsc('-p', folder);
    });
});

describe('the guide', () => {
  it('runs on the service from top to bottom', { skip: nightlyOnly }, async () => {
    await withServed(join(project, 'data'), async ({ address, key }) => {
      const program = await programOf('main', programs.main, address);
      const env = { ...process.env, KEY: key };
      const { stdout } = await run(process.execPath, [program], { cwd: project, env });
      assert.match(stdout, /invalid_parameter Expected an integer from 1 to 100 for quality but received/);
      for (const name of ['photo.webp', 'small.jpg', 'results.zip'])
        assert.ok((await stat(join(project, name))).size > 0);
    });
  });

  it('receives webhooks, and rejects forged ones', async () => {
    const secret = newSecret();
    const reserved = createServer().listen(0, '127.0.0.1');
    await once(reserved, 'listening');
    const { port } = reserved.address() as { port: number };
    reserved.close();
    await once(reserved, 'close');
    const program = `${programs.receiver.trimEnd().replace(/;$/, '')}.on('listening', () => console.log('ready'));`;
    const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: `${port}` };
    const child = spawn(process.execPath, [await programOf('receiver', program)], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const lines = child.stdout.iterator({ destroyOnReturn: false });
    try {
      assert.equal(String((await lines.next()).value), 'ready\n');
      const body = JSON.stringify({ type: 'job.finished', timestamp: '', data: { id: 'job_1', status: 'done' } });
      const now = new Date();
      const headers = {
        'webhook-id': 'msg_1',
        'webhook-timestamp': `${Math.floor(now.getTime() / 1000)}`,
        'webhook-signature': new Webhook(secret).sign('msg_1', now, body),
      };
      const send = (text: string) => fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: text });
      assert.equal((await send(`${body} `)).status, 401);
      assert.equal((await send(body)).status, 204);
      assert.equal(String((await lines.next()).value), 'job_1 done\n');
    } finally {
      child.kill('SIGKILL');
      await exited;
    }
  });

  it('compresses a file in a page of another origin', { skip: browserSkipReason || nightlyOnly }, async () => {
    let script = '';
    const page =
      '<!doctype html><title>Page</title><input type="file"><img alt=""><script type="module" src="/page.js"></script>';
    await withServer(
      (request, response) => {
        const [type, text] = request.url === '/page.js' ? ['text/javascript', script] : ['text/html', page];
        response.writeHead(200, { 'Content-Type': type }).end(text);
      },
      async ({ origin }) =>
        withServed(
          join(project, 'data-of-page'),
          async ({ address, key }) => {
            const path = join(project, 'page.js');
            await writeFile(path, programs.page.replaceAll(STANDIN, address).replace('ic_live_...', key));
            const result = await build({
              entryPoints: [path],
              bundle: true,
              write: false,
              format: 'esm',
              platform: 'browser',
            });
            script = result.outputFiles[0]!.text;
            await withBrowser(async ({ page }) => {
              const complaints: string[] = [];
              page.on('pageerror', (error) => complaints.push(`${error}`));
              await page.goto(origin);
              await page.locator('input').setInputFiles(join(project, 'photo.jpg'));
              await page.waitForFunction('document.querySelector("img").naturalWidth > 0');
              assert.equal(await page.evaluate('document.querySelector("img").naturalWidth'), 640);
              assert.deepEqual(complaints, []);
            });
          },
          { IC_CORS_ORIGINS: origin },
        ),
    );
  });

  it('needs no other package, and is small', async () => {
    // For browsers the bundler fails on any module of Node.
    const entry = fileURLToPath(repositoryFile('client/index.ts'));
    const { outputFiles } = await build({
      entryPoints: [entry],
      bundle: true,
      write: false,
      minify: true,
      format: 'esm',
      platform: 'browser',
    });
    assert.ok(outputFiles[0]!.contents.length < 24_000, `${outputFiles[0]!.contents.length} bytes`);
  });
});
