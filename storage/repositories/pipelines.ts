import type { Kysely, Selectable } from 'kysely';
import type { PipelineTable, Tables } from '../schema.ts';

/** One version of a saved pipeline, with the number of versions that are kept under its name. */
export interface SavedPipeline extends Selectable<PipelineTable> {
  versions: number;
}

/** Whose pipeline, and its name. */
export type PipelineId = Pick<PipelineTable, 'accountId' | 'name'>;
/** What a version says. */
export type PipelineContent = Pick<PipelineTable, 'description' | 'outputName' | 'steps'>;

/** Most versions of one name; then the oldest is dropped (spec/shapes.md, section 9.6). */
export const MOST_VERSIONS = 100;

export class Pipelines {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /**
   * Saves a pipeline under a name: as a new version, unless the latest says the same. Of several that come at once each
   * becomes a version.
   * @param savedAt the moment, as the tables hold it
   * @returns what the name holds now, and whether that is new
   */
  async save(
    id: PipelineId,
    content: PipelineContent,
    savedAt: string,
  ): Promise<{ pipeline: SavedPipeline; isNew: boolean }> {
    for (;;) {
      const latest = await this.find(id);
      if (latest && saysTheSame(latest, content)) return { pipeline: latest, isNew: false };
      const version = (latest?.version ?? 0) + 1;
      const row = await this.#db
        .insertInto('pipelines')
        .values({ ...id, ...content, version, createdAt: latest?.createdAt ?? savedAt, updatedAt: savedAt })
        .onConflict((conflict) => conflict.columns(['accountId', 'name', 'version']).doNothing())
        .returning('version')
        .executeTakeFirst();
      // None where another request has made this version.
      if (!row) continue;
      await this.#db
        .deleteFrom('pipelines')
        .where('accountId', '=', id.accountId)
        .where('name', '=', id.name)
        .where('version', '<=', version - MOST_VERSIONS)
        .execute();
      const pipeline = await this.find(id, version);
      // None where everything under this name has just been deleted, this version too: then it is saved anew.
      if (pipeline) return { pipeline, isNew: true };
    }
  }

  /**
   * @param version the latest, unless it is given
   * @returns undefined when the account has no such pipeline, or no longer
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

  /** The names that an account has saved pipelines under, in their order. */
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

  /** How many names an account has saved pipelines under. */
  async countNames(accountId: string): Promise<number> {
    const { names } = await this.#db
      .selectFrom('pipelines')
      .select(({ fn }) => fn.count<number>('name').distinct().as('names'))
      .where('accountId', '=', accountId)
      .executeTakeFirstOrThrow();
    return names;
  }

  /** Deletes every version; returns how many there were. */
  async delete({ accountId, name }: PipelineId): Promise<number> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('pipelines')
      .where('accountId', '=', accountId)
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  }
}

function saysTheSame(one: PipelineContent, other: PipelineContent): boolean {
  return one.steps === other.steps && one.description === other.description && one.outputName === other.outputName;
}
