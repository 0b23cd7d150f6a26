/** Finds the pipeline of a request: one in the request, a saved one or a template. */

import { z } from 'zod';
import { conflictingParameters } from '../../engine/operations/errors.ts';
import { invalidValue } from '../../engine/pipeline/errors.ts';
import { type Pipeline, parsePipeline, parsePipelineOrText } from '../../engine/pipeline/parse.ts';
import type { Account } from '../../storage/records/accounts.ts';
import type { PipelineIdentity } from '../results/step-report.ts';
import { pipelineNotFound } from './errors.ts';
import type { PipelineServices } from './services.ts';
import { contentOf } from './stored-content.ts';
import { TEMPLATES_BY_NAME } from './templates.ts';

export const pipelineVersion = z
  .int()
  .min(1)
  .max(1_000_000)
  .meta({ description: 'Version of the saved pipeline; default the latest.', examples: [2] });

export interface PipelineRequest {
  /** A JSON value, or JSON text. */
  pipeline?: unknown;
  preset?: string | undefined;
  version?: number | undefined;
}

export type ResolvedPipeline = Pipeline & PipelineIdentity;

/**
 * Finds and parses the pipeline of a request.
 * @throws Failure 400 `conflicting_parameters` or `invalid_pipeline`,
 *   also if there is no pipeline; 404 `preset_not_found`
 */
export async function resolvePipeline(
  { database }: Pick<PipelineServices, 'database'>,
  { id: accountId }: Pick<Account, 'id'>,
  { pipeline, preset, version }: PipelineRequest,
): Promise<ResolvedPipeline> {
  if (preset !== undefined && pipeline !== undefined)
    throw conflictingParameters('preset', 'Expected preset without pipeline but received both.');
  if (version !== undefined && preset === undefined)
    throw conflictingParameters('version', 'Expected version together with preset but received it alone.');
  if (preset === undefined) {
    if (pipeline === undefined) throw invalidValue('a pipeline, or preset,', 'pipeline', undefined);
    return { ...parsePipelineOrText(pipeline), name: null, version: null };
  }
  const saved = await database.pipelines.find({ accountId, name: preset }, version);
  if (saved) {
    const { description, outputName } = saved;
    const parsed = parsePipeline({ description, output_name: outputName, ...contentOf(saved) });
    return { ...parsed, name: preset, version: saved.version };
  }
  const template = version === undefined ? TEMPLATES_BY_NAME.get(preset) : undefined;
  if (!template) throw pipelineNotFound('preset', preset, version);
  return { ...template, version: null };
}
