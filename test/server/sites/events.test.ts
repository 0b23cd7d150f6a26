import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ScanStatus } from '../../../storage/records/site-scans.ts';
import { eventsOf } from '../../support/server-sent-events.ts';
import { SCANS, type ScanTestService, withDesk } from './desk.ts';

/** Subscribes to the events of a scan. Returns a function that waits for the next event. */
async function follow({ fetch }: ScanTestService, id: string) {
  const response = await fetch(`${SCANS}/${id}/events`);
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  const events = eventsOf(response);
  return async () => (await events.next()).value as { name: string; data: Record<string, never> } | undefined;
}

describe('GET /api/v1/sites/scans/{id}/events', { timeout: 120_000 }, () => {
  it('sends the events of a scan in order until the scan has ended', async () => {
    await withDesk(async (desk) => {
      const { scans } = desk.service.services;
      const rows = await desk.rows();
      const { id } = rows;
      await rows.page(1);
      await rows.asset(1);
      const next = await follow(desk, id);
      const { body } = await desk.send('GET', `${SCANS}/${id}`);
      assert.deepEqual(await next(), { name: 'scan', data: body });
      scans.events.emit({ type: 'page', scanId: id, seq: 1 });
      scans.events.emit({ type: 'asset', scanId: id, seq: 1 });
      scans.events.emit({ type: 'page', scanId: id, seq: 99 });
      await desk.service.services.database.siteScans.change(id, { progressDone: 1, progressTotal: 4 });
      scans.events.emit({ type: 'progress', scanId: id });
      const page = await next();
      assert.deepEqual([page?.name, page?.data.seq, page?.data.status], ['page', 1, 'scanned']);
      const asset = await next();
      assert.deepEqual([asset?.name, asset?.data.seq, asset?.data.status], ['asset', 1, 'ready']);
      const progress = await next();
      assert.deepEqual(
        [progress?.name, progress?.data.progress],
        ['progress', { phase: 'scanning', done: 1, total: 4, percent: 25, current_url: null, eta_seconds: null }],
      );
      await desk.become(id, 'optimizing');
      scans.events.emit({ type: 'changed', scanId: id });
      const changed = await next();
      assert.deepEqual([changed?.name, changed?.data.status], ['scan', 'optimizing']);
      await desk.send('PATCH', `${SCANS}/${id}`, { action: 'cancel' });
      const events = [await next(), await next()];
      assert.deepEqual(
        events.map((event) => [event?.name, event?.data.status]),
        [
          ['scan', 'cancelled'],
          ['end', 'cancelled'],
        ],
      );
      assert.equal(await next(), undefined, 'the stream ends with the scan');
    });
  });

  it('ends at once if nothing happens until the owner acts', async () => {
    await withDesk(async (desk) => {
      for (const status of ['review', 'ready', 'done', 'failed', 'cancelled'] satisfies ScanStatus[]) {
        const { id } = await desk.rows();
        await desk.become(id, status);
        const next = await follow(desk, id);
        const names = [(await next())?.name, (await next())?.name, (await next())?.name];
        assert.deepEqual(names, ['scan', 'end', undefined], status);
      }
    });
  });

  it('ends when the scan is deleted, and when the service stops', async () => {
    await withDesk(async (desk) => {
      const [deleted, left] = [await desk.rows(), await desk.rows()];
      const [ofDeleted, ofLeft] = [await follow(desk, deleted.id), await follow(desk, left.id)];
      assert.deepEqual([(await ofDeleted())?.name, (await ofLeft())?.name], ['scan', 'scan']);
      await desk.send('DELETE', `${SCANS}/${deleted.id}`);
      assert.equal(await ofDeleted(), undefined);
      desk.service.services.scans.events.close();
      assert.equal(await ofLeft(), undefined);
    });
  });
});
