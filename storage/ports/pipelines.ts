import type { PipelineVersion, SavedPipeline } from '../records/pipelines.ts';

/** The account and the name of a pipeline. */
export type PipelineId = Pick<PipelineVersion, 'accountId' | 'name'>;

/** The content of a version. */
export type PipelineContent = Pick<PipelineVersion, 'description' | 'outputName' | 'steps' | 'outputs'>;

export interface Pipelines {
  /**
   * Saves a pipeline under a name as a new version, unless its latest version is the same. Concurrent calls each create
   * a version.
   * @param savedAt the present time, as stored in the tables
   * @returns the stored version, and whether it is new
   */
  save(id: PipelineId, content: PipelineContent, savedAt: string): Promise<{ pipeline: SavedPipeline; isNew: boolean }>;
  /**
   * Finds a version of a pipeline.
   * @param version default: the latest
   * @returns undefined when the account does not have such a version
   */
  find(id: PipelineId, version?: number): Promise<SavedPipeline | undefined>;
  /** The names under which an account has saved pipelines, sorted. */
  names(accountId: string): Promise<string[]>;
  /** The number of names under which an account has saved pipelines. */
  countNames(accountId: string): Promise<number>;
  /** Deletes all versions; returns their number. */
  delete(id: PipelineId): Promise<number>;
}
