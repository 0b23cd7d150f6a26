import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { grantPackage } from '../../../server/account/packages.ts';
import { verifies } from '../../support/verifies.ts';
import { refusalOf, type ScanTestService, withDesk } from './desk.ts';

interface Tiers {
  tiers: unknown[];
  packages: unknown[];
  plan: string;
  websites: { held: number; limit: number; domains: string[] };
  credits: { id: string; package: string; pages_total: number; pages_left: number; expires_at: string | null }[];
  scan_pages: number;
}

const PATH = '/api/v1/sites/tiers';
const read = async (desk: ScanTestService, key = desk.keys.free) =>
  (await desk.send<Tiers>('GET', PATH, undefined, key)).body;

describe('GET /api/v1/sites/tiers', { timeout: 60_000 }, () => {
  it('returns what each tier covers, and the tier of the caller', async () => {
    verifies('sites.tiers', 'sites.tiers.plan', 'sites.tiers.scan-pages');
    await withDesk(async (desk) => {
      assert.deepEqual(await read(desk), {
        tiers: [
          { id: 'free', websites: 1, scan_pages: 5, optimize_pages: 5, assets: 500, running_scans: 1, keep_days: 30 },
          { id: 'pro', websites: 5, scan_pages: 50, optimize_pages: 50, assets: 5000, running_scans: 2, keep_days: 30 },
        ],
        packages: [
          { id: 'site_1k', pages: 1000 },
          { id: 'site_3k', pages: 3000 },
          { id: 'site_10k', pages: 10_000 },
          { id: 'site_50k', pages: 50_000 },
        ],
        plan: 'free',
        websites: { held: 0, limit: 1, domains: [] },
        credits: [],
        scan_pages: 5,
      });
      await desk.create({}, desk.keys.free);
      assert.deepEqual((await read(desk)).websites, { held: 1, limit: 1, domains: ['example.com'] });
      const { plan, websites, scan_pages } = await read(desk, desk.keys.pro);
      assert.deepEqual([plan, websites.held, websites.limit, scan_pages], ['pro', 0, 5, 50]);
    });
  });

  it('lists the packages with their remaining pages', async () => {
    verifies('sites.tiers.credits', 'sites.tiers.scan-pages');
    await withDesk(async (desk) => {
      const { database } = desk.service.services;
      const { id } = (await database.accounts.findByName('anna'))!;
      const small = await grantPackage(database.packages, id, 'site_1k');
      const large = await grantPackage(database.packages, id, 'site_3k');
      const { body } = await desk.create({ package: 'site_1k' }, desk.keys.free);
      await database.siteCrawl.chargePage(body.id, 1, small.id, '2026-01-01T00:00:00.000Z');
      const { credits, scan_pages, websites } = await read(desk);
      assert.deepEqual(
        credits.map(({ id, pages_total, pages_left }) => [id, pages_total, pages_left]),
        [
          [small.id, 1000, 999],
          [large.id, 3000, 3000],
        ],
      );
      assert.deepEqual([scan_pages, websites.held], [3000, 0]);
    });
  });

  it('requires a key with the scope sites, and accepts no parameters', async () => {
    await withDesk(async (desk) => {
      const refused = await desk.send('GET', PATH, undefined, desk.service.keys.pro);
      assert.deepEqual(refusalOf(refused), [403, 'scope_required', undefined]);
      assert.deepEqual(refusalOf(await desk.send('GET', `${PATH}?plan=pro`)), [400, 'invalid_parameter', 'plan']);
    });
  });
});
