import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, it } from 'node:test';
import { withServer } from '../../support/http-server.ts';
import { type JsonResponse, refusalOf, SCANS, type ScanTestService, withDesk } from './desk.ts';

const UNPROVED = [400, 'url_not_allowed', 'settings.respect_robots'];
const PROOF_PATH = '/.well-known/imagecrew-site.txt';
const settings = { respect_robots: false };

interface Proofs {
  desk: ScanTestService;
  /** The id of the account. */
  id: string;
  origin: string;
  /** The response for each path of the website. */
  files: Map<string, RequestListener>;
  /** Paths that were requested. */
  asked: string[];
  create(): Promise<JsonResponse>;
}

/** Runs `work` with the service and a website that has no files at first. */
async function withWebsite(work: (proofs: Proofs) => Promise<void>): Promise<void> {
  const files: Proofs['files'] = new Map();
  const asked: string[] = [];
  const website: RequestListener = (request, response) => {
    asked.push(request.url ?? '');
    const answer = files.get(request.url ?? '');
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  };
  await withServer(website, ({ origin }) =>
    withDesk(
      async (desk) => {
        const { id } = (await desk.service.services.database.accounts.findByName('ben'))!;
        await work({ desk, id, origin, files, asked, create: () => desk.create({ url: `${origin}/start`, settings }) });
      },
      { env: { IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' } },
    ),
  );
}

const respondWith =
  (text: string): RequestListener =>
  (_request, response) =>
    void response.end(text);

const redirectTo =
  (location: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(302, { location }).end();

describe('respect_robots=false', { timeout: 60_000 }, () => {
  it('requires a file on the website that names the account', async () => {
    await withWebsite(async ({ desk, id, origin, files, create }) => {
      assert.deepEqual(refusalOf(await create()), UNPROVED);
      files.set(PROOF_PATH, respondWith(`x${id}`));
      assert.deepEqual(refusalOf(await create()), UNPROVED);
      files.set(PROOF_PATH, respondWith(`of another\r\n${id}\r\n`));
      const { status, body } = await create();
      assert.deepEqual([status, body.settings.respect_robots], [201, false]);

      const proof = `${id}\n<meta name="imagecrew-site-verification" content="${id}">`;
      await withServer(respondWith(proof), async (stranger) => {
        for (const path of [PROOF_PATH, '/']) files.set(path, redirectTo(stranger.origin));
        assert.deepEqual(refusalOf(await create()), UNPROVED, 'what another website says is no proof');
      });
      const plain = await desk.create({ url: origin });
      await desk.become(plain.body.id, 'failed', { stoppedIn: 'scanning', origin });
      const patch = () => desk.send('PATCH', `${SCANS}/${plain.body.id}`, { action: 'retry', settings });
      assert.deepEqual(refusalOf(await patch()), UNPROVED);
      files.set(PROOF_PATH, respondWith(id));
      const retried = await patch();
      assert.deepEqual([retried.status, retried.body.settings.respect_robots], [200, false]);
    });
  });

  it('accepts a meta tag in the head of the home page instead', async () => {
    await withWebsite(async ({ id, files, create }) => {
      const tag = `<meta content=" ${id}&#32;" NAME='imagecrew-site-verification'>`;
      const heads = [
        [201, `<!doctype html><title>Home</title><noscript><img src=x></noscript><script>"<p>"</script>${tag}`],
        [201, `<meta name="imagecrew-site-verification" content="another">${tag}<body>`],
        [201, `<!--${'x'.repeat(60_000)}-->${tag}`],
        [400, `<!--${'x'.repeat(65_536)}-->${tag}`],
        [400, `<title>${tag}</title><!--${tag}--><script>${tag}</script><noscript>${tag}</noscript>`],
        [400, `<head></head>${tag}`],
        [400, `<body>${tag}`],
        [400, `<p>What a visitor says: ${tag}`],
        [400, `<meta name="imagecrew-site-verification">`],
        [400, `<meta name="imagecrew-site-verification" content="${id}x">`],
        [400, `<meta property="imagecrew-site-verification" content="${id}">`],
        [400, '<'.repeat(60_000)],
      ] as const;
      for (const [status, html] of heads) {
        files.set('/', respondWith(html));
        assert.equal((await create()).status, status, html.slice(-300));
      }
      files.set('/', (_request, response) => void response.writeHead(404).end(tag));
      assert.deepEqual(refusalOf(await create()), UNPROVED);
      // The page that the scan begins with may contain text of a visitor.
      files.delete('/');
      files.set('/start', respondWith(tag));
      assert.deepEqual(refusalOf(await create()), UNPROVED);
    });
  });

  it('retries if there was no response, and not if there was one', async () => {
    await withWebsite(async ({ id, files, asked, create }) => {
      files.set(PROOF_PATH, ({ socket }, response) => {
        if (asked.length === 1) socket.destroy();
        else response.end(id);
      });
      assert.equal((await create()).status, 201);
      assert.deepEqual(asked, [PROOF_PATH, PROOF_PATH]);
      asked.length = 0;
      for (const path of [PROOF_PATH, '/'])
        files.set(path, (_request, response) => void response.writeHead(503, { 'retry-after': '0' }).end());
      assert.deepEqual(refusalOf(await create()), UNPROVED);
      assert.deepEqual(asked, [PROOF_PATH, '/']);
    });
  });

  it('stops when the client disconnects', { timeout: 20_000 }, async () => {
    await withWebsite(async ({ desk, origin, files }) => {
      const gone = new Promise<void>((resolve) => {
        files.set(PROOF_PATH, ({ socket }) => void socket.once('close', resolve));
      });
      const leaving = new AbortController();
      files.set('/', respondWith(''));
      const asking = new Promise<void>((resolve) => {
        const hang = files.get(PROOF_PATH)!;
        files.set(PROOF_PATH, (request, response) => {
          hang(request, response);
          resolve();
        });
      });
      const request = desk.service.call(SCANS, {
        method: 'POST',
        headers: { authorization: `Bearer ${desk.keys.pro}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url: origin, settings }),
        signal: leaving.signal,
      });
      await asking;
      leaving.abort();
      await assert.rejects(request);
      await gone;
    });
  });
});
