/** What an operation on one image is, whoever asks for it: a request, the command line, an agent. */
import type { z } from 'zod';
import type { ErrorCode } from '../../base/failure.ts';
import type { FormatId } from '../../codecs/formats.ts';
import type { SourceParams } from '../../engine/operations/parameters.ts';
import type { SourceFile } from '../../engine/source-file.ts';
import type { Lane, TaskInput, TaskName } from '../../engine/task.ts';
import type { Cost } from '../account/credits.ts';
import type { Plan, ProFeature } from '../account/plans.ts';

/** A further image that an operation may take. */
export type CompanionName = Extract<ProFeature, `${string}_image`> | 'mask';
export type Companions = Partial<Record<CompanionName, SourceFile>>;

/** What whoever asks may have of an operation. */
export type Allowance = Pick<Plan, 'features' | 'upscale_pixels'>;

/** Of the task N with parameters of its own P. */
export interface OperationDeclaration<N extends TaskName, P extends z.ZodObject> {
  task: N;
  path: `/api/v1/${string}`;
  summary: string;
  description: string;
  /** Formats that it does not write on request, and leaves to sources that are of them. */
  kept?: readonly FormatId[];
  /** Its own parameters; those of the source join them. */
  params: P;
  /** Checks what a declaration of single parameters cannot say. */
  check?(params: z.output<P>): void;
  /** Further images that it may take, with their meaning. */
  companions?: Partial<Record<CompanionName, string>> | undefined;
  /** Codes of the failures of its own. */
  errors: readonly ErrorCode[];
  lane: Lane;
  /** What one request costs; what costs AI credits needs the scope `ai`. */
  cost: Cost | ((params: z.output<P>) => Cost);
  toInput(
    image: SourceFile,
    params: z.output<P> & SourceParams,
    companions: Companions,
    allowance: Allowance,
  ): TaskInput<N>;
}
