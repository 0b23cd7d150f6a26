import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generateKey, hashKey, issueKey, isWellFormed, requireScope, sameHash } from '../../../server/account/keys.ts';
import { withDatabase } from '../../support/database.ts';
import { failureOf } from '../../support/failure.ts';

/** The checksum was computed with another CRC-32 (Python's zlib), so that it cannot change unnoticed. */
const KNOWN = 'ic_live_000000000000000000000000000000002pWbFN';

describe('generateKey', () => {
  it('creates keys in the documented format', () => {
    assert.match(generateKey('live'), /^ic_live_[0-9A-Za-z]{38}$/);
    assert.match(generateKey('test'), /^ic_test_[0-9A-Za-z]{38}$/);
    assert.notEqual(generateKey('live'), generateKey('live'));
  });

  it('uses every character about equally often', () => {
    const counts = new Map<string, number>();
    const drawn = 32 * 2000;
    for (let n = 0; n < 2000; n += 1) {
      for (const character of generateKey('live').slice(8, 40)) counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    assert.equal(counts.size, 62);
    // With 61 degrees of freedom, chi-square exceeds 140 less than once in a million runs.
    // Bytes modulo 62 give about 480.
    const mean = drawn / 62;
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0);
    assert.ok(chiSquare < 140, `chi-square ${chiSquare}`);
  });
});

describe('isWellFormed', () => {
  it('checks the checksum of a key', () => {
    assert.ok(isWellFormed(KNOWN));
    for (let n = 0; n < 100; n += 1) assert.ok(isWellFormed(generateKey('test')));
  });

  it('rejects every typing error of one character', () => {
    const key = generateKey('live');
    for (let at = 0; at < key.length; at += 1) {
      const other = key[at] === 'x' ? 'y' : 'x';
      assert.equal(isWellFormed(key.slice(0, at) + other + key.slice(at + 1)), false, `character ${at}`);
    }
  });

  it('rejects another mode, length or alphabet', () => {
    const key = generateKey('live');
    for (const wrong of ['', key.replace('live', 'test'), `${key}0`, key.slice(0, -1), ` ${key}`, `${key}\n`]) {
      assert.equal(isWellFormed(wrong), false, JSON.stringify(wrong));
    }
  });
});

describe('sameHash', () => {
  it('compares by value', () => {
    assert.ok(sameHash(hashKey('a'), hashKey('a')));
    assert.equal(sameHash(hashKey('a'), hashKey('b')), false);
    assert.equal(sameHash(hashKey('a'), ''), false);
  });
});

describe('issueKey', () => {
  it('stores a hash and a prefix, never the key', async () => {
    await withDatabase(async ({ accounts, keys }) => {
      const { id: accountId } = await accounts.create({ name: 'anna', email: null, plan: 'free' });
      const { key, record } = await issueKey(keys, {
        accountId,
        name: 'site',
        mode: 'test',
        scopes: ['ai'],
        monthlyLimit: null,
        expiresAt: null,
      });
      assert.equal(record.prefix, key.slice(0, 12));
      assert.equal(record.hash, hashKey(key));
      assert.deepEqual(await keys.findByHash(hashKey(key)), record);
      assert.ok(!JSON.stringify(record).includes(key));
    });
  });
});

describe('requireScope', () => {
  it('names the missing scope', async () => {
    await withDatabase(async ({ accounts, keys }) => {
      const { id: accountId } = await accounts.create({ name: 'anna', email: null, plan: 'free' });
      const options = { accountId, name: 'site', mode: 'live', monthlyLimit: null, expiresAt: null } as const;
      const { record } = await issueKey(keys, { ...options, scopes: ['ai'] });
      requireScope(record, 'ai');
      const { message, status } = await failureOf('scope_required', () => requireScope(record, 'sites'));
      assert.equal(status, 403);
      assert.match(message, /"sites"/);
    });
  });
});
