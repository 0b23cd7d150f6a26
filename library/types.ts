/** The types of `imagecrew`. They follow from those of the client: the same operations, parameters and records. */
import type { FileOperation, ImageOperation, RecordOperation } from '../client/images.ts';
import type { ImageOperations } from '../client/operations.generated.ts';
import type { Pipeline, SkipReason, StepOp } from '../client/types.generated.ts';

/**
 * An image: the path of a file or its `file:` URL, its bytes, or a stream of them. A Node stream is an AsyncIterable.
 * Bytes are copied, because a worker thread takes them; a file is read without a copy.
 */
export type ImageSource =
  | string
  | URL
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

export interface EngineOptions {
  /** Worker threads. Each processes one image at a time and takes about 100 to 300 MB. Default: one per core. */
  workers?: number | undefined;
  /** Folder of the models that `imagecrew models pull` has fetched; of no effect for operations without a model. */
  modelsFolder?: string | undefined;
  /** Maximum pixels of an image, over all frames. Default: 300,000,000 where rows are streamed, else 100,000,000. */
  maxPixels?: number | undefined;
  /** Processor time after which an ordinary task fails with `processing_timeout`, in milliseconds. Default: 30,000. */
  timeoutMs?: number | undefined;
}

/** An image that an operation has produced. */
export interface ProcessedImage {
  data: Uint8Array<ArrayBuffer>;
  format: string;
  contentType: string;
  /** In pixels. */
  width: number;
  height: number;
  /** Resolution recorded in the file, in dots per inch. */
  dpi: number | null;
  /** `reduced`, `kept_original`, `grown`, `target_met`, `unreachable` or `done`. */
  outcome: string;
  /** Codes of warnings, such as `alpha_flattened`. */
  warnings: string[];
  /** The image that was given, with its size as displayed. */
  source: { format: string; bytes: number; width: number; height: number };
  /** Processing time. */
  durationMs: number;
  /** With `fingerprint`: perceptual hash of the source, 16 hexadecimal digits. */
  fingerprint?: string;
  /** With `score`, and in mode smart: similarity to the source, 0 to 1. */
  similarity?: number;
  /** Numbers that only this operation has: `faces` of blurFaces; `frames`, `source_frames` and others of gif. */
  facts: Readonly<Record<string, number>>;
}

/** What became of a step of a pipeline. */
export interface StepResult {
  /** From 1. */
  index: number;
  op: StepOp;
  /** Why it was skipped; null if it was applied. */
  reason: SkipReason;
  /** Of the image after the step, in pixels. */
  width: number;
  height: number;
  durationMs: number;
}

/** An image that a pipeline has produced. */
export interface PipelineImage extends ProcessedImage {
  steps: StepResult[];
}

/** A ZIP that an operation has produced. */
export interface ZipFile {
  data: Uint8Array<ArrayBuffer>;
  /** Names of its files, in their order. */
  files: string[];
  warnings: string[];
  durationMs: number;
}

/** Without the parameters that only a service has. */
type Parameters<P> = Omit<P, 'output' | 'deliver_to'>;

/** Further images, and a signal that aborts the task. */
type Options<O> = { [Name in keyof O]: Name extends 'signal' ? O[Name] : ImageSource | undefined };

interface Abortable {
  signal?: AbortSignal | undefined;
}

type InProcess<Operation> =
  Operation extends ImageOperation<infer P, infer O>
    ? (image: ImageSource, params?: Parameters<P>, options?: Options<O>) => Promise<ProcessedImage>
    : Operation extends FileOperation<infer P, infer _R>
      ? (image: ImageSource, params?: Parameters<P>, options?: Abortable) => Promise<ZipFile>
      : Operation extends RecordOperation<infer P, infer R>
        ? (image: ImageSource, params?: P, options?: Abortable) => Promise<R>
        : never;

/** The operations on one image. */
export type Operations = { readonly [Name in keyof ImageOperations]: InProcess<ImageOperations[Name]> };

export interface PipelineOptions extends Abortable {
  /** A logo for watermark steps with `logo`. */
  watermarkImage?: ImageSource | undefined;
}

/** Runs operations in the worker threads of this process. All methods throw {@link ImagecrewError}. */
export interface ImageEngine extends Operations {
  /** The formats that can be read and written here. */
  readonly formats: { readonly read: readonly string[]; readonly write: readonly string[] };
  /**
   * Runs several steps on one image, which is decoded once and encoded once.
   * @param pipeline its steps, or the name of a template: `web`, `thumbnail` and others
   * @returns a ZIP if the pipeline has `outputs`
   */
  pipeline(
    image: ImageSource,
    pipeline: Pipeline & { outputs: NonNullable<Pipeline['outputs']> },
    options?: PipelineOptions,
  ): Promise<ZipFile>;
  pipeline(image: ImageSource, pipeline: string | Pipeline, options?: PipelineOptions): Promise<PipelineImage>;
  /** Waits for running tasks, then ends the worker threads, which otherwise keep the process alive. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
