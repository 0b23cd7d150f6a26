/** What each command does to one image. Files, folders and output are handled elsewhere. */
import { z } from 'zod';
import type { FormatId } from '../../codecs/formats/registry.ts';
import type { Engine, RunOptions } from '../../engine/engine.ts';
import { sourceStem } from '../../engine/file-name.ts';
import type {
  Allowance,
  AuxiliaryImageName,
  AuxiliaryImages,
  OperationResult,
  RecordResult,
  ZipOutput,
  ZipResult,
} from '../../engine/operations/definition.ts';
import { type SourceParams, sourceParams } from '../../engine/operations/parameters.ts';
import { fieldValues, type Operation, operationInput } from '../../engine/operations/registry.ts';
import type { ImageResult, Outcome, Warning } from '../../engine/result.ts';
import type { SourceFile } from '../../engine/source-file.ts';
import { needsModel } from '../../engine/task-requirements.ts';
import { timedTask } from '../../engine/timed-task.ts';
import { PRO_FEATURES } from '../../server/account/plans.ts';
import { describeZip } from '../../server/images/zip-response.ts';
import { describeResult, type Facts } from '../../server/results/stored-result.ts';
import { ZIP_OUTCOME } from '../../server/results/zip.ts';
import { targetFilename } from './targets.ts';

/** A new file. */
export interface FileOutput {
  data: ArrayBuffer;
  /**
   * @param source name of the source, if it has one
   * @param alone whether it is the only source
   */
  filename(source: string | undefined, alone: boolean): string;
  sourceBytes: number;
  sourceFormat: FormatId;
  /** Undefined for an archive of several files. */
  format: FormatId | undefined;
  outcome: Outcome;
  warnings: readonly Warning[];
  durationMs: number;
  /** The JSON record that the API returns for a result, without its URL and the account's data. */
  describe(filename: string, sha256: string): object;
}

/** The record of an image, for commands that write no file. */
export interface RecordOutput {
  record: object;
  /** The record as lines of text for people. */
  text: string;
}

export type Output = FileOutput | RecordOutput;

/** What a run would do to an image. */
export interface Prediction extends RecordOutput {
  /** File name of the result; null if it is not known yet. */
  filename: string | null;
  /** Undefined for an archive of several files. */
  format: FormatId | undefined;
}

/** A command whose options were parsed. */
export interface Work {
  /** Format of all results. Undefined if it depends on each source. */
  format: FormatId | undefined;
  /** Whether a model runs on every image. Its pool has its own threads. */
  model: boolean;
  /** @param index of the source, from 1 */
  run(engine: Engine, image: SourceFile, index: number, options: RunOptions): Promise<Output>;
  /** Predicts what `run` would do, for commands that can tell without doing it. */
  plan?(engine: Engine, image: SourceFile, index: number, options: RunOptions): Promise<Prediction>;
}

export interface ImageCommand {
  name: string;
  summary: string;
  description: string;
  /** All its parameters. */
  params: z.ZodObject;
  /** Further images that it accepts, with their descriptions. */
  auxiliaryImages: Partial<Record<AuxiliaryImageName, string>>;
  /** Whether the command writes new files or prints records. */
  answers: 'files' | 'records';
  /** Whether a smaller result may replace its source. */
  canReplace: boolean;
  /** Formats that cannot be requested as output; a result has one of them only if its source does. */
  kept?: readonly FormatId[];
  /** Example arguments for the help. */
  examples: readonly string[];
  /** Text at the end of the help. */
  note?: string;
  /**
   * @param params values of the declared parameters
   * @param auxiliaryImages returns new copies for each image, because their buffers are transferred
   * @throws Failure if the values conflict
   */
  prepare(params: object, auxiliaryImages: () => AuxiliaryImages, allowance: Allowance): Work | Promise<Work>;
}

/** No plan applies on the command line: only the engine's limits do. */
export const allowanceOf = ({ maxPixels }: { maxPixels: number }): Allowance => ({
  features: [...PRO_FEATURES],
  upscale_pixels: maxPixels,
});

