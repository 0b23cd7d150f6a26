import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { killDuringDelivery } from '../../support/delivery-kills.ts';

describe('a service that is killed while it makes images for addresses', () => {
  it('sends only whole images afterwards, and knows what its cache holds', async () => {
    const { problems, sent, hits } = await killDuringDelivery({ images: 1500, kills: 5, seed: 1 });
    assert.deepEqual(problems, []);
    assert.ok(sent >= 1500 && hits > 0, `${sent} sent, ${hits} from the cache`);
  });
});
