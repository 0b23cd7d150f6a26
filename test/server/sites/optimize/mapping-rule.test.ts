import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isMapped, type MappedAsset } from '../../../../server/sites/optimize/mapping-rule.ts';
import { type SiteScanSettings, scanSettingsSchema } from '../../../../server/sites/settings.ts';
import type { SiteOutput } from '../../../../storage/records/site-outputs.ts';
import { verifies } from '../../../support/verifies.ts';

const ASSET: MappedAsset = {
  url: 'https://example.com/a.jpg',
  approval: 'auto',
  negotiated: 0,
  roles: '["img_src"]',
  bytes: 40_000,
  format: 'jpeg',
};

function mapped(
  asset: Partial<MappedAsset> = {},
  output: Partial<SiteOutput> | null = {},
  settings: Partial<SiteScanSettings> = {},
  isOwn = true,
): boolean {
  const chosen = output && { bytes: 35_904, format: 'webp', similarity: 0.97, ...output };
  return isMapped({ ...ASSET, ...asset }, chosen, scanSettingsSchema.parse(settings), () => isOwn);
}

describe('the rule of the replacement map', () => {
  it('requires an output, both thresholds and the similarity', () => {
    assert.equal(mapped(), true);
    assert.equal(mapped({}, null), false);
    assert.equal(mapped({}, { bytes: 35_905 }), false);
    assert.equal(mapped({ bytes: 50_000 }, { bytes: 45_000 }), true);
    assert.equal(mapped({ bytes: 50_000 }, { bytes: 45_001 }), false);
    assert.equal(mapped({}, { similarity: 0.9699 }), false);
    assert.equal(mapped({}, { similarity: null }), true);
    assert.equal(mapped({}, { bytes: 40_000 }, { min_savings_bytes: 0, min_savings_percent: 0 }), false);
  });

  it('includes approved images, and no rejected ones', () => {
    verifies('sites.assets.approval');
    const poor = { bytes: 39_999, similarity: 0.5 };
    assert.equal(mapped({ approval: 'approved', negotiated: 1 }, poor), true);
    assert.equal(mapped({ approval: 'approved' }, null), false);
    assert.equal(mapped({ approval: 'rejected' }), false);
  });

  it('excludes negotiated images and foreign hosts, even if approved', () => {
    assert.equal(mapped({ negotiated: 1 }), false);
    assert.equal(mapped({ approval: 'approved' }, {}, {}, false), false);
  });

  it('gives crawlers another format only if the settings say so', () => {
    const social = { roles: '["json_ld","og_image"]' };
    assert.equal(mapped(social), false);
    assert.equal(mapped(social, { format: 'jpeg' }), true);
    assert.equal(mapped(social, {}, { map_social: true }), true);
    assert.equal(mapped({ roles: '["img_src","og_image"]' }), true);
  });
});
