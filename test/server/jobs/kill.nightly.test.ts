import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { killDuringJobs } from '../../support/job-kills.ts';

const KILLS = 4;

describe('a service that is killed while it processes jobs and requests', { timeout: 600_000 }, () => {
  it('keeps every result once, charges each image once, cancels none and sends a webhook for every job', async () => {
    const { problems, inWork, images } = await killDuringJobs({ kills: KILLS, seed: 7 });
    assert.deepEqual(problems, []);
    // Otherwise the kills interrupted no work and the test has proved nothing.
    assert.ok(inWork >= KILLS / 2);
    assert.ok(images.done! > 0);
  });
});
