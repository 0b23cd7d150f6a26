import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { type MappedLine, mappedLines } from '../../../../server/sites/package/mapping.ts';
import { apacheRules, netlifyRules, nginxRules } from '../../../../server/sites/package/rules.ts';
import { withFolder } from '../../../support/folder.ts';
import { findProgram } from '../../../support/tool.ts';
import { collect, withScanRows } from './rows.ts';

const SITE = 'https://example.com';
const ORIGINALS = {
  '/images/hero.jpg': '/images/hero.webp',
  '/my photo (1).jpg': '/my photo (1).webp',
  '/m\u00fcnchen.png': '/m\u00fcnchen.webp',
  '/a+b,c=d&e.jpg': '/a+b,c=d&e.webp',
  '/print.jpeg': '/print.jpg',
  // Names that differ only in case get no rule, because some servers ignore the case.
  '/Twin.jpg': undefined,
  '/twin.jpg': undefined,
};
const QUERY_URL = '/img.php?id=3&s=a.b';

/** Runs `work` with the lines of the map of a site with names of every kind. */
async function withLines(work: (lines: MappedLine[]) => Promise<void>): Promise<void> {
  await withScanRows(async (rows) => {
    await rows.scan();
    for (const path of Object.keys(ORIGINALS)) {
      const format = path === '/print.jpeg' ? 'jpeg' : 'webp';
      await rows.mapped(SITE + encodeURI(path), `new ${path}`, {}, { format });
    }
    await rows.mapped(SITE + QUERY_URL, 'new by query');
    await rows.mapped('https://cdn.example.com/images/hero.jpg', 'of another host');
    await rows.mapped('http://www.example.com/images/hero.jpg', 'of the same host');
    await work(await collect(mappedLines(rows.services.database, (await rows.context()).scan)));
  });
}

/** Returns the target of the only rule for a resized image whose file of the original size has this many bytes. */
async function ruleTarget(wholeBytes: number): Promise<string | undefined> {
  let target: string | undefined;
  await withScanRows(async (rows) => {
    await rows.scan();
    const seq = await rows.mapped(`${SITE}/hero.jpg`, 'new', { bytes: 10 }, { width: 100, height: 75 });
    await rows.output(seq, await rows.file('x'.repeat(wholeBytes)), { id: 'f1', kind: 'candidate' });
    const lines = await collect(mappedLines(rows.services.database, (await rows.context()).scan));
    target = /"webp:([^"]+)"/.exec(await joined(nginxRules(iterate(lines), lines.length)))?.[1];
  });
  return target;
}

/** Yields values iterate after another, as a scan does. */
async function* iterate<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

const joined = async (parts: AsyncIterable<string>) => (await collect(parts)).join('');

