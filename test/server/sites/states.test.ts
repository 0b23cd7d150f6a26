import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ACTIONS, type Action, TRANSITIONS } from '../../../server/sites/states.ts';
import { SCAN_STATUSES, type ScanStatus } from '../../../storage/records/site-scans.ts';
import { verifies } from '../../support/verifies.ts';
import { refusalOf, SCANS, type ScanTestService, withDesk } from './desk.ts';

/** Creates a scan with a status. Each action has something to do in it. */
async function createScanIn(desk: ScanTestService, status: ScanStatus): Promise<string> {
  const rows = await desk.rows();
  const { database } = desk.service.services;
  await rows.page(1);
  await rows.page(2, { status: 'found' });
  await rows.asset(1);
  await rows.output(1);
  const isStopped = status === 'failed' || status === 'cancelled';
  const error = status === 'failed' ? { errorCode: 'url_fetch_failed', errorMessage: 'No.' } : {};
  await desk.become(rows.id, status, isStopped ? { stoppedIn: 'optimizing', finishedAt: 'x', ...error } : {});
  assert.equal((await database.siteScans.find(rows.id))?.status, status);
  return rows.id;
}

/** The table of states in the specification, repeated here so that a change of the code is noticed. */
const EXPECTED: Record<Action, Partial<Record<ScanStatus, ScanStatus>>> = {
  select: { review: 'review', ready: 'ready', done: 'done' },
  start: { review: 'scanning', ready: 'scanning', done: 'scanning' },
  cancel: {
    queued: 'cancelled',
    discovering: 'cancelled',
    review: 'cancelled',
    scanning: 'cancelled',
    ready: 'cancelled',
    optimizing: 'cancelled',
    packaging: 'cancelled',
  },
  retry: { failed: 'optimizing', cancelled: 'optimizing', ready: 'scanning', done: 'scanning' },
  optimize: { ready: 'optimizing', done: 'optimizing' },
  package: { ready: 'packaging', done: 'packaging' },
};

describe('the states of a scan', { timeout: 120_000 }, () => {
  for (const action of ACTIONS)
    it(`allow ${action} in the right states only`, async () => {
      verifies(
        'sites.scans.update.action',
        'sites.scans.update.select',
        'sites.scans.update.start',
        'sites.scans.update.cancel',
        'sites.scans.update.retry',
        'sites.scans.update.optimize',
        'sites.scans.update.package',
      );
      await withDesk(async (desk) => {
        for (const status of SCAN_STATUSES) {
          const id = await createScanIn(desk, status);
          const answer = await desk.send('PATCH', `${SCANS}/${id}`, { action });
          const target = EXPECTED[action][status];
          assert.equal(TRANSITIONS[action][status] !== undefined, target !== undefined, `${action} ${status}`);
          if (target === undefined) {
            assert.deepEqual(refusalOf(answer), [409, 'invalid_state', 'action'], `${action} ${status}`);
            assert.match(answer.body.error.message, new RegExp(`${status} .*${action}`));
            assert.equal((await desk.send('GET', `${SCANS}/${id}`)).body.status, status);
            continue;
          }
          assert.deepEqual([answer.status, answer.body.status], [200, target], `${action} ${status}`);
          assert.deepEqual((await desk.send('GET', `${SCANS}/${id}`)).body, answer.body);
          assert.equal(answer.body.error, null);
          assert.equal(answer.body.finished_at !== null, target === 'cancelled');
        }
      });
    });

  it('change by only one of two concurrent actions', async () => {
    await withDesk(async (desk) => {
      const id = await createScanIn(desk, 'ready');
      const answers = await Promise.all(
        ['optimize', 'package'].map((action) => desk.send('PATCH', `${SCANS}/${id}`, { action })),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    });
  });

  it('notify the runner of changes', async () => {
    await withDesk(async (desk) => {
      const id = await createScanIn(desk, 'ready');
      const events: string[] = [];
      desk.service.services.scans.events.watch(id, ({ type }) => events.push(type));
      await desk.send('PATCH', `${SCANS}/${id}`, { action: 'optimize' });
      await desk.send('PATCH', `${SCANS}/${id}`, { action: 'start' });
      assert.deepEqual(events, ['changed']);
    });
  });

  it('refuse bodies without a valid action', async () => {
    await withDesk(async (desk) => {
      const id = await createScanIn(desk, 'review');
      const cases: [unknown, unknown[]][] = [
        [{}, [400, 'invalid_parameter', 'action']],
        [{ action: 'stop' }, [400, 'invalid_parameter', 'action']],
        [{ action: 'select', page: 1 }, [400, 'invalid_parameter', 'page']],
        [{ action: 'select', pages: [0] }, [400, 'invalid_parameter', 'pages']],
        [{ action: 'select', pages: '1' }, [400, 'invalid_parameter', 'pages']],
        [{ action: 'select', selected: 1 }, [400, 'invalid_parameter', 'selected']],
        [{ action: 'select', pages: [1], include: ['/a'] }, [400, 'conflicting_parameters', 'pages']],
        [{ action: 'select', include: ['re:('] }, [400, 'invalid_parameter', 'include']],
        [{ action: 'select', settings: {} }, [400, 'conflicting_parameters', 'settings']],
        [{ action: 'select', assets: [1] }, [400, 'conflicting_parameters', 'assets']],
        [{ action: 'cancel', pages: [1] }, [400, 'conflicting_parameters', 'pages']],
        [{ action: 'start', settings: { quality: 0 } }, [400, 'invalid_parameter', 'settings.quality']],
        [{ action: 'start', settings: { qualty: 5 } }, [400, 'invalid_parameter', 'settings.qualty']],
        [{ action: 'start', settings: [] }, [400, 'invalid_parameter', 'settings']],
        [{ action: 'start', settings: { exclude: ['re:('] } }, [400, 'invalid_parameter', 'settings.exclude']],
      ];
      for (const [body, refusal] of cases)
        assert.deepEqual(refusalOf(await desk.send('PATCH', `${SCANS}/${id}`, body)), refusal, JSON.stringify(body));
      assert.equal((await desk.send('GET', `${SCANS}/${id}`)).body.status, 'review');
    });
  });
});
