import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { fingerprintDistance } from '../../../../engine/quality/fingerprint.ts';
import type { Services } from '../../../../server/services.ts';
import { factsOf } from '../../../../server/sites/findings/facts.ts';
import { kindOf } from '../../../../server/sites/inspected.ts';
import { markWanted, optimize } from '../../../../server/sites/optimize/optimize.ts';
import { ScanPhaseChanged } from '../../../../server/sites/runner/errors.ts';
import type { SiteScanSettings } from '../../../../server/sites/settings.ts';
import type { SiteAsset } from '../../../../storage/records/site-assets.ts';
import type { SiteOutput } from '../../../../storage/records/site-outputs.ts';
import { inspect, testEngine } from '../../../support/engine.ts';
import { withServer } from '../../../support/http-server.ts';
import { ScanFixture } from '../../../support/scan-rows.ts';
import { scene } from '../../../support/scenes.ts';
import { withService } from '../../../support/service.ts';
import { sharpOf } from '../../../support/test-images.ts';
import { verifies } from '../../../support/verifies.ts';

const photos = new Map<string, Promise<Buffer>>();

/** Encodes a photo, once for all tests. */
function photo(seed = 1, width = 320, height = 240): Promise<Buffer> {
  const name = [seed, width, height].join();
  const encoded =
    photos.get(name) ??
    sharpOf(scene('photo', width, height, seed))
      .jpeg({ quality: 95 })
      .toBuffer();
  photos.set(name, encoded);
  return encoded;
}

/** A scan whose images are converted by the real engine. */
class Conversion {
  readonly rows: ScanFixture;
  readonly services: Services;

  constructor(rows: ScanFixture, services: Services) {
    this.rows = rows;
    this.services = services;
  }

  /** Adds an image that was fetched and inspected. By default its original is kept. */
  async image(seq: number, file: Uint8Array, changes: Partial<SiteAsset> = {}, keeps = true): Promise<void> {
    const data = new Uint8Array(file).buffer;
    const record = await inspect(file);
    await this.rows.asset(
      seq,
      {
        kind: kindOf(record.format, record.animated),
        format: record.format,
        bytes: file.length,
        width: record.width,
        height: record.height,
        frames: record.frames,
        animated: Number(record.animated),
        sha256: record.fingerprints.sha256,
        fingerprint: record.fingerprints.phash,
        roles: JSON.stringify(['img_src']),
        ...changes,
      },
      await factsOf(record, data),
    );
    if (keeps) await this.services.scans.originals.put(this.rows.id, seq, data);
  }

  async run(): Promise<void> {
    await markWanted(this.rows.context);
    await optimize(this.rows.context);
  }

  async outputs(seq: number): Promise<SiteOutput[]> {
    return await this.services.database.siteOutputs.of(this.rows.id, seq);
  }

  async file({ fileId }: SiteOutput): Promise<Buffer> {
    const record = await this.services.database.files.find(fileId);
    return await buffer(await this.services.results.open(record!));
  }

  async charged(): Promise<number> {
    const { id, accountId } = this.rows.context.scan;
    const { requestsCharged } = (await this.services.database.siteScans.find(id))!;
    const month = new Date(this.services.now()).toISOString().slice(0, 7);
    const [usage] = await this.services.database.usage.ofMonth(accountId, month);
    assert.equal(usage?.requests ?? 0, requestsCharged);
    return requestsCharged;
  }
}

async function withConversion(
  work: (conversion: Conversion) => Promise<void>,
  options: {
    settings?: Partial<SiteScanSettings>;
    origin?: string;
    env?: Record<string, string>;
    keyLimit?: number;
  } = {},
): Promise<void> {
  await withService(async ({ services, keys }) => {
    const real = { ...services, engine: await testEngine() } as Services;
    const { settings = {}, origin, keyLimit } = options;
    const authorization = `Bearer ${keys.pro}`;
    const rows = await ScanFixture.create(real, {
      settings,
      status: 'optimizing',
      authorization,
      ...(origin === undefined ? {} : { origin }),
    });
    if (keyLimit !== undefined)
      rows.context.caller = { ...rows.context.caller, key: { ...rows.context.caller.key, monthlyLimit: keyLimit } };
    try {
      await work(new Conversion(rows, real));
    } finally {
      rows.close();
    }
  });
}

