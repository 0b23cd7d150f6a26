/** What each command does to a file: the declared operations, apart from files, folders and what is printed. */
import { z } from 'zod';
import type { FormatId } from '../../../codecs/formats.ts';
import type { Engine, RunOptions } from '../../../engine/engine.ts';
import { needsModel } from '../../../engine/needs.ts';
import { PRESETS } from '../../../engine/operations/id-photo/presets.ts';
import { sourceParams } from '../../../engine/operations/parameters.ts';
import type { ImageResult, Outcome, Warning } from '../../../engine/result.ts';
import type { SourceFile } from '../../../engine/source-file.ts';
import type { TaskName, TaskResult } from '../../../engine/task.ts';
import { PRO_FEATURES } from '../../account/plans.ts';
import { sourceStem } from '../../http/filename.ts';
import { describeResult, type Facts } from '../../http/stored-result.ts';
import type { Allowance, CompanionName, Companions, OperationDeclaration } from '../../images/declaration.ts';
import type { ImageOperation, ImageTask } from '../../images/operation.ts';
import { timedTask } from '../../images/timed-task.ts';
import { targetFilename } from './targets.ts';
import { facesText, inspectionText, ocrText } from './texts.ts';

/** A new file. */
export interface MadeFile {
  data: ArrayBuffer;
  /**
   * @param source name that the source came with, if any
   * @param alone there is no other source
   */
  filename(source: string | undefined, alone: boolean): string;
  sourceBytes: number;
  sourceFormat: FormatId;
  /** Undefined for a pack of files. */
  format: FormatId | undefined;
  outcome: Outcome;
  warnings: readonly Warning[];
  durationMs: number;
  /** What the service says of it, but for its address and what belongs to an account. */
  describe(filename: string, sha256: string): object;
}

/** What was read from a file. */
export interface MadeRecord {
  record: object;
  /** The same for people; lines. */
  text: string;
}

export type Made = MadeFile | MadeRecord;

/** What would be done. */
export interface Planned extends MadeRecord {
  /** Of the result; null where it is not known. */
  filename: string | null;
  format: FormatId;
}

/** A command with its options read. */
export interface Work {
  /** Format of all results; undefined where each source decides. */
  format: FormatId | undefined;
  /** A model runs on every file: its pool has threads of its own. */
  model: boolean;
  /** @param index of the source, from 1 */
  run(engine: Engine, image: SourceFile, index: number, options: RunOptions): Promise<Made>;
  /** What it would do to the source, where that can be told without doing it. */
  plan?(engine: Engine, image: SourceFile, index: number, options: RunOptions): Promise<Planned>;
}

export interface ImageCommand {
  name: string;
  summary: string;
  description: string;
  /** All its parameters. */
  params: z.ZodObject;
  companions: Partial<Record<CompanionName, string>>;
  /** What it answers: new files, or what it has read. */
  answers: 'files' | 'records';
  /** A smaller result may take the place of its source. */
  canReplace: boolean;
  /** Formats that it does not write on request, and leaves to sources that are of them. */
  kept?: readonly FormatId[];
  /** What may be typed after the name. */
  examples: readonly string[];
  /** What the help says at its end. */
  note?: string;
  /**
   * @param params as the declaration says
   * @param companions reads them anew for each file, because their bytes are handed over
   * @throws Failure where values do not go together
   */
  prepare(params: object, companions: () => Companions, allowance: Allowance): Work | Promise<Work>;
}

/** Nobody's plan: what the engine takes is done. */
export function allowanceOf({ maxPixels }: { maxPixels: number }): Allowance {
  return { features: [...PRO_FEATURES], upscale_pixels: maxPixels };
}

type Answer<N extends TaskName> = (result: TaskResult<N>, durationMs: number) => Made;
type Traits = Pick<ImageCommand, 'examples' | 'note'> & Partial<Pick<ImageCommand, 'canReplace'>>;

