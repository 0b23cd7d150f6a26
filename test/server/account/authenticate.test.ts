import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { timestamp } from '../../../base/timestamp.ts';
import { type Authenticate, createAuthenticate } from '../../../server/account/authenticate.ts';
import { generateKey, issueKey } from '../../../server/account/keys.ts';
import type { Database } from '../../../storage/ports/database.ts';
import type { Account } from '../../../storage/records/accounts.ts';
import type { Key } from '../../../storage/records/keys.ts';
import { openDatabase } from '../../../storage/sqlite/database.ts';
import { OTHER_DATABASE, withDatabase } from '../../support/database.ts';
import { failureOf } from '../../support/failure.ts';

const START = Date.UTC(2026, 10, 21, 5, 20, 30);

interface AuthFixture {
  database: Database;
  folder: string;
  authenticate: Authenticate;
  account: Account;
  record: Key;
  key: string;
  clock: { now: number };
}

/** Runs `work` with one account that has one key, which expires after ten minutes. */
async function withAuthFixture(work: (door: AuthFixture) => Promise<void>): Promise<void> {
  await withDatabase(async (database, folder) => {
    const clock = { now: START };
    const account = await database.accounts.create({ name: 'anna', email: null, plan: 'free' });
    const issued = await issueKey(database.keys, {
      accountId: account.id,
      name: 'site',
      mode: 'live',
      scopes: ['ai'],
      monthlyLimit: null,
      expiresAt: timestamp(START + 600_000),
    });
    await work({
      database,
      folder,
      authenticate: createAuthenticate(database, () => clock.now),
      account,
      clock,
      ...issued,
    });
  });
}

describe('authenticate', () => {
  it('returns the account of the key', async () => {
    await withAuthFixture(async ({ authenticate, account, record, key }) => {
      assert.deepEqual(await authenticate(`Bearer ${key}`), { account, key: record });
      assert.deepEqual((await authenticate(` bearer   ${key} `)).account, account);
    });
  });

  it('requires a key', async () => {
    await withAuthFixture(async ({ authenticate, key }) => {
      for (const header of [undefined, '', 'Bearer', 'Bearer  ', `Basic ${key}`, key]) {
        assert.equal((await failureOf('missing_key', () => authenticate(header))).status, 401);
      }
    });
  });

  it('returns the same error for every invalid key', async () => {
    await withAuthFixture(async ({ authenticate, database, record, key, clock }) => {
      const messages = new Set<string>();
      const refuse = async (text: string) => {
        const { message, status } = await failureOf('invalid_key', () => authenticate(`Bearer ${text}`));
        assert.equal(status, 401);
        messages.add(message);
      };
      await refuse('nonsense');
      await refuse(`${key} ${key}`);
      await refuse(generateKey('live'));
      clock.now = START + 599_999;
      await authenticate(`Bearer ${key}`);
      clock.now = START + 600_000;
      await refuse(key);
      clock.now = START;
      await database.keys.revoke(record.id);
      await refuse(key);
      assert.equal(messages.size, 1);
    });
  });

  it('rejects a disabled account', async () => {
    await withAuthFixture(async ({ authenticate, database, account, key }) => {
      await database.accounts.update(account.id, { disabled: true });
      await failureOf('invalid_key', () => authenticate(`Bearer ${key}`));
      await database.accounts.update(account.id, { disabled: false });
      await authenticate(`Bearer ${key}`);
    });
  });

  it('sees at once that another process has revoked a key', { skip: OTHER_DATABASE }, async () => {
    await withAuthFixture(async ({ authenticate, folder, record, key }) => {
      await authenticate(`Bearer ${key}`);
      const command = await openDatabase(folder);
      await command.keys.revoke(record.id);
      await command.close();
      await failureOf('invalid_key', () => authenticate(`Bearer ${key}`));
    });
  });

  it('records the minute of the last use, with one write a minute', async (t) => {
    await withAuthFixture(async ({ authenticate, database, key, clock }) => {
      const touch = t.mock.method(database.keys, 'touch');
      const lastUse = async () => (await database.keys.list('2026-11'))[0]?.lastUsedAt;
      await authenticate(`Bearer ${key}`);
      assert.equal(await lastUse(), '2026-11-21T05:20:00.000Z');
      clock.now = START + 29_999;
      await authenticate(`Bearer ${key}`);
      assert.equal(touch.mock.callCount(), 1);
      clock.now = START + 30_000;
      await authenticate(`Bearer ${key}`);
      assert.equal(await lastUse(), '2026-11-21T05:21:00.000Z');
      assert.equal(touch.mock.callCount(), 2);
    });
  });

  it('accepts a request even if the use cannot be recorded', async (t) => {
    await withAuthFixture(async ({ authenticate, database, account, key }) => {
      t.mock.method(database.keys, 'touch', () => Promise.reject(new Error('disk full')));
      assert.deepEqual((await authenticate(`Bearer ${key}`)).account, account);
    });
  });
});
