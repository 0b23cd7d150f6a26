/** Tests every method of the client by its effect on a running service. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { unzipSync } from 'fflate';
import sharp from 'sharp';
import { Imagecrew, ImagecrewError, verifyWebhook, type WebhookEvent } from '../../client/index.ts';
import { Receiver } from '../server/webhooks/receiver.ts';
import { withFolder } from '../support/folder.ts';
import { withServer } from '../support/http-server.ts';
import { MODELS_FOLDER, modelsSkipReason } from '../support/models.ts';
import { nightlyOnly } from '../support/nightly.ts';
import { withServed } from '../support/serve-process.ts';
import { flat, jpeg, pattern, png } from '../support/test-images.ts';

const ENV = {
  IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
  IC_ALLOW_HTTP_WEBHOOKS: 'true',
  ...(modelsSkipReason === false && { IC_MODELS_DIR: MODELS_FOLDER }),
};

let client: Imagecrew;
let photo: Buffer<ArrayBuffer>;
/** Origin of a server with the photo, and with a page that shows it. */
let origin: string;
let stop: () => void;
let ended: Promise<void>;

before(async () => {
  photo = Buffer.from(new Uint8Array(await jpeg(pattern(320, 240))).buffer);
  await new Promise<void>((ready, fail) => {
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    ended = withFolder((folder) =>
      withServed(
        join(folder, 'data'),
        ({ address, key }) =>
          withServer(
            (request, response) => {
              if (request.url === '/photo.jpg') response.writeHead(200, { 'Content-Type': 'image/jpeg' }).end(photo);
              else if (request.url === '/')
                response.writeHead(200, { 'Content-Type': 'text/html' }).end('<img src="/photo.jpg">');
              else response.writeHead(404).end();
            },
            async (pages) => {
              origin = pages.origin;
              client = new Imagecrew({ key, baseUrl: address });
              ready();
              await stopped;
            },
          ),
        ENV,
      ),
    );
    ended.catch(fail);
  });
});

