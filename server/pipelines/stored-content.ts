/** The part of a pipeline that tables hold as text. */
import type { Outputs } from '../../engine/pipeline/outputs.ts';
import type { Pipeline, StoredStep } from '../../engine/pipeline/parse.ts';

/** A pipeline in the columns of a table. */
interface StoredPipeline {
  steps: string;
  outputs: string | null;
}

/** What is stored of a pipeline, so that a job keeps its own copy. */
export const storedContent = ({ sent, outputs }: Pick<Pipeline, 'sent' | 'outputs'>): StoredPipeline => ({
  steps: JSON.stringify(sent),
  outputs: outputs && JSON.stringify(outputs),
});

/** The inverse of {@link storedContent}. What is stored was checked before. */
export const contentOf = ({ steps, outputs }: StoredPipeline): { steps: StoredStep[]; outputs: Outputs | null } => ({
  steps: JSON.parse(steps),
  outputs: outputs && JSON.parse(outputs),
});
