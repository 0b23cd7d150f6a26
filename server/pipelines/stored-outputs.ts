/** The record of several results of a pipeline, each stored by itself (docs/spec/shapes.md, section 9.8). */
import { z } from 'zod';
import type { OutputFile, OutputsResult } from '../../engine/pipeline/record.ts';
import { type Destinations, storeResult } from '../results/output.ts';
import {
  describeFile,
  describeMeasurements,
  describePipeline,
  describeRequest,
  describeSource,
  type FinishedResult,
  storedResult,
} from '../results/stored-result.ts';

const { shape } = storedResult;

const storedOutput = storedResult
  .pick({
    ...{ id: true, url: true, expires_at: true, filename: true, content_type: true, format: true, bytes: true },
    ...{ width: true, height: true, dpi: true, sha256: true, outcome: true, warnings: true, similarity: true },
    explain: true,
  })
  .meta({ id: 'StoredOutput' });
type StoredOutput = z.output<typeof storedOutput>;

export const storedOutputs = z
  .object({
    outputs: z.array(storedOutput).meta({ description: 'Narrow ones first; each width in the order of the formats.' }),
    markup: z.string().meta({
      description: 'The element that shows them on a page, with their filenames as addresses.',
      examples: ['<picture>…</picture>'],
    }),
    bytes: shape.bytes.meta({ description: 'Size of all results.', examples: [412_345] }),
    ...storedResult.pick({
      ...{ original_bytes: true, original_format: true, original_width: true, original_height: true },
      ...{ warnings: true, duration_ms: true, quota_meter: true, test_mode: true, fingerprint: true },
    }).shape,
    pipeline: shape.pipeline.unwrap(),
    steps: shape.steps.unwrap(),
  })
  .meta({ id: 'StoredOutputs' });
export type StoredOutputs = z.output<typeof storedOutputs>;

export interface FinishedOutputs
  extends Pick<FinishedResult, 'durationMs' | 'meter' | 'testMode'>,
    Required<Pick<FinishedResult, 'pipeline'>> {
  result: OutputsResult;
}

/** Returns the fields that do not depend on where the results are. */
export const describeOutputs = ({ result, pipeline, ...request }: FinishedOutputs) => ({
  markup: result.markup,
  bytes: bytesOf(result),
  ...describeSource(result.source),
  warnings: result.warnings,
  ...describeRequest(request),
  ...(result.fingerprint === undefined ? {} : { fingerprint: result.fingerprint }),
  ...describePipeline(pipeline),
});

export const describeOutput = ({ filename, ...output }: OutputFile) => ({
  ...describeFile(output, filename),
  outcome: output.outcome,
  warnings: output.warnings,
  ...describeMeasurements(output),
});

/** The bytes of all results. */
export const bytesOf = ({ outputs }: Pick<OutputsResult, 'outputs'>): number =>
  outputs.reduce((sum, { bytes }) => sum + bytes, 0);

/**
 * Stores every result for one hour, or none.
 * @throws Failure `storage_full`
 */
export async function storeOutputs(
  accountId: string,
  finished: FinishedOutputs,
  destinations: Pick<Destinations, 'results' | 'baseUrl'>,
): Promise<StoredOutputs> {
  const outputs: StoredOutput[] = [];
  try {
    for (const output of finished.result.outputs) outputs.push(await storeOutput(accountId, output, destinations));
  } catch (error) {
    for (const { id } of outputs) await destinations.results.delete(accountId, id);
    throw error;
  }
  return { outputs, ...describeOutputs(finished) };
}

async function storeOutput(
  accountId: string,
  output: OutputFile,
  destinations: Pick<Destinations, 'results' | 'baseUrl'>,
): Promise<StoredOutput> {
  const { format, width, height } = output;
  const described = describeOutput(output);
  const { filename, content_type: contentType } = described;
  const file = { data: output.data!, filename, contentType, format, width, height };
  const { link, sha256 } = await storeResult(accountId, file, destinations);
  return { ...link, ...described, sha256 };
}
