import type { Kysely, Selectable } from 'kysely';
import type { PipelineTable, Tables } from '../schema.ts';

/** One version of a saved pipeline, with the number of versions stored under its name. */
export interface SavedPipeline extends Selectable<PipelineTable> {
  versions: number;
}

/** The account and the name of a pipeline. */
export type PipelineId = Pick<PipelineTable, 'accountId' | 'name'>;
/** The content of a version. */
export type PipelineContent = Pick<PipelineTable, 'description' | 'outputName' | 'steps'>;

/** Maximum number of versions of one name. Beyond it, the oldest is deleted (docs/spec/shapes.md, section 9.6). */
export const MAX_VERSIONS = 100;

export class Pipelines {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /**
   * Saves a pipeline under a name as a new version, unless its latest version is the same. Concurrent calls each create
   * a version.
   * @param savedAt the present time, as stored in the tables
   * @returns the stored version, and whether it is new
   */
  async save(
    id: PipelineId,
    content: PipelineContent,
    savedAt: string,
  ): Promise<{ pipeline: SavedPipeline; isNew: boolean }> {
    for (;;) {
      const latest = await this.find(id);
      if (latest && isSameContent(latest, content)) return { pipeline: latest, isNew: false };
      const version = (latest?.version ?? 0) + 1;
      const row = await this.#db
        .insertInto('pipelines')
        .values({ ...id, ...content, version, createdAt: latest?.createdAt ?? savedAt, updatedAt: savedAt })
        .onConflict((conflict) => conflict.columns(['accountId', 'name', 'version']).doNothing())
        .returning('version')
        .executeTakeFirst();
      // No row: another request has created this version.
      if (!row) continue;
      await this.#db
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

  /**
   * Finds a version of a pipeline.
   * @param version default: the latest
   * @returns undefined when the account does not have such a version
   */
  async find({ accountId, name }: PipelineId, version?: number): Promise<SavedPipeline | undefined> {
    const own = this.#db
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

  /** The names under which an account has saved pipelines, sorted. */
  async names(accountId: string): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('pipelines')
      .select('name')
      .distinct()
      .where('accountId', '=', accountId)
      .orderBy('name')
      .execute();
    return rows.map(({ name }) => name);
  }

  /** The number of names under which an account has saved pipelines. */
  async countNames(accountId: string): Promise<number> {
    const { names } = await this.#db
      .selectFrom('pipelines')
      .select(({ fn }) => fn.count<number>('name').distinct().as('names'))
      .where('accountId', '=', accountId)
      .executeTakeFirstOrThrow();
    return names;
  }

  /** Deletes all versions; returns their number. */
  async delete({ accountId, name }: PipelineId): Promise<number> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('pipelines')
      .where('accountId', '=', accountId)
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  }
}

function isSameContent(one: PipelineContent, other: PipelineContent): boolean {
  return one.steps === other.steps && one.description === other.description && one.outputName === other.outputName;
}
