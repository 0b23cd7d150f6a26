import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { timestamp } from '../../../../base/timestamp.ts';
import type { Database } from '../../../../storage/ports/database.ts';
import type { PipelineContent } from '../../../../storage/ports/pipelines.ts';
import { onEachDatabase } from '../../../support/database.ts';
import { verifies } from '../../../support/verifies.ts';

const NOW = Date.UTC(2026, 10, 21, 5, 20);
/** Returns the timestamp that many minutes after NOW. */
const after = (minutes: number) => timestamp(NOW + minutes * 60_000);

const content = (width: number, changes: Partial<PipelineContent> = {}): PipelineContent => ({
  description: null,
  outputName: null,
  outputs: null,
  steps: JSON.stringify([{ op: 'resize', params: { width } }]),
  ...changes,
});

interface Accounts {
  database: Database;
  /** Opens the database once more. */
  open(): Promise<Database>;
  /** Id of the first account. */
  anna: string;
  /** Id of the second account. */
  ben: string;
}

onEachDatabase((withDatabase) => {
  const withAccounts = (work: (accounts: Accounts) => Promise<void>) =>
    withDatabase(async (database, open) => {
      const anna = await database.accounts.create({ name: 'anna', email: null, plan: 'pro' });
      const ben = await database.accounts.create({ name: 'ben', email: null, plan: 'pro' });
      await work({ database, open, anna: anna.id, ben: ben.id });
    });

  describe('saved pipelines', () => {
    it('get a new version for each change, and none when nothing changed', async () => {
      verifies('pipelines.save.new-version');
      await withAccounts(async ({ database: { pipelines }, anna }) => {
        const id = { accountId: anna, name: 'shop' };
        const saved = [];
        for (const [minutes, each] of [
          content(100),
          content(100),
          content(200),
          content(200, { description: 'Small' }),
          content(200, { description: 'Small', outputName: '{name}.{ext}' }),
          content(200, { description: 'Small', outputName: '{name}.{ext}' }),
          // Saving the content of an older version is a change.
          content(100),
        ].entries()) {
          const { pipeline, isNew } = await pipelines.save(id, each, after(minutes));
          saved.push([isNew, pipeline.version, pipeline.versions]);
          assert.deepEqual({ ...content(0), ...each }, pick(pipeline), `${minutes}`);
          assert.equal(pipeline.createdAt, after(0));
        }
        assert.deepEqual(saved, [
          [true, 1, 1],
          [false, 1, 1],
          [true, 2, 2],
          [true, 3, 3],
          [true, 4, 4],
          [false, 4, 4],
          [true, 5, 5],
        ]);
        const times = [];
        for (const version of [1, 2, 3, 4, 5]) times.push((await pipelines.find(id, version))?.updatedAt);
        assert.deepEqual(times, [after(0), after(2), after(3), after(4), after(6)]);
      });
    });

    it('are found by name and version, separately for each account', async () => {
      await withAccounts(async ({ database: { pipelines }, anna, ben }) => {
        const id = { accountId: anna, name: 'shop' };
        await pipelines.save(id, content(100), after(0));
        await pipelines.save(id, content(200), after(1));
        await pipelines.save({ ...id, accountId: ben }, content(300), after(2));
        assert.equal((await pipelines.find(id))?.steps, content(200).steps);
        assert.equal((await pipelines.find(id, 1))?.steps, content(100).steps);
        assert.equal((await pipelines.find(id, 1))?.versions, 2);
        assert.equal(await pipelines.find(id, 3), undefined);
        assert.equal(await pipelines.find(id, 0), undefined);
        assert.equal(await pipelines.find({ ...id, name: 'Shop' }), undefined);
        const other = await pipelines.find({ ...id, accountId: ben });
        assert.deepEqual([other?.steps, other?.version, other?.versions], [content(300).steps, 1, 1]);
      });
    });

    it('are listed by name, each once', async () => {
      await withAccounts(async ({ database: { pipelines }, anna, ben }) => {
        for (const [name, widths] of Object.entries({ web: [1, 2, 3], Archive: [4], 'a b': [5, 6] }))
          for (const width of widths) await pipelines.save({ accountId: anna, name }, content(width), after(width));
        await pipelines.save({ accountId: ben, name: 'web' }, content(9), after(9));
        assert.deepEqual(await pipelines.names(anna), ['Archive', 'a b', 'web']);
        assert.deepEqual([await pipelines.countNames(anna), await pipelines.countNames(ben)], [3, 1]);
        assert.deepEqual(await pipelines.names('acct_none'), []);
        assert.equal(await pipelines.countNames('acct_none'), 0);
      });
    });

    it('keep 100 versions, and delete the oldest first', async () => {
      await withAccounts(async ({ database: { pipelines }, anna, ben }) => {
        const id = { accountId: anna, name: 'shop' };
        await pipelines.save({ ...id, name: 'other' }, content(1), after(0));
        await pipelines.save({ ...id, accountId: ben }, content(1), after(0));
        for (let width = 1; width <= 100; width += 1) await pipelines.save(id, content(width), after(width));
        assert.deepEqual([(await pipelines.find(id, 1))?.versions, (await pipelines.find(id))?.version], [100, 100]);
        const { pipeline } = await pipelines.save(id, content(101), after(101));
        assert.deepEqual([pipeline.version, pipeline.versions, pipeline.createdAt], [101, 100, after(1)]);
        assert.equal(await pipelines.find(id, 1), undefined);
        assert.equal((await pipelines.find(id, 2))?.steps, content(2).steps);
        assert.ok(await pipelines.find({ ...id, name: 'other' }, 1));
        assert.ok(await pipelines.find({ ...id, accountId: ben }, 1));
      });
    });

    it('are deleted with all versions, and begin again at version 1', async () => {
      await withAccounts(async ({ database: { pipelines }, anna, ben }) => {
        const id = { accountId: anna, name: 'shop' };
        for (const width of [1, 2, 3]) await pipelines.save(id, content(width), after(width));
        await pipelines.save({ ...id, name: 'other' }, content(1), after(1));
        await pipelines.save({ ...id, accountId: ben }, content(1), after(1));
        assert.equal(await pipelines.delete(id), 3);
        assert.equal(await pipelines.delete(id), 0);
        assert.equal(await pipelines.find(id), undefined);
        assert.equal((await pipelines.names(anna)).length, 1);
        assert.equal((await pipelines.names(ben)).length, 1);
        const { pipeline } = await pipelines.save(id, content(3), after(9));
        assert.deepEqual([pipeline.version, pipeline.createdAt], [1, after(9)]);
      });
    });

    it('are all stored when several are saved at once, over two connections', async () => {
      await withAccounts(async ({ database, open, anna }) => {
        const other = await open();
        try {
          const id = { accountId: anna, name: 'shop' };
          const widths = Array.from({ length: 40 }, (_, index) => index + 1);
          const answers = await Promise.all(
            widths.map((width) => (width % 2 ? database : other).pipelines.save(id, content(width), after(width))),
          );
          const versions = answers.map(({ pipeline }) => pipeline.version).sort((one, next) => one - next);
          assert.deepEqual(versions, widths);
          for (const { pipeline, isNew } of answers) {
            assert.ok(isNew);
            assert.equal((await database.pipelines.find(id, pipeline.version))?.steps, pipeline.steps);
          }
          const same = await Promise.all(widths.map(() => database.pipelines.save(id, content(1000), after(100))));
          assert.deepEqual(new Set(same.map(({ pipeline }) => pipeline.version)), new Set([41]));
          assert.equal(same.filter(({ isNew }) => isNew).length, 1);
        } finally {
          await other.close();
        }
      });
    });

    it('are committed with the rest of a transaction, or not at all', async () => {
      await withAccounts(async ({ database, anna }) => {
        const id = { accountId: anna, name: 'shop' };
        await assert.rejects(
          database.transaction(async ({ pipelines }) => {
            await pipelines.save(id, content(1), after(0));
            throw new RangeError('broken');
          }),
          RangeError,
        );
        assert.equal(await database.pipelines.find(id), undefined);
      });
    });
  });
});

function pick({ description, outputName, steps, outputs }: PipelineContent): PipelineContent {
  return { description, outputName, steps, outputs };
}
