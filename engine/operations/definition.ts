/**
 * The definition of an operation on one image: everything that the service, the documentation, the command line, the
 * MCP servers, the console and the client show or need to know of it. Its execution is the function `run` in `run.ts`
 * of the same folder, which only workers load. Main-thread safe.
 */
import type { z } from 'zod';
import type { ErrorCode } from '../../base/failure.ts';
import type { FormatId, InputFormat, OutputFormat } from '../../codecs/formats/registry.ts';
import type { Purpose } from '../../models/catalogue.ts';
import type { ImageResult, Phases, Warning } from '../result.ts';
import type { SourceFile } from '../source-file.ts';
import type { FrameUse } from './frame-use.ts';
import type { SourceParams } from './parameters.ts';

/** A further image that an operation accepts. */
export type AuxiliaryImageName = 'background_image' | 'watermark_image' | 'mask';
export type AuxiliaryImages = Partial<Record<AuxiliaryImageName, SourceFile>>;

/** What the caller may use. */
export interface Allowance {
  features: readonly string[];
  /** Maximum pixels of the source of an upscale. */
  upscale_pixels: number;
}

/** The monthly quota that a request counts against. `ai` needs a key with the scope `ai`. */
export type CreditMeter = 'requests' | 'ai';

/** An estimate of the processor time and the memory of a task. */
export interface TaskEstimate {
  baseMs: number;
  megapixelMs: number;
  /** Set if it encodes an image of the size of its source. */
  encodes?: true;
}

/** What every operation on one image gets. */
export interface OperationInput<P = object> {
  image: SourceFile;
  params: P & SourceParams;
}

/** A number in the record of a result that only some operations have. It is also a header of the response. */
export interface ResultField<R> {
  header: `X-IC-${string}`;
  description: string;
  example: number;
  /** Undefined if the result has none. */
  value(result: R): number | undefined;
}

/** One image. It can be returned, stored or delivered. */
export interface ImageOutput<R> {
  kind: 'image';
  /** The formats that can be requested. */
  formats: readonly OutputFormat[];
  defaultFormat: OutputFormat | 'auto';
  /** Formats that cannot be requested. The result has such a format only if the source does. */
  kept?: readonly FormatId[];
  fields?: Readonly<Record<string, ResultField<R>>>;
}

/** A ZIP of several files. */
export interface ZipOutput {
  kind: 'zip';
  filename: string;
  /** Examples of the names of its files. */
  exampleFiles: readonly string[];
  /** Name of the schema of a stored ZIP in the OpenAPI document. */
  schemaId: string;
}

/** Data about the image. */
export interface RecordOutput<R> {
  kind: 'record';
  description: string;
  /** The record with its duration. */
  schema: z.ZodObject;
  /** Formats the record as lines of text for people. */
  toText(record: R extends { record: infer Content } ? Content : never): string;
}

/** The results of operations that return a ZIP. `data` is transferred, never copied. */
export interface ZipResult {
  data: ArrayBuffer;
  /** Names of its files, in order. */
  files: string[];
  warnings: Warning[];
  source: ImageResult['source'];
  phases: Phases;
}

/** The results of operations that return a record. */
export interface RecordResult {
  /** What it says of the image; its size, as displayed, is part of every record. */
  record: { width: number; height: number };
  phases: Phases;
}

export type OperationResult = ImageResult | ZipResult | RecordResult;

/** A tool of the hosted MCP server that runs an operation. */
export interface AgentTool {
  name: string;
  title: string;
  description: string;
  /** The parameters that it accepts. */
  params: z.ZodObject;
  /** A parameter that a request must set to be shown as a call of this tool. */
  needs?: string;
}

/** Parameters that belong together in a form. */
export interface ParameterGroup {
  title: string;
  /** Whether the group is open at first. */
  isOpen?: true;
  parameters: readonly string[];
}

/** @typeParam N its name; P its own parameters; I the input of its task; R the result of its task */
export interface OperationDefinition<
  N extends string = string,
  P extends z.ZodObject = z.ZodObject,
  I extends OperationInput = OperationInput,
  R = OperationResult,
> {
  /** Its name in paths, logs and metrics and on the command line; also its folder. */
  name: N;
  /** Its name for people. */
  title: string;
  /** What it gives, in one line. */
  hint: string;
  summary: string;
  description: string;
  /** Its own parameters. The parameters of the source are added to them. */
  params: P;
  /** The order of its parameters in forms. Parameters that no group names come last. */
  groups: readonly ParameterGroup[];
  /** Checks rules that involve several parameters. */
  check?(params: z.output<P>): void;
  /** Further images that it accepts, with their descriptions. */
  auxiliaryImages?: Partial<Record<AuxiliaryImageName, string>>;
  output: ImageOutput<R> | ZipOutput | RecordOutput<R>;
  /** Error codes of this operation in addition to the common ones. */
  errors: readonly ErrorCode[];
  /** What one request counts against. */
  meter: CreditMeter | ((params: z.output<P>) => CreditMeter);
  /** The model that it may run. */
  model?: Purpose;
  /** Whether a task runs the model. By default, one that counts against `ai` does. */
  runsModel?(input: I): boolean;
  /** Time limit as a multiple of the ordinary limit. By default 2 if a model runs, otherwise 1. */
  timeFactor?: number;
  /** Set if the cost does not depend on the output. Otherwise it is estimated from the parameters of the encoding. */
  estimate?: TaskEstimate;
  /** By default, one frame of an animation is decoded. */
  frameUse?(params: z.output<P>, format: InputFormat | undefined): FrameUse;
  /** Whether the frames of an animated result wait in JavaScript buffers. By default, libvips holds them. */
  buffersFrames?(params: z.output<P>): boolean;
  /**
   * Makes the input of the task. By default it is the image with its parameters.
   * @throws Failure if the images and parameters conflict, or the caller may not use them
   */
  toInput?(image: SourceFile, params: z.output<P> & SourceParams, images: AuxiliaryImages, allowance: Allowance): I;
  /** Example arguments for the help of the command. */
  commandExamples: readonly string[];
  /** Text at the end of the help of the command. */
  commandNote?: string;
  /** Whether a smaller result may replace its source. */
  canReplaceSource?: true;
  agentTools?: readonly AgentTool[];
}

export const meterOf = <P extends z.ZodObject>(
  { meter }: Pick<OperationDefinition<string, P>, 'meter'>,
  params: z.output<P>,
): CreditMeter => (typeof meter === 'function' ? meter(params) : meter);

/** Whether some requests count against `ai`. */
export const mayUseAi = ({ meter }: Pick<OperationDefinition, 'meter'>): boolean => meter !== 'requests';
