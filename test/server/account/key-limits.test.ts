import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkChange } from '../../../server/account/key-limits.ts';
import type { Key } from '../../../storage/records/keys.ts';
import { type IssuedKey, withKeys } from './key-desk.ts';

describe('a key with a limit', () => {
  it('creates keys only within its own scopes, limit and expiry', async () => {
    await withKeys(
      { scopes: ['admin', 'ai'], monthlyLimit: 10, expiresAt: '2030-01-01T00:00:00.000Z' },
      async ({ make, codeOf }) => {
        const plain = await make({});
        assert.deepEqual(
          [plain.scopes, plain.monthly_limit, plain.expires_at],
          [['ai'], 10, '2030-01-01T00:00:00.000Z'],
        );
        for (const [body, code, param] of [
          [{ scopes: ['sites'] }, 'scope_required', undefined],
          [{ monthly_limit: null }, 'invalid_parameter', 'monthly_limit'],
          [{ monthly_limit: 11 }, 'invalid_parameter', 'monthly_limit'],
          [{ expires_at: null }, 'invalid_parameter', 'expires_at'],
          [{ expires_at: '2030-01-01T00:00:00.001Z' }, 'invalid_parameter', 'expires_at'],
        ] as const)
          assert.deepEqual(await codeOf('POST', '', body), [code, param], JSON.stringify(body));
        const inside = { scopes: ['admin'], monthly_limit: 10, expires_at: '2029-12-31T00:00:00.000Z' };
        assert.equal((await make(inside)).monthly_limit, 10);
      },
    );
  });

  it('changes no key beyond its own limits, nor itself', async () => {
    await withKeys({ scopes: ['admin'], monthlyLimit: 10 }, async ({ make, codeOf, own, other }) => {
      for (const id of [own, other])
        for (const body of [{ monthly_limit: null }, { monthly_limit: 11 }])
          assert.deepEqual(
            await codeOf('PATCH', id, body),
            ['invalid_parameter', 'monthly_limit'],
            JSON.stringify(body),
          );
      assert.deepEqual(await codeOf('PATCH', own, { scopes: ['admin', 'ai'] }), ['scope_required', undefined]);
      // Requests with the other key do not count against the limit of the key that raises it.
      assert.deepEqual(await codeOf('PATCH', other, { monthly_limit: 6 }), ['invalid_parameter', 'monthly_limit']);
      assert.equal(await codeOf('PATCH', other, { monthly_limit: 4 }), undefined);
      const child = await make({ monthly_limit: 3 });
      assert.equal(await codeOf('PATCH', child.id, { monthly_limit: 9 }), undefined);
      assert.equal(await codeOf('PATCH', own, { monthly_limit: 8 }), undefined);
    });
  });

  it('gives scopes only to keys that it created', async () => {
    await withKeys({ scopes: ['admin', 'ai'], monthlyLimit: 10 }, async ({ make, codeOf, other }) => {
      assert.deepEqual(await codeOf('PATCH', other, { scopes: ['ai'] }), ['invalid_parameter', 'scopes']);
      const child = await make({ scopes: [] });
      assert.equal(await codeOf('PATCH', child.id, { scopes: ['ai'] }), undefined);
    });
  });

  it('includes a key without its own limit that a limited key created', () => {
    const key: Key = {
      ...{ id: 'other', accountId: 'account', name: 'other', mode: 'live', prefix: '', hash: '', scopes: [] },
      ...{ monthlyLimit: 5, limitedBy: [], createdAt: '', lastUsedAt: null, expiresAt: null, revokedAt: null },
    };
    const maker: Key = { ...key, id: 'made', monthlyLimit: null, limitedBy: ['limited'] };
    const change = (limitedBy: string[]) => checkChange(maker, { ...key, limitedBy }, { monthlyLimit: 6 });
    assert.throws(() => change([]), { code: 'invalid_parameter', param: 'monthly_limit' });
    change(['limited']);
  });

  it('is charged for the use of all keys created with it, directly or indirectly', async () => {
    await withKeys({ scopes: ['admin'], monthlyLimit: 4 }, async ({ make, compress }) => {
      const children: IssuedKey[] = [];
      for (let n = 0; n < 3; n += 1) children.push(await make({ scopes: ['admin'] }));
      const grandchild = await make({}, children[0]!.key);
      const used = [grandchild, children[1]!, children[2]!, children[0]!, grandchild, children[1]!];
      const statuses: number[] = [];
      for (const { key } of used) statuses.push(await compress(key));
      assert.deepEqual(statuses, [200, 200, 200, 200, 429, 429]);
    });
  });
});
