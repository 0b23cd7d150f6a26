import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limitTexts, quotaOf, rateUsage, renewalText, sortByUse } from '../../../../console/pages/account/quota.ts';

describe('the text of a quota bar', () => {
  it('warns from 80% on, and shows an alert when nothing is left', () => {
    const levels = [0, 79, 80, 99, 100, 130].map((used) => quotaOf({ used, limit: 100 }).level);
    assert.deepEqual(levels, ['success', 'success', 'warning', 'warning', 'error', 'error']);
  });

  it('shows its numbers', () => {
    assert.deepEqual(quotaOf({ used: 127, limit: 1000 }), {
      ...{ share: 0.127, level: 'success', text: '127 of 1,000', rest: '873 left' },
    });
    assert.equal(quotaOf({ used: 1000, limit: 1000 }).rest, 'used up');
  });

  it('shows no bar without a limit, and a full bar if the limit is 0', () => {
    assert.deepEqual(quotaOf({ used: 5, limit: null }), {
      ...{ share: undefined, level: 'success', text: '5', rest: 'no limit' },
    });
    assert.equal(quotaOf({ used: 0, limit: 0 }).share, 1);
  });

  it('shows the use of the current minute', () => {
    assert.deepEqual(rateUsage({ per_minute: 120, remaining: 118, resets_at: '' }), { used: 2, limit: 120 });
    assert.deepEqual(rateUsage({ per_minute: null, remaining: null, resets_at: '' }), { used: 0, limit: null });
  });

  it('says when the month resets, in UTC', () => {
    const end = '2030-02-01T00:00:00.000Z';
    assert.equal(renewalText(end, Date.parse('2030-01-22T12:00:00Z')), 'Resets in 10 days, on February 1 (UTC).');
    assert.match(renewalText(end, Date.parse('2030-01-31T23:00:00Z')), /within a day/);
  });

  it('names the limits of the service in words', () => {
    const limits = {
      ...{ file_bytes: 20_000_000, upscale_pixels: 2_250_000, result_seconds: 3600, websites: 3, scan_pages: 1000 },
      ...{ optimize_pages: 20, job_images_json: 100, job_images_multipart: 10 },
    };
    const texts = new Map(limitTexts(limits));
    assert.equal(texts.size, Object.keys(limits).length);
    assert.equal(texts.get('Largest file'), '20.0 MB');
    assert.equal(texts.get('Largest image to upscale'), '2.25 MP');
    assert.equal(texts.get('Pages of a scan'), '1,000');
    assert.equal(texts.get('A stored result lives'), '1 h');
  });

  it('lists the most used operation first', () => {
    const use = (operation: string, requests: number, ai: number) => ({
      ...{ operation, requests, ai, bytes_in: 0, bytes_out: 0, failed: 0 },
    });
    const sorted = sortByUse([use('gif', 1, 0), use('ocr', 0, 9), use('compress', 5, 0)]);
    assert.deepEqual(
      sorted.map(({ operation, total }) => [operation, total]),
      [
        ['ocr', 9],
        ['compress', 5],
        ['gif', 1],
      ],
    );
  });
});
