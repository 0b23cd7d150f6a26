import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { predictSize } from '../../../../engine/pipeline/predict.ts';
import { assess } from '../../../../server/sites/findings/assess.ts';
import type { AssetFacts } from '../../../../server/sites/findings/facts.ts';
import { FINDING_CODES, type FindingCode, SEVERITIES } from '../../../../server/sites/findings/finding.ts';
import type { SiteScanSettings } from '../../../../server/sites/settings.ts';
import type { SiteAsset } from '../../../../storage/records/site-assets.ts';
import type { SiteFinding } from '../../../../storage/records/site-findings.ts';
import type { SiteOutput } from '../../../../storage/records/site-outputs.ts';
import type { SiteReference } from '../../../../storage/records/site-sources.ts';
import { ScanFixture, SITE } from '../../../support/scan-rows.ts';

interface Case {
  asset?: Partial<SiteAsset>;
  facts?: Partial<AssetFacts>;
  output?: Partial<SiteOutput>;
  /** By default one place on a page, without any problem. */
  places?: Partial<SiteReference>[];
}

/** Returns the findings of each asset in one scan. */
async function findingsOf(
  cases: readonly Case[],
  settings: Partial<SiteScanSettings> = {},
): Promise<Map<string, SiteFinding>[]> {
  return await ScanFixture.with(
    async (rows) => {
      await rows.page(1);
      for (const [index, { asset, facts, output, places = [{}] }] of cases.entries()) {
        await rows.asset(index + 1, asset, facts);
        if (output) await rows.output(index + 1, output);
        for (const place of places) await rows.reference(1, index + 1, place);
      }
      await assess(rows.context);
      return await Promise.all(cases.map((_, index) => rows.findings(index + 1)));
    },
    { settings },
  );
}

/**
 * Asserts that in a scan of two assets only the first one has a finding.
 * @returns that finding
 */
async function assertFinding(
  code: FindingCode,
  holds: Case,
  fails: Case,
  settings: Partial<SiteScanSettings> = {},
): Promise<SiteFinding> {
  const [yes, no] = await findingsOf([holds, fails], settings);
  assert.ok(yes!.has(code), `${code} not found`);
  assert.ok(!no!.has(code), `${code} found where it does not hold`);
  const finding = yes!.get(code)!;
  assert.equal(finding.severity, SEVERITIES[code]);
  assert.match(finding.message, /^.{20,}[.]$/);
  checked.add(code);
  return finding;
}
const checked = new Set<string>();

const failed = (changes: Partial<SiteAsset>): Case => ({
  asset: { status: 'failed', bytes: null, format: null, sha256: null, ...changes },
});

