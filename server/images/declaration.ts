/** The declaration of an operation on one image, for the REST API, the command line and MCP agents. */
import type { z } from 'zod';
import type { ErrorCode } from '../../base/failure.ts';
import type { FormatId } from '../../codecs/formats/registry.ts';
import type { SourceParams } from '../../engine/operations/parameters.ts';
import type { SourceFile } from '../../engine/source-file.ts';
import type { Lane, TaskInput, TaskName } from '../../engine/task.ts';
import type { Cost } from '../account/credits.ts';
import type { Plan, ProFeature } from '../account/plans.ts';

/** A further image that an operation accepts. */
export type AuxiliaryImageName = Extract<ProFeature, `${string}_image`> | 'mask';
export type AuxiliaryImages = Partial<Record<AuxiliaryImageName, SourceFile>>;

/** The parts of a plan that limit an operation. */
export type Allowance = Pick<Plan, 'features' | 'upscale_pixels'>;

/** @typeParam N task; P its own parameters */
export interface OperationDeclaration<N extends TaskName, P extends z.ZodObject> {
  task: N;
  path: `/api/v1/${string}`;
  summary: string;
  description: string;
  /** Formats that cannot be requested. The result has such a format only if the source does. */
  kept?: readonly FormatId[];
  /** Its own parameters. The parameters of the source are added to them. */
  params: P;
  /** Checks rules that involve several parameters. */
  check?(params: z.output<P>): void;
  /** Further images that the operation accepts, with their descriptions. */
  companions?: Partial<Record<AuxiliaryImageName, string>> | undefined;
  /** Error codes of this operation in addition to the common ones. */
  errors: readonly ErrorCode[];
  lane: Lane;
  /** Cost of one request. An operation that costs AI credits needs the scope `ai`. */
  cost: Cost | ((params: z.output<P>) => Cost);
  toInput(
    image: SourceFile,
    params: z.output<P> & SourceParams,
    companions: AuxiliaryImages,
    allowance: Allowance,
  ): TaskInput<N>;
}
