import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from '../../../../storage/ports/database.ts';
import type { NewMessage } from '../../../../storage/ports/webhooks.ts';
import { onEachDatabase } from '../../../support/database.ts';

const NOW = '2026-11-21T05:20:00.000Z';
const LATER = '2026-11-21T05:20:05.000Z';
const DAY_LATER = '2026-11-22T05:20:00.000Z';

const messageOf = (accountId: string, more: Partial<NewMessage> = {}): NewMessage => ({
  id: 'msg_1',
  accountId,
  jobId: 'job_1',
  url: 'https://example.com/',
  body: '{}',
  createdAt: NOW,
  ...more,
});

const DELIVERY = { at: NOW, status: 500, durationMs: 7, error: 'no' };

onEachDatabase((withDatabase) => {
  async function withAccount(work: (database: Database, accountId: string) => Promise<void>): Promise<void> {
    await withDatabase(async (database) => {
      const { id } = await database.accounts.create({ name: 'anna', email: null, plan: 'pro' });
      await work(database, id);
    });
  }

  describe('a webhook secret', () => {
    it('is created on first use and is the same for all', async () => {
      await withAccount(async ({ webhooks }, accountId) => {
        const made = await Promise.all(
          ['whsec_1', 'whsec_2', 'whsec_3'].map((secret) => webhooks.secret({ accountId, secret, createdAt: NOW })),
        );
        assert.equal(new Set(made.map(({ secret }) => secret)).size, 1);
        assert.deepEqual([made[0]?.previousSecret, made[0]?.previousValidUntil], [null, null]);
      });
    });

    it('is kept as the previous secret when it changes; the one before that is not', async () => {
      await withAccount(async ({ webhooks }, accountId) => {
        await webhooks.secret({ accountId, secret: 'whsec_1', createdAt: NOW });
        const once = await webhooks.rotateSecret({ accountId, secret: 'whsec_2', createdAt: LATER }, DAY_LATER);
        assert.deepEqual(once, {
          accountId,
          secret: 'whsec_2',
          createdAt: LATER,
          previousSecret: 'whsec_1',
          previousValidUntil: DAY_LATER,
        });
        const twice = await webhooks.rotateSecret({ accountId, secret: 'whsec_3', createdAt: LATER }, DAY_LATER);
        assert.deepEqual([twice.secret, twice.previousSecret], ['whsec_3', 'whsec_2']);
        assert.deepEqual(await webhooks.secret({ accountId, secret: 'whsec_4', createdAt: LATER }), twice);
      });
    });

    it('may be changed before one exists', async () => {
      await withAccount(async ({ webhooks }, accountId) => {
        const first = await webhooks.rotateSecret({ accountId, secret: 'whsec_1', createdAt: NOW }, DAY_LATER);
        assert.deepEqual([first.secret, first.previousSecret, first.previousValidUntil], ['whsec_1', null, null]);
      });
    });
  });

  describe('a webhook message', () => {
    it('is due at once, and is not stored when its transaction fails', async () => {
      await withAccount(async (database, accountId) => {
        await database.webhooks.createMessage(messageOf(accountId));
        const { id: _, ...unnamed } = messageOf(accountId, { jobId: 'job_2', createdAt: LATER });
        const failed = database.transaction(async ({ webhooks }) => {
          await webhooks.createMessage(unnamed);
          throw new RangeError('no');
        });
        await assert.rejects(failed, RangeError);
        assert.deepEqual(
          (await database.webhooks.due(NOW)).map(({ id }) => id),
          ['msg_1'],
        );
        assert.equal(await database.webhooks.nextDueAfter(NOW), undefined);
        await database.webhooks.createMessage(unnamed);
        assert.equal(await database.webhooks.nextDueAfter(NOW), LATER);
        const [first, second, ...others] = await database.webhooks.due(LATER);
        assert.equal(others.length, 0);
        assert.equal(first?.id, 'msg_1');
        assert.match(String(second?.id), /^msg_[0-9A-Z]{26}$/);
      });
    });

    it('can be resent with new attempts, which are added to the list', async () => {
      await withAccount(async ({ webhooks }, accountId) => {
        await webhooks.createMessage(messageOf(accountId));
        const read = async () => (await webhooks.findMessage('msg_1'))!;
        await webhooks.recordAttempt(await read(), DELIVERY, { status: 'failed', nextAttemptAt: null });
        assert.deepEqual(await webhooks.due(LATER), []);
        assert.equal(await webhooks.restart('job_1', LATER), true);
        const { status, attempts, lastStatus, nextAttemptAt } = await read();
        assert.deepEqual([status, attempts, lastStatus, nextAttemptAt], ['pending', 0, 500, LATER]);
        const taken = { ...DELIVERY, at: LATER, status: 200, error: null };
        await webhooks.recordAttempt(await read(), taken, { status: 'delivered', nextAttemptAt: null });
        assert.deepEqual(await webhooks.deliveriesOf('job_1'), [
          { messageId: 'msg_1', attempt: 1, ...DELIVERY },
          { messageId: 'msg_1', attempt: 2, ...taken },
        ]);
        const { body: _, ...state } = await read();
        assert.deepEqual(await webhooks.ofJobs(['job_0', 'job_1']), [state]);
        assert.equal(await webhooks.restart('job_0', LATER), false);
        assert.deepEqual(await webhooks.ofJobs([]), []);
      });
    });

    it('is deleted with its deliveries, unless it is still pending', async () => {
      await withAccount(async ({ webhooks }, accountId) => {
        await webhooks.createMessage(messageOf(accountId));
        await webhooks.createMessage(messageOf(accountId, { id: 'msg_2', jobId: 'job_2' }));
        const message = (await webhooks.findMessage('msg_1'))!;
        await webhooks.recordAttempt(message, DELIVERY, { status: 'stopped', nextAttemptAt: null });
        await webhooks.forget('2026-11-21T05:19:59.999Z');
        assert.equal((await webhooks.deliveriesOf('job_1')).length, 1);
        await webhooks.forget(NOW);
        assert.deepEqual(await webhooks.deliveriesOf('job_1'), []);
        assert.deepEqual(
          (await webhooks.ofJobs(['job_1', 'job_2'])).map(({ id }) => id),
          ['msg_2'],
        );
      });
    });
  });
});