after(async () => {
  stop();
  await ended;
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const refusal = (code: string) => (error: unknown) => error instanceof ImagecrewError && error.code === code;

describe('images', () => {
  it('compresses any kind of image input, and returns the details', async () => {
    const inputs = [
      photo,
      new Uint8Array(photo).buffer,
      new Blob([photo]),
      new File([photo], 'čaj.jpg'),
      new Blob([photo]).stream(),
      Readable.from([photo.subarray(0, 1000), photo.subarray(1000)]),
      { url: `${origin}/photo.jpg` },
    ];
    for (const input of inputs) {
      const answer = await client.compress(input, { format: 'webp', width: 160, fingerprint: true, score: true });
      const bytes = Buffer.from(await answer.arrayBuffer());
      const { format, width, height } = await sharp(bytes).metadata();
      assert.deepEqual({ format, width, height }, { format: 'webp', width: 160, height: 120 });
      assert.deepEqual(
        [
          answer.bytes,
          answer.originalBytes,
          answer.format,
          answer.width,
          answer.height,
          answer.outcome,
          answer.contentType,
        ],
        [bytes.length, photo.length, 'webp', 160, 120, 'reduced', 'image/webp'],
      );
      assert.match(answer.fingerprint!, /^[0-9a-f]{16}$/);
      assert.ok(answer.similarity! > 0.5 && answer.similarity! <= 1);
      assert.ok(answer.durationMs > 0);
      assert.deepEqual(
        [answer.warnings, answer.quotaMeter, answer.isTestMode, answer.faces],
        [[], 'requests', false, undefined],
      );
      assert.ok(answer.requestId);
      assert.ok(answer.limits.month!.remaining < answer.limits.month!.limit!);
      if (input instanceof File) assert.equal(answer.fileName, 'čaj.webp');
    }
  });

  it('streams the response', async () => {
    const { body, bytes } = await client.compress(photo);
    let sum = 0;
    for await (const chunk of body) sum += chunk.length;
    assert.equal(sum, bytes);
    assert.equal((await (await client.compress(photo)).blob()).type, 'image/jpeg');
  });

  it('returns warnings', async () => {
    const answer = await client.compress(photo, { format: 'webp', min_bytes: 100_000 });
    assert.deepEqual(answer.warnings, ['min_size_unavailable']);
    await answer.body.cancel();
  });

  it('draws a logo, sent with bytes or with a stream', async () => {
    const logo = await png(flat(40, 40, 255, 0, 0, 255));
    const params = { watermark_position: 'c', watermark_opacity: 100, watermark_size: 50 } as const;
    for (const image of [photo, Readable.from([photo])]) {
      const answer = await client.compress(image, params, { watermarkImage: logo });
      const { data } = await sharp(await answer.arrayBuffer())
        .extract({ left: 150, top: 110, width: 20, height: 20 })
        .raw()
        .toBuffer({ resolveWithObject: true });
      assert.ok(data[0]! > 200 && data[1]! < 60, 'red in the middle');
    }
    await assert.rejects(client.compress({ url: `${origin}/photo.jpg` }, {}, { watermarkImage: logo }), TypeError);
  });

  it("reports the service's errors", async () => {
    await assert.rejects(client.compress(photo, { quality: 500 }), (error: unknown) => {
      assert.ok(error instanceof ImagecrewError);
      assert.deepEqual([error.code, error.status, error.param], ['invalid_parameter', 400, 'quality']);
      assert.match(error.message, /^Expected an integer from 1 to 100 for quality but received/);
      assert.ok(error.requestId);
      return true;
    });
  });

  it('stores results as links, and downloads them', async () => {
    const stored = await client.compress(photo, { output: 'json', format: 'png' });
    for (const file of [stored.url, stored.url.split('/').at(-1)!]) {
      const answer = await client.files.download(file);
      assert.deepEqual([answer.format, answer.bytes, answer.width], ['png', stored.bytes, 320]);
      assert.equal((await answer.arrayBuffer()).byteLength, stored.bytes);
    }
    assert.equal((await client.files.delete(stored.url)).deleted, true);
    await assert.rejects(client.files.download(stored.url), refusal('not_found'));
  });

  it('delivers a result to an address', async () => {
    let received = 0;
    const storage = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => {
        received += chunk.length;
      });
      request.on('end', () => response.end());
    });
    await new Promise<void>((resolve) => storage.listen(0, '127.0.0.1', resolve));
    const { port } = storage.address() as { port: number };
    try {
      const word = await client.compress(photo, { deliver_to: `http://127.0.0.1:${port}/x` });
      assert.deepEqual([word.delivered, word.bytes], [true, received]);
    } finally {
      storage.closeAllConnections();
      storage.close();
    }
  });

  it('inspects, makes favicons, edits animations, makes ID photos', async () => {
    const record = await client.inspect(photo);
    assert.deepEqual([record.format, record.width, record.height], ['jpeg', 320, 240]);

    const pack = await client.favicon(await png(flat(600, 600, 20, 60, 120)), { name: 'Shop' });
    const names = Object.keys(unzipSync(new Uint8Array(await pack.arrayBuffer())));
    assert.ok(names.includes('favicon.ico'));
    const storedPack = await client.favicon(photo, { output: 'json' });
    assert.deepEqual(storedPack.warnings, ['source_small']);

    const frames = await Promise.all([1, 2, 3].map((n) => png(flat(40, 30, n * 60, 0, 0))));
    const film = await sharp(frames, { join: { animated: true } })
      .gif({ delay: [100, 100, 100] })
      .toBuffer();
    const edited = await client.gif(film, { reverse: true, speed: 200 });
    assert.deepEqual(
      [edited.frames, edited.sourceFrames, edited.animationMs, edited.sourceAnimationMs],
      [3, 3, 150, 300],
    );
    await edited.body.cancel();

    const presets = await client.idPhotoPresets();
    assert.ok(presets.length > 20);
    const passport = await client.idPhoto(photo, { width: 100, height: 120 });
    assert.deepEqual([passport.width, passport.height], [100, 120]);
    await passport.body.cancel();
  });

  it('covers the given areas', async () => {
    const answer = await client.blurFaces(photo, { boxes: '10,10,50,50;100,100,40,40' });
    assert.deepEqual([answer.faces, answer.width], [2, 320]);
    await answer.body.cancel();
  });

  it('runs models', { skip: modelsSkipReason || nightlyOnly }, async () => {
    const mask = await png(flat(64, 48, 255, 255, 255));
    const cut = await client.removeBackground(photo, { background: '#00ff00', format: 'jpeg' }, { mask });
    assert.deepEqual([cut.width, cut.format], [320, 'jpeg']);
    await cut.body.cancel();
    const large = await client.upscale(await jpeg(pattern(32, 24)));
    assert.deepEqual([large.width, large.height], [64, 48]);
    await large.body.cancel();
    assert.deepEqual((await client.faces(photo)).faces, []);
    assert.equal((await client.ocr(photo)).width, 320);
  });
});

