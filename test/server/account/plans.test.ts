import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Plans } from '../../../server/account/plans.ts';
import type { Account } from '../../../storage/repositories/accounts.ts';
import type { Key } from '../../../storage/repositories/keys.ts';
import { failureOf } from '../../support/failure.ts';

function account(plan: string): Account {
  return { id: 'acct_1', name: 'anna', email: null, plan, disabled: false, createdAt: '2026-11-21T05:20:00.000Z' };
}

function key(mode: Key['mode']): Key {
  const none = { monthlyLimit: null, lastUsedAt: null, expiresAt: null, revokedAt: null };
  return { id: 'key_1', accountId: 'acct_1', name: '', mode, prefix: '', hash: '', scopes: [], createdAt: '', ...none };
}

describe('plans', () => {
  const plans = new Plans();

  it('limit the size of a file by plan and by kind of key', () => {
    assert.equal(plans.fileLimitBytes(account('free'), key('live')), 20_000_000);
    assert.equal(plans.fileLimitBytes(account('pro'), key('live')), 200_000_000);
    assert.equal(plans.fileLimitBytes(account('pro'), key('test')), 1_000_000);
    assert.equal(plans.fileLimitBytes(account('free'), key('test')), 1_000_000);
  });

  it('give an account of an unknown plan what everybody has', () => {
    assert.equal(plans.of(account('constructor')), plans.of(account('free')));
  });

  it('keep what is Pro from a free account', async () => {
    plans.requirePro(account('pro'), 'watermark_image');
    const failure = await failureOf('upgrade_required', () => plans.requirePro(account('free'), 'watermark_image'));
    assert.equal(failure.status, 403);
    assert.equal(failure.param, 'watermark_image');
    assert.equal(failure.message, 'Expected an account with the plan pro for watermark_image but received "free".');
  });
});