describe('the conversion of the images of a website', () => {
  it('makes a WebP that looks the same of a photo, and charges one request', async () => {
    verifies('sites.converts-to-webp');
    await withConversion(async (conversion) => {
      const original = await photo();
      await conversion.image(1, original, { url: 'https://example.com/images/G%C3%A4rten.JPG?v=2' });
      await conversion.run();
      const [output] = await conversion.outputs(1);
      const file = await conversion.file(output!);
      const record = await inspect(file);
      assert.equal(record.format, 'webp');
      assert.deepEqual(
        [output!.width, output!.height, output!.filename, output!.quality],
        [320, 240, 'Gärten.webp', 80],
      );
      assert.equal(output!.bytes, file.length);
      assert.equal(output!.sha256, createHash('sha256').update(file).digest('hex'));
      assert.ok(output!.similarity! > 0.97 && output!.similarity! < 1);
      const asset = await conversion.rows.findAsset(1);
      assert.ok(fingerprintDistance(asset.fingerprint!, record.fingerprints.phash!) <= 6);
      assert.deepEqual(
        [asset.status, asset.mapped, asset.wanted, asset.chosen, asset.bytesSaved],
        ['optimized', 1, 0, 'o1', original.length - file.length],
      );
      assert.equal(await conversion.charged(), 1);
      assert.equal(await conversion.services.scans.originals.read(conversion.rows.id, 1), undefined);
    });
  });

  it('keeps animations', async () => {
    await withConversion(async (conversion) => {
      const frames = await Promise.all(
        [1, 2, 3].map((seed) =>
          sharpOf(scene('photo', 240, 180, seed))
            .png()
            .toBuffer(),
        ),
      );
      const gif = await sharp(frames, { join: { animated: true } })
        .gif({ delay: [90, 200, 90] })
        .toBuffer();
      await conversion.image(1, gif);
      await conversion.run();
      const [output] = await conversion.outputs(1);
      const { format, pages, delay } = await sharp(await conversion.file(output!), { animated: true }).metadata();
      assert.deepEqual([format, pages, delay], ['webp', 3, [90, 200, 90]]);
    });
  });

  it('tries lossless for an image of few colours, and keeps the other result as a candidate', async () => {
    await withConversion(async (conversion) => {
      const { data, info } = await sharpOf(scene('sky', 700, 500, 3))
        .png({ palette: true, colours: 8, dither: 1 })
        .toBuffer({ resolveWithObject: true });
      assert.ok(info.size > 10_000);
      await conversion.image(1, data);
      await conversion.run();
      const [other, chosen] = await conversion.outputs(1);
      assert.deepEqual([chosen!.id, other!.id, other!.kind], ['o1', 'c2', 'candidate']);
      assert.ok(chosen!.bytes < other!.bytes);
      const lossless = [chosen!, other!].find(({ quality }) => quality === null)!;
      const pixels = async (file: Buffer) => await sharp(file).removeAlpha().raw().toBuffer();
      assert.ok((await pixels(await conversion.file(lossless))).equals(await pixels(data)));
      assert.equal(lossless.similarity, 1);
    });
  });

  it('resizes to twice the displayed size, and makes variants of the requested widths', async () => {
    await withConversion(
      async (conversion) => {
        await conversion.rows.page(1);
        for (const seq of [1, 2]) {
          await conversion.image(seq, await photo(seq, 640, 480));
          await conversion.rows.reference(1, seq, {
            displayedWidth: 100,
            displayedHeight: 90,
            displayedSource: 'attribute',
          });
        }
        // In one place it is shown at an unknown size.
        await conversion.rows.reference(1, 2, { role: 'linked_image' });
        await conversion.run();
        const sizes = async (seq: number) =>
          (await conversion.outputs(seq)).map(({ id, kind, width, height }) => [id, kind, width, height]);
        // The height is decisive: 180 of 480 pixels. No copy is wider.
        assert.deepEqual(await sizes(1), [
          ['f1', 'candidate', 640, 480],
          ['o1', 'optimized', 240, 180],
          ['w120', 'variant', 120, 90],
        ]);
        assert.deepEqual(await sizes(2), [
          ['o1', 'optimized', 640, 480],
          ['w120', 'variant', 120, 90],
          ['w320', 'variant', 320, 240],
        ]);
        assert.equal(await conversion.charged(), 2);
      },
      { settings: { variants_widths: [640, 320, 120] } },
    );
  });

  it('adds AVIF beside WebP if requested and smaller, also for the unresized file', async () => {
    const outputsOf = async (settings: Partial<SiteScanSettings>) => {
      let outputs: SiteOutput[] = [];
      await withConversion(
        async (conversion) => {
          await conversion.rows.page(1);
          await conversion.image(1, await photo());
          const shown = { displayedWidth: 100, displayedHeight: 75, displayedSource: 'attribute' } as const;
          await conversion.rows.reference(1, 1, shown);
          await conversion.run();
          outputs = await conversion.outputs(1);
          assert.equal(await conversion.charged(), 1);
        },
        { settings },
      );
      return new Map(outputs.map((output) => [output.id, output]));
    };
    const outputs = await outputsOf({ also_avif: true });
    assert.deepEqual([...outputs.keys()].sort(), ['a1', 'a2', 'f1', 'o1']);
    for (const [avif, webp] of [
      ['a1', 'o1'],
      ['a2', 'f1'],
    ] as const) {
      const [one, other] = [outputs.get(avif)!, outputs.get(webp)!];
      assert.deepEqual([one.format, one.kind, one.quality, one.width], ['avif', 'candidate', 60, other.width]);
      assert.ok(one.bytes < other.bytes);
      assert.ok(one.similarity! >= 0.97);
    }
    assert.deepEqual([...(await outputsOf({})).keys()].sort(), ['f1', 'o1']);
    // Beside a WebP of quality 5, the AVIF would have quality 4 and be visibly worse.
    assert.deepEqual([...(await outputsOf({ also_avif: true, quality: 5 })).keys()].sort(), ['f1', 'o1']);
  });

  it('makes nothing wider than max_width', async () => {
    await withConversion(
      async (conversion) => {
        await conversion.image(1, await photo());
        await conversion.run();
        const sizes = (await conversion.outputs(1)).map(({ id, width }) => [id, width]);
        assert.deepEqual(sizes, [
          ['o1', 300],
          ['w200', 200],
        ]);
      },
      { settings: { max_width: 300, variants_widths: [320, 300, 200] } },
    );
  });

  it('converts and charges the same content once, and shares the files between all URLs', async () => {
    await withConversion(async (conversion) => {
      const file = await photo();
      for (const seq of [1, 2, 3]) await conversion.image(seq, file);
      await conversion.run();
      const outputs = await Promise.all([1, 2, 3].map(async (seq) => (await conversion.outputs(seq))[0]!));
      assert.equal(new Set(outputs.map(({ fileId }) => fileId)).size, 1);
      for (const seq of [1, 2, 3]) assert.equal((await conversion.rows.findAsset(seq)).mapped, 1);
      assert.equal(await conversion.charged(), 1);
      // The same content under an address that is found later is free too.
      await conversion.image(4, file, { url: 'https://example.com/later.jpg' });
      await conversion.run();
      assert.equal((await conversion.outputs(4))[0]!.fileId, outputs[0]!.fileId);
      assert.equal(await conversion.charged(), 1);
    });
  });

  it('tries another quality, then another format, if the requested ones save too little', async () => {
    for (const [format, expected] of [
      ['webp', 'webp'],
      ['keep', 'jpeg'],
    ] as const)
      await withConversion(
        async (conversion) => {
          const file = await photo();
          await conversion.image(1, file);
          await conversion.run();
          const [output] = await conversion.outputs(1);
          assert.equal(output!.format, expected);
          assert.ok(output!.bytes < file.length, `${output!.bytes} of ${file.length} bytes`);
          assert.ok(output!.quality! < 100 && output!.similarity! > 0.97, JSON.stringify(output));
          assert.equal((await conversion.outputs(1)).length, 1);
          assert.equal(await conversion.charged(), 1);
        },
        { settings: { format, quality: 100 } },
      );
  });

  it('discards results that save less than either threshold, and charges nothing', async () => {
    for (const settings of [{ min_savings_bytes: 1_000_000 }, { min_savings_percent: 100 }])
      await withConversion(
        async (conversion) => {
          await conversion.image(1, await photo());
          await conversion.run();
          const { status, skipReason, mapped, wanted } = await conversion.rows.findAsset(1);
          assert.deepEqual([status, skipReason, mapped, wanted], ['skipped', 'no_gain', 0, 0]);
          assert.deepEqual(await conversion.outputs(1), []);
          assert.equal(conversion.services.results.usedBytes, 0);
          assert.equal(await conversion.charged(), 0);
        },
        { settings },
      );
  });

  it('says why it skips images', async () => {
    await withConversion(
      async (conversion) => {
        const webp = await sharpOf(scene('photo', 200, 150, 1))
          .webp()
          .toBuffer();
        const jpeg = await photo();
        const svg = Buffer.from(
          `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><title>${'x'.repeat(9000)}</title></svg>`,
        );
        await conversion.image(1, webp);
        await conversion.image(2, svg);
        await conversion.image(3, jpeg, { url: 'https://example.net/a.jpg' });
        await conversion.image(4, jpeg, { negotiated: 1 });
        await conversion.image(5, jpeg, { approval: 'rejected' });
        await conversion.image(6, jpeg, { url: 'https://example.com/private/a.jpg' });
        await conversion.run();
        const reasons = await Promise.all(
          [1, 2, 3, 4, 5, 6].map(async (seq) => (await conversion.rows.findAsset(seq)).skipReason),
        );
        assert.deepEqual(reasons, [
          'already_webp',
          'vector',
          'third_party',
          'already_negotiated',
          'rejected',
          'excluded',
        ]);
        assert.equal(await conversion.charged(), 0);
      },
      { settings: { asset_exclude: ['/private/**'] } },
    );
  });

  it('keeps the format of images that only crawlers load', async () => {
    await withConversion(async (conversion) => {
      await conversion.image(1, await photo(), { roles: JSON.stringify(['og_image', 'twitter_image']) });
      await conversion.image(2, await photo(2), { roles: JSON.stringify(['img_src', 'og_image']) });
      await conversion.run();
      assert.equal((await conversion.outputs(1))[0]!.format, 'jpeg');
      assert.equal((await conversion.rows.findAsset(1)).mapped, 1);
      assert.equal((await conversion.outputs(2))[0]!.format, 'webp');
    });
  });

  it('stops when the credits are used up, and marks the rest as over the limit', async () => {
    await withConversion(
      async (conversion) => {
        for (const seq of [1, 2, 3, 4]) await conversion.image(seq, await photo(seq));
        await conversion.run();
        const states = await Promise.all(
          [1, 2, 3, 4].map(async (seq) => (await conversion.rows.findAsset(seq)).status),
        );
        assert.deepEqual(states.toSorted(), ['optimized', 'optimized', 'skipped', 'skipped']);
        const { warnings } = (await conversion.services.database.siteScans.find(conversion.rows.id))!;
        assert.deepEqual(JSON.parse(warnings), ['over_limit']);
        assert.equal(await conversion.charged(), 2);
      },
      { keyLimit: 2 },
    );
  });

  it('fetches an original that is not stored, accepts changed content, and fails if it is gone', async () => {
    const [same, other] = [await photo(1), await photo(2)];
    await withServer(
      ({ url }, response) => {
        if (url === '/gone.jpg') response.writeHead(404).end();
        else response.writeHead(200, { 'content-type': 'image/jpeg' }).end(url === '/same.jpg' ? same : other);
      },
      async ({ origin }) => {
        await withConversion(
          async (conversion) => {
            await conversion.image(1, same, { url: `${origin}/same.jpg` }, false);
            await conversion.image(2, await photo(3), { url: `${origin}/changed.jpg` }, false);
            await conversion.image(3, await photo(4), { url: `${origin}/gone.jpg` }, false);
            await conversion.run();
            const assets = await Promise.all([1, 2, 3].map((seq) => conversion.rows.findAsset(seq)));
            assert.deepEqual(
              assets.map(({ status, errorCode }) => [status, errorCode]),
              [
                ['optimized', null],
                ['optimized', null],
                ['failed', 'url_fetch_failed'],
              ],
            );
            assert.equal(assets[1]!.sha256, createHash('sha256').update(other).digest('hex'));
            assert.equal(assets[1]!.bytes, other.length);
            assert.equal(await conversion.charged(), 2);
          },
          { origin },
        );
      },
    );
  });

  it('converts the fetched content, even if the website sends other content every time', async () => {
    const [first, same] = [await photo(1), await photo(2)];
    let sent = 0;
    await withServer(
      async ({ url }, response) => {
        sent += Number(url === '/changing.jpg');
        response.writeHead(200, { 'content-type': 'image/jpeg' });
        response.end(url === '/changing.jpg' ? await photo(10 + sent) : same);
      },
      async ({ origin }) => {
        await withConversion(
          async (conversion) => {
            await conversion.image(1, first, { url: `${origin}/changing.jpg` }, false);
            await conversion.image(2, first, { url: `${origin}/2.jpg`, duplicateOf: 1 }, false);
            await conversion.image(3, first, { url: `${origin}/3.jpg`, duplicateOf: 1 }, false);
            await conversion.run();
            const assets = await Promise.all([1, 2, 3].map((seq) => conversion.rows.findAsset(seq)));
            const hash = (file: Buffer) => createHash('sha256').update(file).digest('hex');
            assert.deepEqual(
              assets.map(({ status, sha256 }) => [status, sha256]),
              [
                ['optimized', hash(await photo(11))],
                ['optimized', hash(same)],
                ['optimized', hash(same)],
              ],
            );
            assert.equal(sent, 1);
            const made = await inspect(await conversion.file((await conversion.outputs(1))[0]!));
            assert.ok(fingerprintDistance(assets[0]!.fingerprint!, made.fingerprints.phash!) <= 6);
            assert.equal(assets[0]!.duplicateOf, null);
          },
          { origin },
        );
      },
    );
  });

  it('names another first image for a content that the first one no longer has', async () => {
    await withConversion(async ({ rows, services }) => {
      for (const seq of [1, 2, 3, 4])
        await rows.asset(seq, { sha256: seq === 4 ? 'b' : 'a', duplicateOf: seq === 1 ? null : 1 });
      await services.database.siteOutputs.nameAnotherFirst(rows.id, { seq: 1, sha256: 'a' });
      const firsts = await Promise.all([1, 2, 3, 4].map(async (seq) => (await rows.findAsset(seq)).duplicateOf));
      assert.deepEqual(firsts, [null, null, 2, 1]);
    });
  });

  it('fetches no more bytes than the scan allows', async () => {
    let sent = 0;
    await withServer(
      (_, response) => {
        sent += 1;
        response.writeHead(200, { 'content-type': 'image/jpeg' }).end();
      },
      async ({ origin }) => {
        await withConversion(
          async (conversion) => {
            const { rows } = conversion;
            await conversion.image(1, await photo(1), { url: `${origin}/1.jpg` }, false);
            await conversion.image(2, await photo(2), { url: `${origin}/2.jpg` });
            rows.context.scan = { ...rows.context.scan, bytesAllowed: 0 };
            await conversion.run();
            const assets = await Promise.all([1, 2].map((seq) => rows.findAsset(seq)));
            assert.deepEqual(
              assets.map(({ status, skipReason, wanted }) => [status, skipReason, wanted]),
              [
                ['skipped', 'over_limit', 0],
                ['optimized', null, 0],
              ],
            );
            const { warnings } = (await conversion.services.database.siteScans.find(rows.id))!;
            assert.deepEqual(JSON.parse(warnings), ['over_limit']);
            assert.deepEqual([sent, await conversion.charged()], [0, 1]);
          },
          { origin },
        );
      },
    );
  });

  it('does not map an image that is rejected during the conversion', async () => {
    await withConversion(async (conversion) => {
      const { siteCrawl } = conversion.services.database;
      await conversion.image(1, await photo());
      await conversion.image(2, await photo());
      await markWanted(conversion.rows.context);
      let begun = false;
      conversion.rows.context.tell = ({ type }) => {
        if (type !== 'asset' || begun) return;
        begun = true;
        void siteCrawl.changeAsset(conversion.rows.id, 2, { approval: 'rejected' });
      };
      await optimize(conversion.rows.context);
      const assets = await Promise.all([1, 2].map((seq) => conversion.rows.findAsset(seq)));
      assert.deepEqual(
        assets.map(({ status, approval, mapped }) => [status, approval, mapped]),
        [
          ['optimized', 'auto', 1],
          ['optimized', 'rejected', 0],
        ],
      );
    });
  });

  it('fails an image that cannot be decoded, and charges nothing', async () => {
    await withConversion(async (conversion) => {
      const file = await photo();
      await conversion.image(1, file, {}, false);
      await conversion.services.scans.originals.put(
        conversion.rows.id,
        1,
        new Uint8Array(Buffer.from('no image')).buffer,
      );
      await conversion.run();
      const { status, errorCode } = await conversion.rows.findAsset(1);
      assert.deepEqual([status, errorCode], ['failed', 'unsupported_format']);
      assert.equal(await conversion.charged(), 0);
    });
  });

  it('keeps and charges nothing after the scan was cancelled', async () => {
    await withConversion(async (conversion) => {
      const { siteScans } = conversion.services.database;
      await conversion.image(1, await photo());
      await markWanted(conversion.rows.context);
      // Cancels the scan once its conversion has begun.
      conversion.rows.context.tell = ({ type }) => {
        if (type === 'asset') void siteScans.move(conversion.rows.id, 'optimizing', 'cancelled');
      };
      await assert.rejects(optimize(conversion.rows.context), ScanPhaseChanged);
      assert.deepEqual(await conversion.outputs(1), []);
      assert.equal(conversion.services.results.usedBytes, 0);
      assert.equal(await conversion.charged(), 0);
      assert.equal((await conversion.rows.findAsset(1)).wanted, 1);
    });
  });

  it('minifies SVG if requested, and charges it like other images', async () => {
    const svg = Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><!--${'x'.repeat(9000)}--><path id="a" d="M0 0h9v9z"/></svg>`,
    );
    await withConversion(
      async (conversion) => {
        await conversion.image(1, svg);
        await conversion.run();
        const { status, mapped, bytesSaved } = await conversion.rows.findAsset(1);
        assert.deepEqual([status, mapped], ['optimized', 1]);
        const [output] = await conversion.outputs(1);
        assert.deepEqual([output!.format, output!.filename.endsWith('.svg')], ['svg', true]);
        const text = (await conversion.file(output!)).toString();
        assert.match(text, /^<svg[^>]*><path id="a"/);
        assert.equal(bytesSaved, svg.length - text.length);
        assert.equal(await conversion.charged(), 1);
      },
      { settings: { optimize_svg: true } },
    );
  });
});
