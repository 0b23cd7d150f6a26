import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Kysely } from 'kysely';
import { prepared } from '../../../storage/sql/prepared.ts';
import type { Tables } from '../../../storage/sql/schema.ts';
import { withKysely } from '../../support/kysely.ts';

interface Row {
  id: string;
  name: string;
  email: string | null;
}

/** Creates two prepared statements and counts how often each is built. */
function statements() {
  const built = { insert: 0, find: 0 };
  const insert = prepared((db, { id, name, email }: Row) => {
    built.insert += 1;
    return db
      .insertInto('accounts')
      .values({ id, name, email, plan: 'free', disabled: 0, createdAt: '2026-11-21T05:20:00.000Z' })
      .returning(['id', 'name', 'email']);
  });
  const find = prepared((db, { id }: Pick<Row, 'id'>) => {
    built.find += 1;
    return db.selectFrom('accounts').select(['id', 'name', 'email', 'plan', 'createdAt']).where('id', '=', id);
  });
  return { insert, find, built };
}

const ANNA: Row = { id: 'acct_1', name: 'anna', email: 'anna@example.com' };
const BEN: Row = { id: 'acct_2', name: 'ben', email: null };

describe('a prepared statement', () => {
  it('is built once and does not mix the values of its calls', async () => {
    await withKysely(async (db) => {
      const { insert, find, built } = statements();
      const rows = Array.from({ length: 50 }, (_, n) => ({
        id: `acct_${n}`,
        name: `n${n}`,
        email: `${n}@example.com`,
      }));
      assert.deepEqual(
        await Promise.all(rows.map((row) => insert(db, row))),
        rows.map((row) => [row]),
      );
      const found = await Promise.all(rows.map(({ id }) => find(db, { id })));
      assert.deepEqual(
        found.map(([row]) => ({ id: row?.id, name: row?.name, email: row?.email })),
        rows,
      );
      assert.deepEqual(built, { insert: 1, find: 1 });
    });
  });

  it('keeps the constants of its builder', async () => {
    await withKysely(async (db) => {
      const { insert, find } = statements();
      await insert(db, ANNA);
      assert.deepEqual(await find(db, ANNA), [{ ...ANNA, plan: 'free', createdAt: '2026-11-21T05:20:00.000Z' }]);
    });
  });

  it('accepts null, in the first call or later', async () => {
    await withKysely(async (db) => {
      const { insert } = statements();
      assert.deepEqual(await insert(db, BEN), [BEN]);
      assert.deepEqual(await insert(db, ANNA), [ANNA]);
      assert.deepEqual(await insert(db, { ...BEN, id: 'acct_3', name: 'chris' }), [
        { id: 'acct_3', name: 'chris', email: null },
      ]);
    });
  });

  it('may use one value in several places', async () => {
    const either = prepared((db, { text }: { text: string }) =>
      db
        .selectFrom('accounts')
        .select('id')
        .where(({ eb, or }) => or([eb('id', '=', text), eb('name', '=', text)]))
        .orderBy('id'),
    );
    await withKysely(async (db) => {
      const { insert } = statements();
      await insert(db, { ...ANNA, name: 'acct_2' });
      await insert(db, BEN);
      assert.deepEqual(await either(db, { text: 'acct_2' }), [{ id: 'acct_1' }, { id: 'acct_2' }]);
      assert.deepEqual(await either(db, { text: 'ben' }), [{ id: 'acct_2' }]);
    });
  });

  it('never interprets a value as SQL', async () => {
    await withKysely(async (db) => {
      const { insert, find } = statements();
      const name = `'); drop table accounts; --`;
      await insert(db, { ...ANNA, name });
      assert.equal((await find(db, ANNA))[0]?.name, name);
      assert.deepEqual(await find(db, { id: "acct_1' or '1'='1" }), []);
    });
  });

  it('runs inside and outside a transaction, without being rebuilt', async () => {
    await withKysely(async (db) => {
      const { insert, find, built } = statements();
      await insert(db, ANNA);
      const broken = db.transaction().execute(async (transaction) => {
        await insert(transaction, BEN);
        assert.equal((await find(transaction, BEN)).length, 1);
        throw new RangeError('half way');
      });
      await assert.rejects(broken, RangeError);
      assert.deepEqual(await find(db, BEN), []);
      await db.transaction().execute((transaction) => insert(transaction, BEN));
      assert.equal((await find(db, BEN)).length, 1);
      assert.deepEqual(built, { insert: 1, find: 1 });
    });
  });

  it('can be built inside a transaction and used after it', async () => {
    await withKysely(async (db) => {
      const { insert, find } = statements();
      await db.transaction().execute((transaction) => insert(transaction, ANNA));
      await insert(db, BEN);
      assert.equal((await find(db, BEN)).length, 1);
    });
  });

  it('works on the database it is called with', async () => {
    const { insert, find } = statements();
    const names = async (db: Kysely<Tables>) => (await find(db, ANNA)).map(({ name }) => name);
    await withKysely(async (one) => {
      await withKysely(async (other) => {
        await insert(one, ANNA);
        await insert(other, { ...ANNA, name: 'other' });
        assert.deepEqual([await names(one), await names(other)], [['anna'], ['other']]);
      });
    });
  });
});