describe('findings about how an image is served', () => {
  it('broken: status 400 or more, or no response; not images that were fetched or are too large for us', async () => {
    const finding = await assertFinding(
      'broken',
      failed({ httpStatus: 404, errorCode: 'url_fetch_failed' }),
      failed({ httpStatus: 200, errorCode: 'image_too_large' }),
    );
    assert.deepEqual(JSON.parse(finding.references), [1]);
    await assertFinding('broken', failed({ httpStatus: 400, errorCode: 'unsupported_format' }), {
      asset: { httpStatus: 399 },
    });
    await assertFinding('broken', failed({ httpStatus: null, errorCode: 'url_fetch_failed' }), {});
  });

  it('not_image: other content with a success status', async () => {
    await assertFinding(
      'not_image',
      failed({ httpStatus: 200, errorCode: 'unsupported_format', contentType: 'text/html' }),
      failed({ httpStatus: 404, errorCode: 'unsupported_format', contentType: 'text/html' }),
    );
  });

  it('wrong_extension: another image format than in the URL', async () => {
    await assertFinding(
      'wrong_extension',
      { asset: { url: `${SITE}/a.png` } },
      { asset: { url: `${SITE}/a.JPEG?x=.png` } },
    );
    await assertFinding(
      'wrong_extension',
      { asset: { url: `${SITE}/b.webp` } },
      { asset: { url: `${SITE}/image.php` } },
    );
  });

  it('redirected: one redirect or more', async () => {
    await assertFinding('redirected', { asset: { redirects: 1 } }, { asset: { redirects: 0 } });
  });

  it('no_cache: no header, or less than a day', async () => {
    await assertFinding(
      'no_cache',
      { asset: { cacheControl: null } },
      { asset: { cacheControl: 'public, max-age=86400' } },
    );
    await assertFinding(
      'no_cache',
      { asset: { cacheControl: 'max-age=86399' } },
      { asset: { cacheControl: 'public' } },
    );
    await assertFinding('no_cache', { asset: { cacheControl: 'no-store' } }, failed({ cacheControl: null }));
  });

  it('uncompressed_svg: over 4,096 bytes without Content-Encoding, if compression makes it smaller', async () => {
    const svg = (changes: Partial<SiteAsset>, gzipBytes = 1000): Case => ({
      asset: { kind: 'vector', format: 'svg', url: `${SITE}/${Math.random()}.svg`, bytes: 4097, ...changes },
      facts: { gzipBytes },
    });
    const finding = await assertFinding('uncompressed_svg', svg({}), svg({ bytes: 4096 }));
    assert.equal(finding.savingsBytes, 3097);
    await assertFinding('uncompressed_svg', svg({}, 4096), svg({}, 4097));
    await assertFinding('uncompressed_svg', svg({}), svg({ contentEncoding: 'gzip' }));
  });

  it('already_negotiated: if the host negotiates formats', async () => {
    await assertFinding('already_negotiated', { asset: { negotiated: 1 } }, { asset: { negotiated: 0 } });
  });

  it('third_party: another registrable domain, unless the settings name the host', async () => {
    const elsewhere = { asset: { url: 'https://cdn.example.net/a.jpg', external: 1 } };
    await assertFinding('third_party', elsewhere, { asset: { url: 'https://static.example.com/a.jpg', external: 1 } });
    const [named] = await findingsOf([elsewhere], { asset_hosts: ['CDN.example.net'] });
    assert.ok(!named!.has('third_party'));
  });
});

describe('findings about the content of a file', () => {
  it('corrupt: cannot be decoded, in part or at all', async () => {
    await assertFinding('corrupt', failed({ httpStatus: 200, errorCode: 'corrupt_image' }), {});
    await assertFinding('corrupt', { facts: { damaged: true } }, { facts: { damaged: false } });
  });

  it('gps_metadata: with the size of the metadata', async () => {
    const facts = { gps: true, exifBytes: 700, xmpBytes: 30, iptcBytes: 4, iccBytes: 500 };
    const finding = await assertFinding('gps_metadata', { facts }, { facts: { ...facts, gps: false } });
    assert.equal(finding.savingsBytes, 734);
  });

  it('heavy_metadata: over 10,240 bytes and over 5%', async () => {
    const of = (bytes: number, exifBytes: number): Case => ({ asset: { bytes }, facts: { exifBytes, iccBytes: 240 } });
    const finding = await assertFinding('heavy_metadata', of(200_000, 10_001), of(200_000, 10_000));
    assert.equal(finding.savingsBytes, 10_241);
    await assertFinding('heavy_metadata', of(204_819, 10_001), of(204_820, 10_001));
  });

  it('cmyk: of JPEG only', async () => {
    await assertFinding('cmyk', { facts: { cmyk: true } }, { asset: { format: 'tiff' }, facts: { cmyk: true } });
    await assertFinding('cmyk', { facts: { cmyk: true } }, { facts: { cmyk: false } });
  });

  it('duplicate: all copies but the first, with all of their bytes', async () => {
    const finding = await assertFinding('duplicate', { asset: { duplicateOf: 2, bytes: 777 } }, {});
    assert.equal(finding.savingsBytes, 777);
    assert.deepEqual(JSON.parse(finding.data), { duplicate_of: 2 });
  });

  it('near_duplicate: fingerprints that differ in four bits, and another size', async () => {
    const of = (fingerprint: string, width: number): Case => ({ asset: { fingerprint, width } });
    const [small, large, alike, far] = await findingsOf([
      of('00000000ffffffff', 800),
      of('00000001fffffffe', 400),
      of('f0000000ffffffff', 800),
      of('f8000000ffffffff', 400),
    ]);
    assert.deepEqual(JSON.parse(small!.get('near_duplicate')!.data), { assets: [2] });
    assert.deepEqual(JSON.parse(large!.get('near_duplicate')!.data), { assets: [1] });
    // It differs from the first in four bits, but has the same size. It differs from the last in one bit and in size.
    assert.deepEqual(JSON.parse(alike!.get('near_duplicate')!.data), { assets: [4] });
    assert.deepEqual(JSON.parse(far!.get('near_duplicate')!.data), { assets: [3] });
    checked.add('near_duplicate');
  });

  it('low_similarity: a chosen output below 0.97', async () => {
    await assertFinding('low_similarity', { output: { similarity: 0.9699 } }, { output: { similarity: 0.97 } });
    await assertFinding('low_similarity', { output: { similarity: 0.5 } }, { output: { similarity: null } });
  });
});