/** The command of a declared operation. */
function commandOf<N extends TaskName, P extends z.ZodObject>(
  operation: OperationDeclaration<N, P>,
  answers: ImageCommand['answers'],
  answer: Answer<N>,
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
      // What does not go together is refused before any file is read.
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
  const answer: Answer<N> = (result, durationMs) => madeImage(result, durationMs, operation.facts?.(result) ?? {});
  return commandOf(operation, 'files', answer, traits);
}

/** There is no account whose allowance would be used. */
const NOBODY = { meter: 'requests', testMode: false, sourceName: undefined } as const;

export function madeImage(
  result: ImageResult,
  durationMs: number,
  facts: Facts = {},
  {
    filename,
    pipeline,
  }: Partial<Pick<MadeFile, 'filename'>> & Pick<Parameters<typeof describeResult>[0], 'pipeline'> = {},
): MadeFile {
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
        { result, durationMs, facts, ...NOBODY, ...(pipeline === undefined ? {} : { pipeline }) },
        name,
        sha256,
      );
      return said;
    },
  };
}

/** What was read, with its time. */
function readRecord<R extends object>(text: (record: R) => string) {
  return ({ record }: { record: R }, durationMs: number): MadeRecord => ({
    record: { ...record, duration_ms: Math.round(durationMs) },
    text: text(record),
  });
}

/** What is typed for each, and what loads it: a command should not wait for the declarations of the others. */
export const OPERATIONS = {
  compress: async () =>
    imageCommand((await import('../../images/compress.ts')).compressOperation, {
      canReplace: true,
      examples: ['photo.jpg -o photo.webp --quality 80', 'photos -o small --format webp --max-width 1600'],
    }),
  inspect: async () =>
    commandOf((await import('../../images/inspect.ts')).inspectOperation, 'records', readRecord(inspectionText), {
      examples: ['photo.jpg', 'photos --json'],
    }),
  'remove-background': async () =>
    imageCommand((await import('../../images/remove-background.ts')).removeBackgroundOperation, {
      examples: ['portrait.jpg -o cutout.png', "'shop/*.jpg' -o white --background ffffff --format jpeg"],
    }),
  upscale: async () =>
    imageCommand((await import('../../images/upscale.ts')).upscaleOperation, { examples: ['small.jpg -o large.jpg'] }),
  favicon: async () => {
    const { faviconOperation, describePack, PACK } = await import('../../images/favicon.ts');
    const answer: Answer<'favicon'> = (result, durationMs) => {
      const { data, source, warnings } = result;
      return {
        data,
        filename: (name, alone) => (alone ? PACK.filename : `${sourceStem(name)}-${PACK.filename}`),
        sourceBytes: source.bytes,
        sourceFormat: source.format,
        format: undefined,
        outcome: 'done',
        warnings,
        durationMs,
        describe: () => describePack(result, durationMs),
      };
    };
    return commandOf(faviconOperation, 'files', answer, { examples: ['logo.svg -o favicon.zip'] });
  },
  gif: async () =>
    imageCommand((await import('../../images/gif.ts')).gifOperation, {
      canReplace: true,
      examples: ['clip.gif -o clip.webp --format webp --width 320'],
    }),
  'id-photo': async () =>
    imageCommand((await import('../../images/id-photo.ts')).idPhotoOperation, {
      examples: ['me.jpg -o passport.jpg --preset us_visa'],
      note: `Presets: ${[...PRESETS.keys()].join(', ')}.`,
    }),
  faces: async () =>
    commandOf((await import('../../images/faces.ts')).facesOperation, 'records', readRecord(facesText), {
      examples: ['group.jpg'],
    }),
  'blur-faces': async () =>
    imageCommand((await import('../../images/blur-faces.ts')).blurFacesOperation, {
      examples: ['street.jpg -o safe.jpg'],
    }),
  ocr: async () =>
    commandOf((await import('../../images/ocr.ts')).ocrOperation, 'records', readRecord(ocrText), {
      examples: ['receipt.png --lang slv,eng'],
    }),
} satisfies Record<string, () => Promise<ImageCommand>>;
