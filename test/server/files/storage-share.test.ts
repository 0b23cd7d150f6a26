/** The share of one account in the storage, over all stores of the data folder. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openLocalEvents } from '../../../base/events.ts';
import { newId } from '../../../base/id.ts';
import { JobSources } from '../../../server/jobs/sources.ts';
import { SiteScans } from '../../../server/sites/scans.ts';
import { localFileStores } from '../../../storage/local-files/local-files.ts';
import { StorageQuota } from '../../../storage/quota.ts';
import { failureOf } from '../../support/failure.ts';
import { ScanFixture } from '../../support/scan-rows.ts';
import { withService } from '../../support/service.ts';

const LIMIT_BYTES = 100;

describe('the storage share of an account', () => {
  it('includes the uploads of its jobs and the originals of its scans, also after a restart', async () => {
    await withService(
      async ({ services, keys, call }) => {
        const { database, config, jobs, scans, results, authenticate } = services;
        const authorization = `Bearer ${keys.pro}`;
        const caller = await authenticate(authorization);
        const { id: accountId } = caller.account;
        const rows = await ScanFixture.create(services, { authorization });
        rows.close();
        const jobId = newId('job');
        const source = JobSources.nameOf(jobId, 0);
        await jobs.sources.put(source, new ArrayBuffer(25), accountId);
        const pipeline = { pipelineName: null, pipelineVersion: null, outputName: null, outputs: null, steps: '[]' };
        const items = [{ sourceKind: 'file', source, filename: null } as const];
        await jobs.accept(caller, { id: jobId, pipeline, items, webhookUrl: null });
        await scans.originals.put(rows.context.scan.id, 0, new ArrayBuffer(25));

        const result = { filename: 'x', contentType: 'image/webp', format: 'webp', width: 1, height: 1 };
        const { message } = await failureOf('storage_full', () =>
          results.put(accountId, { ...result, data: new ArrayBuffer(1) }),
        );
        assert.match(message, /this account/);
        const stored = { method: 'POST', body: 'abcdefgh' };
        assert.equal((await call('/api/v1/compress?output=json', stored)).status, 200);
        const refused = await call('/api/v1/compress?output=json', { ...stored, headers: { authorization } });
        assert.equal(refused.status, 507);

        const quota = new StorageQuota(LIMIT_BYTES, (name) => database.files.ownerOf(name));
        const openFiles = localFileStores(config.dataDir, quota);
        await JobSources.open(openFiles, database.jobs);
        await SiteScans.open({ database, openFiles, openEvents: openLocalEvents });
        const files = await openFiles('files');
        await failureOf('storage_full', () => files.put('file_1', new Uint8Array(1), { accountId }));
        await files.put('file_1', new Uint8Array(1), { accountId: 'acct_other' });
      },
      { env: { IC_STORAGE_BYTES: String(LIMIT_BYTES) } },
    );
  });
});
