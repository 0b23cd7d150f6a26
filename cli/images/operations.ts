/** What each command does to one image. Files, folders and output are handled elsewhere. */
import { z } from 'zod';
import type { FormatId } from '../../codecs/formats/registry.ts';
import type { Engine, RunOptions } from '../../engine/engine.ts';
import { PRESETS } from '../../engine/operations/id-photo/presets.ts';
import { sourceParams } from '../../engine/operations/parameters.ts';
import type { ImageResult, Outcome, Warning } from '../../engine/result.ts';
import type { SourceFile } from '../../engine/source-file.ts';
import type { TaskName, TaskResult } from '../../engine/task.ts';
import { needsModel } from '../../engine/task-requirements.ts';
import { PRO_FEATURES } from '../../server/account/plans.ts';
import type {
  Allowance,
  AuxiliaryImageName,
  AuxiliaryImages,
  OperationDeclaration,
} from '../../server/images/declaration.ts';
import type { ImageOperation, ImageTask } from '../../server/images/operation.ts';
import { timedTask } from '../../server/images/timed-task.ts';
import { sourceStem } from '../../server/results/filename.ts';
import { describeResult, type Facts } from '../../server/results/stored-result.ts';
import { facesText, inspectionText, ocrText } from './format-text.ts';
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
  format: FormatId;
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
  companions: Partial<Record<AuxiliaryImageName, string>>;
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
   * @param companions returns new copies for each image, because their buffers are transferred
   * @throws Failure if the values conflict
   */
  prepare(params: object, companions: () => AuxiliaryImages, allowance: Allowance): Work | Promise<Work>;
}

/** No plan applies on the command line: only the engine's limits do. */
export function allowanceOf({ maxPixels }: { maxPixels: number }): Allowance {
  return { features: [...PRO_FEATURES], upscale_pixels: maxPixels };
}

type ToOutput<N extends TaskName> = (result: TaskResult<N>, durationMs: number) => Output;
type Traits = Pick<ImageCommand, 'examples' | 'note'> & Partial<Pick<ImageCommand, 'canReplace'>>;

/** The command of a declared operation. */
function commandOf<N extends TaskName, P extends z.ZodObject>(
  operation: OperationDeclaration<N, P>,
  answers: ImageCommand['answers'],
  answer: ToOutput<N>,
  { canReplace = false, ...traits }: Traits,
): ImageCommand {
  const { task, summary, description, kept = [], companions = {} } = operation;
  return {
    name: task,
    summary,
    description,
    params: z.strictObject({ ...sourceParams.shape, ...operation.params.shape }),
    companions,
    answers,
    kept,
    canReplace,
    ...traits,
    prepare(given, companionsOf, allowance) {
      const params = given as Parameters<typeof operation.toInput>[1];
      operation.check?.(params);
      const input = (image: SourceFile) => operation.toInput(image, params, companionsOf(), allowance);
      // Refuses conflicting values before any file is read.
      const model = needsModel(task, input({ data: new ArrayBuffer(0) }));
      return {
        format: formatIn(params),
        model,
        async run(engine, image, _index, options) {
          const { result, durationMs } = await timedTask(engine, task, input(image), options);
          return answer(result, durationMs);
        },
      };
    },
  };
}

function formatIn(params: object): FormatId | undefined {
  const format = 'format' in params ? params.format : undefined;
  return format === undefined || format === 'auto' ? undefined : (format as FormatId);
}

function imageCommand<N extends ImageTask, P extends z.ZodObject>(
  operation: ImageOperation<N, P>,
  traits: Traits,
): ImageCommand {
  const answer: ToOutput<N> = (result, durationMs) => imageOutput(result, durationMs, operation.facts?.(result) ?? {});
  return commandOf(operation, 'files', answer, traits);
}

/** Fields of a result that belong to an account. The command line has no account. */
const NO_ACCOUNT = { meter: 'requests', testMode: false, sourceName: undefined } as const;

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
    describe(name, sha256) {
      const {
        quota_meter: _meter,
        test_mode: _mode,
        ...said
      } = describeResult(
        { result, durationMs, facts, ...NO_ACCOUNT, ...(pipeline === undefined ? {} : { pipeline }) },
        name,
        sha256,
      );
      return said;
    },
  };
}

/** Makes a record with its duration and its text. */
function readRecord<R extends object>(text: (record: R) => string) {
  return ({ record }: { record: R }, durationMs: number): RecordOutput => ({
    record: { ...record, duration_ms: Math.round(durationMs) },
    text: text(record),
  });
}

/** Loaders of the commands by name. Each command loads only its own declaration, so that it starts quickly. */
export const OPERATIONS = {
  compress: async () =>
    imageCommand((await import('../../server/images/compress.ts')).compressOperation, {
      canReplace: true,
      examples: ['photo.jpg -o photo.webp --quality 80', 'photos -o small --format webp --max-width 1600'],
    }),
  inspect: async () =>
    commandOf(
      (await import('../../server/images/inspect.ts')).inspectOperation,
      'records',
      readRecord(inspectionText),
      {
        examples: ['photo.jpg', 'photos --json'],
      },
    ),
  'remove-background': async () =>
    imageCommand((await import('../../server/images/remove-background.ts')).removeBackgroundOperation, {
      examples: ['portrait.jpg -o cutout.png', "'shop/*.jpg' -o white --background ffffff --format jpeg"],
    }),
  upscale: async () =>
    imageCommand((await import('../../server/images/upscale.ts')).upscaleOperation, {
      examples: ['small.jpg -o large.jpg'],
    }),
  favicon: async () => {
    const { faviconOperation, describeFaviconZip, FAVICON_ZIP } = await import('../../server/images/favicon.ts');
    const answer: ToOutput<'favicon'> = (result, durationMs) => {
      const { data, source, warnings } = result;
      return {
        data,
        filename: (name, alone) => (alone ? FAVICON_ZIP.filename : `${sourceStem(name)}-${FAVICON_ZIP.filename}`),
        sourceBytes: source.bytes,
        sourceFormat: source.format,
        format: undefined,
        outcome: 'done',
        warnings,
        durationMs,
        describe: () => describeFaviconZip(result, durationMs),
      };
    };
    return commandOf(faviconOperation, 'files', answer, { examples: ['logo.svg -o favicon.zip'] });
  },
  gif: async () =>
    imageCommand((await import('../../server/images/gif.ts')).gifOperation, {
      canReplace: true,
      examples: ['clip.gif -o clip.webp --format webp --width 320'],
    }),
  'id-photo': async () =>
    imageCommand((await import('../../server/images/id-photo.ts')).idPhotoOperation, {
      examples: ['me.jpg -o passport.jpg --preset us_visa'],
      note: `Presets: ${[...PRESETS.keys()].join(', ')}.`,
    }),
  faces: async () =>
    commandOf((await import('../../server/images/faces.ts')).facesOperation, 'records', readRecord(facesText), {
      examples: ['group.jpg'],
    }),
  'blur-faces': async () =>
    imageCommand((await import('../../server/images/blur-faces.ts')).blurFacesOperation, {
      examples: ['street.jpg -o safe.jpg'],
    }),
  ocr: async () =>
    commandOf((await import('../../server/images/ocr.ts')).ocrOperation, 'records', readRecord(ocrText), {
      examples: ['receipt.png --lang slv,eng'],
    }),
} satisfies Record<string, () => Promise<ImageCommand>>;