describe('findings about weight and size', () => {
  /** Predicted size of the converted JPEG of a case that sets only its bytes. */
  const predicted = (bytes: number, format: 'webp' | 'jpeg' = 'webp') =>
    predictSize({
      source: { format: 'jpeg', bytes, pixels: 480_000, animated: false, lossless: false, quality: 90 },
      pixels: 480_000,
      scale: 1,
      format,
      coding: { quality: 80 },
    }).bytes;

  it('wrong_format: when the prediction reaches both thresholds', async () => {
    const bytes = 150_000;
    const saving = bytes - predicted(bytes);
    const settings = { min_savings_percent: 0 };
    const [at] = await findingsOf([{ asset: { bytes } }], { ...settings, min_savings_bytes: saving });
    assert.equal(at!.get('wrong_format')!.savingsBytes, saving);
    const [below] = await findingsOf([{ asset: { bytes } }], { ...settings, min_savings_bytes: saving + 1 });
    assert.ok(!below!.has('wrong_format'));
    const percent = Math.floor((saving * 100) / bytes);
    const [enough] = await findingsOf([{ asset: { bytes } }], { min_savings_bytes: 0, min_savings_percent: percent });
    assert.ok(enough!.has('wrong_format'));
    const [less] = await findingsOf([{ asset: { bytes } }], { min_savings_bytes: 0, min_savings_percent: percent + 1 });
    assert.ok(!less!.has('wrong_format'));
  });

  it('wrong_format: by the real result if there is one, and not if the conversion gained nothing', async () => {
    const asset = { bytes: 24_096 };
    const finding = await assertFinding(
      'wrong_format',
      { asset, output: { bytes: 20_000 } },
      { asset, output: { bytes: 20_001 } },
    );
    assert.equal(finding.savingsBytes, 4096);
    await assertFinding(
      'wrong_format',
      { asset: { bytes: 150_000 } },
      { asset: { bytes: 150_000, status: 'skipped', skipReason: 'no_gain' } },
    );
    await assertFinding('wrong_format', { asset: { bytes: 150_000 } }, { asset: { bytes: 150_000, format: 'webp' } });
  });

  it('predicts no savings for conversions that gained nothing', async () => {
    const asset = { bytes: 278_000, width: 800, height: 600 };
    const [before, after] = await findingsOf([
      { asset },
      { asset: { ...asset, status: 'skipped', skipReason: 'no_gain' } },
    ]);
    assert.ok(before!.get('heavy')!.savingsBytes! > 4096);
    assert.deepEqual(
      [...after!.values()].filter(({ savingsBytes }) => savingsBytes),
      [],
    );
  });

  it('predicts savings for the kept format, and reports those of the other format', async () => {
    const bytes = 600_000;
    const saving = bytes - predicted(bytes, 'jpeg');
    assert.notEqual(predicted(bytes), predicted(bytes, 'jpeg'));
    const [before, after] = await findingsOf([{ asset: { bytes } }, { asset: { bytes }, output: { format: 'jpeg' } }], {
      format: 'keep',
    });
    assert.equal(before!.get('heavy')!.savingsBytes, saving);
    assert.equal(after!.get('heavy')!.savingsBytes, bytes - 20_000);
    for (const findings of [before!, after!]) {
      const { savingsBytes, data } = findings.get('wrong_format')!;
      assert.deepEqual(
        [savingsBytes, JSON.parse(data)],
        [bytes - predicted(bytes), { format: 'webp', measured: false }],
      );
    }
  });

  it('animated_gif: over 102,400 bytes', async () => {
    const of = (bytes: number, animated = 1): Case => ({
      asset: { kind: 'animation', format: 'gif', animated, frames: 10, bytes },
    });
    await assertFinding('animated_gif', of(102_401), of(102_400));
    await assertFinding('animated_gif', of(102_401), of(102_401, 0));
  });

  const shown = (displayedWidth: number, changes: Partial<SiteReference> = {}) => ({
    displayedWidth,
    displayedSource: 'attribute',
    ...changes,
  });

  it('oversized: more than twice the shown pixels, and 4,096 bytes', async () => {
    const of = (bytes: number, place: Partial<SiteReference>): Case => ({
      asset: { bytes },
      output: { bytes: 20_000, width: 798 },
      places: [place],
    });
    const finding = await assertFinding('oversized', of(24_096, shown(399)), of(24_095, shown(399)));
    assert.equal(finding.savingsBytes, 4096);
    await assertFinding('oversized', of(30_000, shown(399)), of(30_000, shown(400)));
    const choice = { candidates: 2 };
    await assertFinding('oversized', of(32_288, shown(399, choice)), of(32_287, shown(399, choice)));
  });

  it('oversized: by prediction; not if one place has no size, nor below the displayed height', async () => {
    const asset = { bytes: 400_000 };
    const places = [shown(100)];
    await assertFinding('oversized', { asset, places }, { asset, places: [...places, { role: 'css_background' }] });
    await assertFinding('oversized', { asset, places }, { asset, places: [shown(100, { displayedHeight: 300 })] });
    await assertFinding('oversized', { asset, places: [...places, { role: 'og_image' }] }, { asset, places: [{}] });
  });

  it('very_large: a side over 2,560 pixels and no known displayed size', async () => {
    await assertFinding('very_large', { asset: { height: 2561 } }, { asset: { height: 2560 } });
    await assertFinding('very_large', { asset: { width: 2561 } }, { asset: { width: 2561 }, places: [shown(2561)] });
  });

  it('heavy: over 500,000 bytes, or over 1/6 byte per pixel with 4,096 bytes to save', async () => {
    await assertFinding(
      'heavy',
      { asset: { bytes: 500_001, width: 4000, height: 4000 } },
      { asset: { bytes: 500_000, width: 4000, height: 4000 } },
    );
    const dense = (bytes: number, output: number): Case => ({ asset: { bytes }, output: { bytes: output } });
    await assertFinding('heavy', dense(80_001, 10_000), dense(80_000, 10_000));
    const finding = await assertFinding('heavy', dense(90_000, 85_904), dense(90_000, 85_905));
    assert.equal(finding.savingsBytes, 4096);
    // Vector images and icons are judged only by their bytes.
    for (const of of [
      { kind: 'vector', format: 'svg' },
      { kind: 'icon', format: 'ico' },
    ] as const) {
      const heavy = (bytes: number): Case => ({
        asset: { ...of, bytes, width: 16, height: 16, url: `${SITE}/${bytes}.${of.format}` },
        facts: { gzipBytes: 1000 },
      });
      assert.equal((await assertFinding('heavy', heavy(500_001), heavy(500_000))).savingsBytes, null);
    }
  });

  it('large_data_uri: over 8,192 bytes', async () => {
    const of = (bytes: number): Case => ({
      asset: {
        kind: 'data_uri',
        status: 'skipped',
        skipReason: 'excluded',
        url: `data:image/png;sha256,${bytes}`,
        bytes,
      },
    });
    await assertFinding('large_data_uri', of(8193), of(8192));
  });
});