/** Writes the originals and the new files into a document root. */
async function publish(root: string, lines: readonly MappedLine[]): Promise<void> {
  const write = async (path: string, content: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  };
  for (const path of Object.keys(ORIGINALS)) await write(path, `old ${path}`);
  await write('/img.php', 'old by query');
  for (const { line } of lines) if (!line.to.includes('_hosts')) await write(line.to.slice(5), `new file ${line.seq}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

/** Sends requests until the program listens. Fails if it exits. */
async function waitUntilListening(origin: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    if (
      await fetch(origin).then(
        () => true,
        () => false,
      )
    )
      return;
    await setTimeout(20);
  }
  assert.fail(`ended with ${child.exitCode}`);
}

/** Asserts what a server with the rules responds. */
async function assertResponses(origin: string, lines: readonly MappedLine[]): Promise<void> {
  const ask = async (path: string, accept: string) => {
    const response = await fetch(origin + encodeURI(path), { headers: { accept } });
    assert.equal(response.status, 200, path);
    return {
      body: await response.text(),
      type: response.headers.get('content-type'),
      vary: response.headers.get('vary'),
    };
  };
  const newer = 'image/avif,image/webp,*/*;q=0.8';
  const numberOf = (path: string) => lines.find(({ line }) => line.from_path === encodeURI(path))!.line.seq;
  for (const [path, target] of Object.entries(ORIGINALS)) {
    const isOld = target === undefined;
    const answer = await ask(path, newer);
    assert.equal(answer.body, isOld ? `old ${path}` : `new file ${numberOf(path)}`, path);
    if (isOld) continue;
    const isWebp = target.endsWith('.webp');
    assert.equal(answer.type, isWebp ? 'image/webp' : 'image/jpeg', path);
    for (const accept of ['image/png,*/*', 'image/webp;q=0, image/png'])
      assert.equal((await ask(path, accept)).body, isWebp ? `old ${path}` : `new file ${numberOf(path)}`, path);
    if (isWebp) assert.match((await ask(path, '*/*')).vary ?? '', /Accept/i);
    // A request with a query may want something else.
    assert.equal((await ask(`${path}?w=300`, newer)).body, `old ${path}`);
  }
  assert.equal((await ask(QUERY_URL, newer)).body, `new file ${numberOf(QUERY_URL)}`);
  assert.equal((await ask('/img.php?id=30&s=a.b', newer)).body, 'old by query');
  assert.equal((await ask('/img.php?id=3&s=axb', newer)).body, 'old by query');
}

const NGINX = findProgram('nginx') ?? ['/usr/sbin/nginx'].find((path) => isThere(path));
const APACHE = findProgram('apache2') ?? ['/usr/sbin/apache2'].find((path) => isThere(path));

function isThere(path: string): boolean {
  try {
    execFileSync(path, ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('server rules', () => {
  it('make nginx send new files to clients that accept them', {
    skip: NGINX ? false : 'not installed: nginx',
  }, async () => {
    await withLines(async (lines) => {
      await withFolder(async (folder) => {
        const root = join(folder, 'root');
        await publish(root, lines);
        const rules = await joined(nginxRules(iterate(lines), lines.length));
        await writeFile(join(folder, 'imagecrew.conf'), rules);
        const server = [...rules.matchAll(/^# {4}(.*)$/gm)].map(([, line]) => line).join('\n');
        const port = await freePort();
        const config = `daemon off; worker_processes 1; error_log stderr; pid ${folder}/pid; ${process.getuid?.() === 0 ? 'user root;' : ''}
          events {} http { types { image/webp webp; image/jpeg jpg jpeg; image/png png; text/plain php; }
          access_log off; client_body_temp_path ${folder}/1; proxy_temp_path ${folder}/2; fastcgi_temp_path ${folder}/3;
          uwsgi_temp_path ${folder}/4; scgi_temp_path ${folder}/5;
          include ${folder}/imagecrew.conf; server { listen 127.0.0.1:${port}; root "${root}"; ${server} } }`;
        await writeFile(join(folder, 'nginx.conf'), config);
        const child = spawn(NGINX!, ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'inherit' });
        const exited = once(child, 'exit');
        try {
          await waitUntilListening(`http://127.0.0.1:${port}`, child);
          await assertResponses(`http://127.0.0.1:${port}`, lines);
        } finally {
          child.kill();
          await exited;
        }
      });
    });
  });

  it('make Apache send new files too', { skip: APACHE ? false : 'not installed: apache2' }, async () => {
    await withLines(async (lines) => {
      await withFolder(async (folder) => {
        const root = join(folder, 'root');
        await publish(root, lines);
        await writeFile(join(root, '.htaccess'), await joined(apacheRules(iterate(lines))));
        const port = await freePort();
        const modules = ['mpm_event', 'authz_core', 'rewrite', 'headers', 'mime'];
        const config = `ServerRoot "${folder}"\nServerName localhost\nListen 127.0.0.1:${port}\nPidFile "${folder}/pid"
          ErrorLog "${folder}/errors"\nDefaultRuntimeDir "${folder}"\n${process.getuid?.() === 0 ? 'User nobody\nGroup nogroup' : ''}
          ${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
          TypesConfig /dev/null\nAddType image/jpeg .jpg .jpeg\nAddType text/plain .php\nDocumentRoot "${root}"
          <Directory "${root}">\nAllowOverride All\nRequire all granted\n</Directory>\n`;
        await writeFile(join(folder, 'apache.conf'), config);
        // If Apache is started by root, its workers run as another user.
        execFileSync('chmod', ['-R', 'a+rX', folder]);
        const child = spawn(APACHE!, ['-X', '-d', folder, '-f', join(folder, 'apache.conf')], { stdio: 'inherit' });
        const exited = once(child, 'exit');
        try {
          await waitUntilListening(`http://127.0.0.1:${port}`, child);
          await assertResponses(`http://127.0.0.1:${port}`, lines);
        } finally {
          child.kill();
          await exited;
        }
      });
    });
  });

  it('list for Netlify only URLs that its file format allows', async () => {
    await withLines(async (lines) => {
      const text = await joined(netlifyRules(iterate(lines)));
      const rules = text.split('\n').filter((line) => line.startsWith('/'));
      assert.deepEqual(
        rules.map((rule) => rule.replace(/--[0-9a-f]{12}/, '--HASH')),
        [
          '/images/hero.jpg /images/hero-jpg--HASH.webp 200!',
          '/a+b,c=d&e.jpg /a+b,c=d&e.webp 200!',
          '/print.jpeg /print.jpg 200!',
        ],
      );
      assert.match(text, /Without a rule, so that the original is sent as before: 7 of the images/);
    });
  });

  it('use the unresized file, which fits every page, if it is smaller than the original', async () => {
    assert.equal(await ruleTarget(9), '/hero.400w.webp');
    assert.equal(await ruleTarget(10), undefined);
  });

  it('are empty if nothing is replaced', async () => {
    for (const rules of [nginxRules(iterate([]), 0), apacheRules(iterate([])), netlifyRules(iterate([]))])
      assert.ok(!(await joined(rules)).includes('Without a rule'));
  });
});