describe('pipelines', () => {
  const pipeline = {
    steps: [
      { op: 'resize', params: { width: 100 } },
      { op: 'compress', params: { format: 'webp' } },
    ],
  } as const;
  const steps = { steps: [...pipeline.steps] };

  it('runs and plans a pipeline, and stores its result', async () => {
    for (const image of [photo, Readable.from([photo]), { url: `${origin}/photo.jpg` }]) {
      const answer = await client.pipeline(image, { pipeline: steps });
      assert.deepEqual([answer.width, answer.format, answer.steps], [100, 'webp', { applied: 2, all: 2 }]);
      await answer.body.cancel();
    }
    assert.equal((await client.pipeline(photo, { pipeline: steps, dry_run: true })).dry_run, true);
    assert.equal((await client.pipeline(photo, { preset: 'thumbnail', output: 'json' })).width > 0, true);
  });

  it('saves, lists, reads and deletes pipelines', async () => {
    const saved = await client.pipelines.save({ name: 'tiny one', pipeline: steps });
    assert.equal(saved.version, 1);
    const { pipelines, templates } = await client.pipelines.list();
    assert.deepEqual(
      pipelines.map(({ name }) => name),
      ['tiny one'],
    );
    assert.ok(templates.length > 0);
    assert.equal((await client.pipelines.read('tiny one', { version: 1 })).name, 'tiny one');
    const answer = await client.pipeline(new File([photo], 'a.jpg'), { preset: 'tiny one' });
    assert.deepEqual([answer.width, answer.fileName], [100, 'a.webp']);
    await answer.body.cancel();
    assert.equal((await client.pipelines.delete('tiny one')).versions, 1);
    await assert.rejects(client.pipelines.read('tiny one'), refusal('preset_not_found'));
  });
});

describe('jobs and webhooks', () => {
  it('processes many images, reports progress, and sends a signed webhook at the end', async () => {
    const receiver = new Receiver(Date.now, (_request, response) => response.writeHead(204).end());
    await receiver.open();
    try {
      const webhookUrl = `http://127.0.0.1:${receiver.port}/hook`;
      const job = await client.jobs.create([photo, Readable.from([photo])], { preset: 'web', webhook_url: webhookUrl });
      const types: string[] = [];
      for await (const event of client.jobs.events(job.id)) {
        types.push(event.type);
        if (event.type === 'end') assert.deepEqual([event.data.status, event.data.results.length], ['done', 2]);
      }
      assert.deepEqual([types[0], types.at(-1)], ['job', 'end']);
      assert.equal((await client.jobs.wait(job.id)).status, 'done');
      const zip = await client.jobs.zip(job.id);
      assert.equal(Object.keys(unzipSync(new Uint8Array(await zip.arrayBuffer()))).length, 2);
      assert.deepEqual(
        (await client.jobs.list()).map(({ id }) => id),
        [job.id],
      );
      assert.deepEqual(await client.jobs.list({ offset: 1 }), []);

      await receiver.requests(1);
      const { secret } = await client.webhooks.secret();
      const [first] = receiver.received;
      const event: WebhookEvent = await verifyWebhook(secret, first!.headers, first!.body);
      assert.ok(event.type === 'job.finished' && event.data.id === job.id);

      assert.equal((await client.webhooks.test(webhookUrl)).delivered, true);
      const test = receiver.received[1]!;
      assert.equal((await verifyWebhook(secret, test.headers, test.body)).type, 'webhook.test');

      const { secret: renewed } = await client.webhooks.rotateSecret();
      assert.notEqual(renewed, secret);
      await client.webhooks.redeliver(job.id);
      await receiver.requests(3);
      const again = receiver.received[2]!;
      // During the rotation, both secrets sign.
      for (const one of [secret, renewed, [secret, renewed]]) await verifyWebhook(one, again.headers, again.body);
      await receiver.left();
      assert.ok((await client.webhooks.deliveries(job.id)).length >= 1);
    } finally {
      await receiver.close();
    }
  });

  it('creates one job for a request that is sent twice, and cancels it', async () => {
    const images = [{ url: `${origin}/photo.jpg` }];
    const options = { idempotencyKey: 'once' };
    const job = await client.jobs.create(images, {}, options);
    assert.equal((await client.jobs.create(images, {}, options)).id, job.id);
    const cancelled = await client.jobs.cancel(job.id);
    assert.ok(['cancelled', 'done'].includes(cancelled.status));
    assert.equal((await client.jobs.read(job.id)).id, job.id);
    await assert.rejects(client.jobs.create([photo, ...images]), TypeError);
    await assert.rejects(client.jobs.wait('job_none'), refusal('not_found'));
  });

  it('stops following a job on request', async () => {
    const job = await client.jobs.create([photo]);
    const control = new AbortController();
    const events = client.jobs.events(job.id, { signal: control.signal });
    assert.equal((await events.next()).value!.type, 'job');
    control.abort(new Error('enough'));
    await assert.rejects(async () => {
      for await (const _ of events);
    }, /enough/);
    await client.jobs.wait(job.id);
  });
});

