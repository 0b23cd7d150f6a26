/**
 * GET /api/v1/sites/tiers: the website scans that each plan covers, and what the caller has (docs/spec/shapes.md, section
 * 17.10).
 */
import { z } from 'zod';
import { timestamp } from '../../base/timestamp.ts';
import { requireScope } from '../account/keys.ts';
import { creditRecord, creditRecordSchema, PACKAGE_NAMES, PACKAGE_PAGES } from '../account/packages.ts';
import type { Caller, Context } from '../http/context.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { jsonResponse } from '../http/openapi-parts.ts';
import { count } from '../http/record.ts';
import { SITES } from './access.ts';
import { hasPages } from './scans.ts';
import type { SiteServices } from './services.ts';

const tiersRecord = z
  .object({
    tiers: z.array(
      z.object({
        id: z.string().meta({ description: 'Name of the plan.', examples: ['pro'] }),
        websites: count(),
        scan_pages: count('Of one scan.'),
        optimize_pages: count('Of one run of POST /api/v1/sites/optimize.'),
        assets: count('Images of one scan.'),
        running_scans: count('At a time; further ones wait.'),
        keep_days: count('How long files are kept.'),
      }),
    ),
    packages: z.array(z.object({ id: z.enum(PACKAGE_NAMES), pages: count() })),
    plan: z.string().meta({ description: 'Of the caller.', examples: ['free'] }),
    websites: z.object({
      held: count('Websites with a scan that draws on no package.'),
      limit: count(),
      domains: z.array(z.string()),
    }),
    credits: z.array(creditRecordSchema).meta({ description: 'Packages of the account, oldest first.' }),
    scan_pages: count('What the next scan can take: of a package if one has pages left, otherwise of the plan.'),
  })
  .meta({ id: 'SiteTiers' });

async function readTiers(ctx: Context, { plans, database, now }: SiteServices, { account }: Caller): Promise<void> {
  const own = plans.of(account);
  const held = await database.siteScans.held(account.id);
  const pools = await database.packages.list(account.id);
  const left = pools.filter((pool) => hasPages(pool, timestamp(now()))).map(({ pagesLeft }) => pagesLeft);
  ctx.body = {
    tiers: plans.names.map((id) => {
      const plan = plans.of({ plan: id });
      return {
        id,
        websites: plan.websites,
        scan_pages: plan.scan_pages,
        optimize_pages: plan.optimize_pages,
        assets: plan.scan_assets,
        running_scans: plan.running_scans,
        keep_days: plan.scan_keep_days,
      };
    }),
    packages: PACKAGE_NAMES.map((id) => ({ id, pages: PACKAGE_PAGES[id] })),
    plan: account.plan,
    websites: { held: held.length, limit: own.websites, domains: held.map(({ domain }) => domain) },
    credits: pools.map(creditRecord),
    scan_pages: left.length > 0 ? Math.max(...left) : own.scan_pages,
  } satisfies z.output<typeof tiersRecord>;
}

export const tiersEndpoint: Endpoint<SiteServices> = {
  method: 'get',
  path: '/api/v1/sites/tiers',
  operation: 'site_tiers',
  access: 'key',
  errors: ['scope_required'],
  summary: 'What website scans each plan covers, and what the account has left',
  description: 'Needs a key with the scope `sites`. Free of charge.',
  tags: SITES.tags,
  check: (_services, { key }) => requireScope(key, 'sites'),
  noStore: true,
  responses: { '200': jsonResponse('The plans, packages and what is left.', tiersRecord) },
  handle: readTiers,
};
