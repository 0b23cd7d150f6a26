/** One version of a saved pipeline. */
export interface PipelineVersion {
  accountId: string;
  name: string;
  version: number;
  description: string | null;
  outputName: string | null;
  /** JSON, as it was sent. */
  steps: string;
  /** JSON; null for one result. */
  outputs: string | null;
  /** Creation time of the first version. */
  createdAt: string;
  /** Creation time of this version. */
  updatedAt: string;
}

/** One version of a saved pipeline, with the number of versions stored under its name. */
export interface SavedPipeline extends PipelineVersion {
  versions: number;
}

/** Maximum number of versions of one name. Beyond it, the oldest is deleted (docs/spec/shapes.md, section 9.6). */
export const MAX_VERSIONS = 100;