describe('websites', () => {
  it('scans a website, lists its images, and downloads them as a ZIP', { skip: nightlyOnly }, async () => {
    const { id } = await client.sites.scans.create({ url: origin, optimize: 'manual' });
    const types = new Set<string>();
    for await (const { type } of client.sites.scans.events(id)) types.add(type);
    assert.ok(types.has('scan') && types.has('end'));
    const ready = await client.sites.scans.wait(id);
    assert.equal(ready.status, 'ready');
    const pages = await all(client.sites.scans.pages(id, { limit: 1 }));
    const assets = await all(client.sites.scans.assets(id));
    assert.deepEqual([pages.length, assets.map(({ url }) => url)], [1, [`${origin}/photo.jpg`]]);
    assert.equal((await client.sites.scans.listPages(id)).total, 1);
    assert.equal((await client.sites.scans.listAssets(id, { kind: 'raster' })).total, 1);
    const { seq } = assets[0]!;
    assert.equal((await client.sites.scans.page(id, pages[0]!.seq)).asset_list.length, 1);
    assert.equal((await client.sites.scans.approve(id, seq, { approval: 'approved' })).approval, 'approved');
    assert.equal((await client.sites.scans.asset(id, seq)).approval, 'approved');
    const original = await client.sites.scans.assetFile(id, seq, { which: 'original' });
    assert.deepEqual(Buffer.from(await original.arrayBuffer()), photo);
    await client.sites.scans.update(id, { action: 'optimize' });
    const optimized = await client.sites.scans.wait(id);
    assert.ok(['ready', 'done'].includes(optimized.status), optimized.status);
    if (optimized.status === 'ready') await client.sites.scans.update(id, { action: 'package' });
    const done = await client.sites.scans.wait(id);
    assert.equal(done.status, 'done');
    const mapping = await client.sites.scans.download(id, done.downloads.mapping_json_url!);
    assert.match(mapping.contentType!, /json/);
    assert.ok((await mapping.arrayBuffer()).byteLength > 0);
    const { projects } = await client.sites.scans.list();
    assert.deepEqual(projects, await all(client.sites.scans.projects()));
    assert.equal((await client.sites.scans.read(id)).id, id);
    assert.equal((await client.sites.scans.delete(id)).deleted, true);
    await assert.rejects(client.sites.scans.read(id), refusal('not_found'));
  });

  it('optimizes a website in one call', { skip: nightlyOnly }, async () => {
    assert.ok((await client.sites.tiers()).plan);
    const { id } = await client.sites.optimize.start({ url: origin });
    const run = await client.sites.optimize.wait(id);
    assert.equal(run.status, 'done');
    assert.equal((await client.sites.optimize.cancel(id)).status, 'done');
  });
});

describe('the account and the service', () => {
  it('creates, changes and revokes keys', async () => {
    const made = await client.keys.create({ name: 'shop', scopes: ['ai'] });
    assert.match(made.key, /^ic_live_/);
    assert.equal((await client.keys.update(made.id, { name: 'store' })).name, 'store');
    assert.ok((await client.keys.list()).some(({ id }) => id === made.id));
    assert.ok((await client.keys.revoke(made.id)).revoked_at);
  });

  it('returns usage, formats and health', async () => {
    assert.ok((await client.usage()).requests.used > 0);
    assert.ok((await client.formats()).formats.length > 70);
    assert.equal((await client.health()).status, 'ok');
    assert.equal((await client.readiness()).status, 'ready');
  });
});