describe('findings about references', () => {
  const place = (changes: Partial<SiteReference>, asset: Partial<SiteAsset> = {}): Case => ({
    asset,
    places: [changes],
  });

  it('mixed_content: an http image in an https document', async () => {
    const http = (name: string) => ({ url: `http://example.com/${name}.jpg` });
    await assertFinding('mixed_content', place({}, http('a')), place({}, { url: `${SITE}/b.jpg` }));
    await assertFinding('mixed_content', place({}, http('a')), place({ role: 'og_image' }, http('b')));
  });

  it('missing_srcset: wider than 1,000 pixels, without srcset', async () => {
    await assertFinding('missing_srcset', place({}, { width: 1001 }), place({}, { width: 1000 }));
    await assertFinding('missing_srcset', place({}, { width: 1001 }), place({ candidates: 2 }, { width: 1001 }));
  });

  it('missing_dimensions and missing_alt: attributes that the document lacks', async () => {
    await assertFinding('missing_dimensions', place({ lacksDimensions: 1 }), place({ lacksDimensions: 0 }));
    await assertFinding('missing_alt', place({ lacksAlt: 1 }), place({ lacksAlt: 0 }));
  });

  it('missing_lazy: from the sixth image on', async () => {
    await assertFinding('missing_lazy', place({ imageNumber: 6 }), place({ imageNumber: 5 }));
    await assertFinding('missing_lazy', place({ imageNumber: 6 }), place({ imageNumber: 6, lazy: 1 }));
  });

  it('lazy_first: one of the first two images, or a preloaded one', async () => {
    await assertFinding('lazy_first', place({ imageNumber: 2, lazy: 1 }), place({ imageNumber: 3, lazy: 1 }));
    await assertFinding('lazy_first', place({ imageNumber: 9, lazy: 1, preloaded: 1 }), place({ imageNumber: 1 }));
  });

  it('upscaled: displayed larger than it is, by attribute or style', async () => {
    const of = (displayedWidth: number, displayedSource = 'style') => place({ displayedWidth, displayedSource });
    await assertFinding('upscaled', of(801), of(800));
    await assertFinding('upscaled', of(801), of(801, 'sizes'));
  });

  it('lists the first hundred references of a finding, and counts all', async () => {
    const places = Array.from({ length: 101 }, () => ({ lacksAlt: 1 }));
    const [findings] = await findingsOf([{ places }]);
    const { references, data } = findings!.get('missing_alt')!;
    assert.deepEqual(
      JSON.parse(references),
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
    assert.deepEqual(JSON.parse(data), { places: 101 });
  });

  it('ignores documents of pages that were not scanned', async () => {
    await ScanFixture.with(async (rows) => {
      await rows.page(1);
      await rows.page(2, { status: 'found', selected: 0 });
      await rows.asset(1);
      await rows.reference(2, 1, { lacksAlt: 1, displayedWidth: 5, displayedSource: 'attribute' });
      await assess(rows.context);
      assert.ok(!(await rows.findings(1)).has('missing_alt'));
      assert.equal((await rows.findAsset(1)).displayedWidth, null);
    });
  });
});

describe('every finding', () => {
  it('has a test for both outcomes', () => {
    assert.deepEqual(
      FINDING_CODES.filter((code) => !checked.has(code)),
      [],
    );
  });
});
