import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keyState, NEW_KEY, toCreateBody, toDraft, toUpdateBody } from '../../../../console/pages/account/key-draft.ts';

describe('the form of a key', () => {
  it('sends what was entered; empty fields mean no limit and no expiry', () => {
    assert.deepEqual(toCreateBody({ ...NEW_KEY, name: ' shop ' }), {
      ...{ name: 'shop', mode: 'live', scopes: ['ai', 'sites'], monthly_limit: null, expires_at: null },
    });
    const limited = toCreateBody({ ...NEW_KEY, name: 'shop', monthlyLimit: '500', expires: '2030-01-31' });
    assert.deepEqual(limited, {
      ...{ name: 'shop', mode: 'live', scopes: ['ai', 'sites'], monthly_limit: 500 },
      // The end of the day in the local time zone.
      expires_at: new Date(2030, 0, 31, 23, 59, 59).toISOString(),
    });
  });

  it('sends no limit for a test key', () => {
    const body = toCreateBody({ ...NEW_KEY, name: 'ci', mode: 'test', monthlyLimit: '5' });
    assert.deepEqual({ ...body }, { ...body, mode: 'test', monthly_limit: null });
  });

  it('sends an invalid limit unchanged, so that the service explains the error', () => {
    assert.equal(
      (toUpdateBody({ ...NEW_KEY, monthlyLimit: '1.5' }) as { monthly_limit: unknown }).monthly_limit,
      '1.5',
    );
  });

  it('changes nothing if the key is saved unedited', () => {
    const key = {
      ...{ id: 'key_1', name: 'shop', mode: 'live' as const, prefix: 'ic_live_ab', scopes: ['ai'], monthly_limit: 7 },
      ...{ used: 0, created_at: '', last_used_at: null, expires_at: null, revoked_at: null },
    };
    assert.deepEqual(toUpdateBody(toDraft(key)), { name: 'shop', scopes: ['ai'], monthly_limit: 7 });
  });

  it('shows a key as active until it expires or is revoked', () => {
    const now = Date.parse('2030-01-01T00:00:00Z');
    const states = [
      { revoked_at: null, expires_at: null },
      { revoked_at: null, expires_at: '2030-01-01T00:00:01Z' },
      { revoked_at: null, expires_at: '2029-12-31T23:59:59Z' },
      { revoked_at: '2029-01-01T00:00:00Z', expires_at: null },
    ].map((key) => keyState(key, now));
    assert.deepEqual(states, ['active', 'active', 'expired', 'revoked']);
  });
});
