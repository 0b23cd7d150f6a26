import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SCAN_STATUSES } from '../../../../console/pages/websites/labels.ts';
import { canSelect, isRunning, nextActions } from '../../../../console/pages/websites/scan/states.ts';
import { RUNNING_STATUSES, TRANSITIONS } from '../../../../server/sites/states.ts';
import { SCAN_STATUSES as STATUSES } from '../../../../storage/records/site-scans.ts';

const totals = { pages_selected: 5, pages_scanned: 3, pages_failed: 1, assets_failed: 2, assets_optimized: 4 };

describe('the actions on a scan', () => {
  it('include none that the service rejects', () => {
    for (const status of STATUSES)
      for (const { action } of nextActions({ status, totals }))
        assert.ok(TRANSITIONS[action][status] !== undefined, `${action} from ${status}`);
  });

  it('are known for every status, which has a label too', () => {
    for (const status of STATUSES) {
      assert.ok(nextActions({ status, totals }).length > 0, status);
      assert.ok(SCAN_STATUSES[status].meaning, status);
      assert.equal(isRunning({ status }), RUNNING_STATUSES.has(status), status);
      assert.equal(canSelect({ status }), TRANSITIONS.select[status] !== undefined, status);
    }
  });

  it('omit those that would do nothing', () => {
    const none = { pages_selected: 3, pages_scanned: 3, pages_failed: 0, assets_failed: 0, assets_optimized: 0 };
    const actions = nextActions({ status: 'ready', totals: none }).map(({ action }) => action);
    assert.deepEqual(actions, ['optimize']);
    const more = nextActions({ status: 'done', totals }).map(({ label }) => label);
    assert.deepEqual(more, ['Convert what is left', 'Scan 1 page more', 'Try failures again', 'Rebuild the package']);
  });
});