/** The command of an operation. */
export function operationCommand(operation: Operation): ImageCommand {
  const { name, summary, description, output, auxiliaryImages = {}, commandExamples, commandNote } = operation;
  return {
    name,
    summary,
    description,
    params: z.strictObject({ ...sourceParams.shape, ...operation.params.shape }),
    auxiliaryImages,
    answers: output.kind === 'record' ? 'records' : 'files',
    kept: output.kind === 'image' ? (output.kept ?? []) : [],
    canReplace: operation.canReplaceSource ?? false,
    examples: commandExamples,
    ...(commandNote === undefined ? {} : { note: commandNote }),
    prepare(given, auxiliaryImagesOf, allowance) {
      const params = given as SourceParams;
      operation.check?.(params);
      const input = (image: SourceFile) => operationInput(operation, image, params, auxiliaryImagesOf(), allowance);
      // Refuses conflicting values before any file is read.
      const model = needsModel(name, input({ data: new ArrayBuffer(0) }));
      return {
        format: formatIn(params),
        model,
        async run(engine, image, _index, options) {
          const { result, durationMs } = await timedTask(engine, name, input(image), options);
          return outputOf(operation, result, durationMs);
        },
      };
    },
  };
}

function outputOf(operation: Operation, result: OperationResult, durationMs: number): Output {
  const { output } = operation;
  switch (output.kind) {
    case 'image': {
      const image = result as ImageResult;
      return imageOutput(image, durationMs, fieldValues(operation, image));
    }
    case 'zip':
      return zipOutput(output, result as ZipResult, durationMs);
    case 'record': {
      const { record } = result as RecordResult;
      return {
        record: { ...record, duration_ms: Math.round(durationMs) },
        text: output.toText(record as never),
      };
    }
  }
}

function zipOutput(zip: ZipOutput, result: ZipResult, durationMs: number): FileOutput {
  return archiveOutput(result, durationMs, {
    filename: (name, alone) => (alone ? zip.filename : `${sourceStem(name)}-${zip.filename}`),
    describe: () => describeZip(zip, result, durationMs),
  });
}

/** A ZIP of several files. */
export const archiveOutput = (
  { data, source, warnings }: Pick<ZipResult, 'data' | 'source' | 'warnings'>,
  durationMs: number,
  own: Pick<FileOutput, 'filename' | 'describe'>,
): FileOutput => ({
  ...{ data, sourceBytes: source.bytes, sourceFormat: source.format, format: undefined },
  ...{ outcome: ZIP_OUTCOME, warnings, durationMs },
  ...own,
});

function formatIn(params: object): FormatId | undefined {
  const format = 'format' in params ? params.format : undefined;
  return format === undefined || format === 'auto' ? undefined : (format as FormatId);
}

/** Fields of a result that belong to an account. The command line has no account. */
export const NO_ACCOUNT = { meter: 'requests', testMode: false, sourceName: undefined } as const;

/** A record without the fields of {@link NO_ACCOUNT}. */
export const withoutAccount = ({ quota_meter: _meter, test_mode: _mode, ...said }: AccountFields): object => said;

interface AccountFields {
  quota_meter: unknown;
  test_mode: unknown;
}

export function imageOutput(
  result: ImageResult,
  durationMs: number,
  facts: Facts = {},
  {
    filename,
    pipeline,
  }: Partial<Pick<FileOutput, 'filename'>> & Pick<Parameters<typeof describeResult>[0], 'pipeline'> = {},
): FileOutput {
  const { data, format, outcome, warnings, source } = result;
  return {
    data,
    filename: filename ?? ((name) => targetFilename(name, result)),
    sourceBytes: source.bytes,
    sourceFormat: source.format,
    format,
    outcome,
    warnings,
    durationMs,
    describe: (name, sha256) =>
      withoutAccount(
        describeResult(
          { result, durationMs, facts, ...NO_ACCOUNT, ...(pipeline === undefined ? {} : { pipeline }) },
          name,
          sha256,
        ),
      ),
  };
}
