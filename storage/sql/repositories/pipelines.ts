import type { PipelineContent, PipelineId, Pipelines } from '../../ports/pipelines.ts';
import { MAX_VERSIONS, type SavedPipeline } from '../../records/pipelines.ts';
import { Repository } from '../repository.ts';

export class SqlPipelines extends Repository implements Pipelines {
  async save(
    id: PipelineId,
    content: PipelineContent,
    savedAt: string,
  ): Promise<{ pipeline: SavedPipeline; isNew: boolean }> {
    for (;;) {
      const latest = await this.find(id);
      if (latest && isSameContent(latest, content)) return { pipeline: latest, isNew: false };
      const version = (latest?.version ?? 0) + 1;
      const row = await this.db
        .insertInto('pipelines')
        .values({ ...id, ...content, version, createdAt: latest?.createdAt ?? savedAt, updatedAt: savedAt })
        .onConflict((conflict) => conflict.columns(['accountId', 'name', 'version']).doNothing())
        .returning('version')
        .executeTakeFirst();
      // No row: another request has created this version.
      if (!row) continue;
      await this.db
        .deleteFrom('pipelines')
        .where('accountId', '=', id.accountId)
        .where('name', '=', id.name)
        .where('version', '<=', version - MAX_VERSIONS)
        .execute();
      const pipeline = await this.find(id, version);
      // Undefined when all versions under this name have just been deleted, including this one. Then it is saved again.
      if (pipeline) return { pipeline, isNew: true };
    }
  }

  async find({ accountId, name }: PipelineId, version?: number): Promise<SavedPipeline | undefined> {
    const own = this.db
      .selectFrom('pipelines')
      .selectAll()
      .select(({ selectFrom }) =>
        selectFrom('pipelines as each')
          .select(({ fn }) => fn.countAll<number>().as('versions'))
          .whereRef('each.accountId', '=', 'pipelines.accountId')
          .whereRef('each.name', '=', 'pipelines.name')
          .$asScalar()
          .$notNull()
          .as('versions'),
      )
      .where('accountId', '=', accountId)
      .where('name', '=', name)
      .orderBy('version', 'desc')
      .limit(1);
    return await (version === undefined ? own : own.where('version', '=', version)).executeTakeFirst();
  }

  async names(accountId: string): Promise<string[]> {
    const rows = await this.db
      .selectFrom('pipelines')
      .select('name')
      .distinct()
      .where('accountId', '=', accountId)
      .orderBy('name')
      .execute();
    return rows.map(({ name }) => name);
  }

  async countNames(accountId: string): Promise<number> {
    const { names } = await this.db
      .selectFrom('pipelines')
      .select(({ fn }) => fn.count<number>('name').distinct().as('names'))
      .where('accountId', '=', accountId)
      .executeTakeFirstOrThrow();
    return names;
  }

  async delete({ accountId, name }: PipelineId): Promise<number> {
    const { numDeletedRows } = await this.db
      .deleteFrom('pipelines')
      .where('accountId', '=', accountId)
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  }
}

const isSameContent = (one: PipelineContent, other: PipelineContent): boolean =>
  one.steps === other.steps &&
  one.outputs === other.outputs &&
  one.description === other.description &&
  one.outputName === other.outputName;
