import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { killDuringApplies } from './kills.ts';

const KILLS = 12;

describe('the local server, killed while it applies', { timeout: 600_000 }, () => {
  it('leaves every file either old or new, and the next process restores every byte', async () => {
    const report = await killDuringApplies({ kills: KILLS, seed: 4 });
    assert.deepEqual(
      { ...report, torn: report.torn, notRestored: report.notRestored },
      { ...report, torn: 0, notRestored: 0 },
    );
    assert.equal(report.kills, KILLS);
    assert.ok(report.rollbackKills > 0);
    // The kills hit more than one state, among them half-finished changes.
    const { halfWay, afterChange } = report.moments;
    assert.ok(halfWay > 0 && afterChange > 0, JSON.stringify(report.moments));
  });
});
