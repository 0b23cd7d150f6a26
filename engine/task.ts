/** The vocabulary between the threads: task name -> what goes in, what comes out. Types only. */
import type { FailureRecord } from '../base/failure.ts';
import type { ThreadList } from '../codecs/vips-thread-list.ts';
import type { LoadReport } from '../models/runtime.ts';
import type { DocumentInput, DocumentReading, SitemapInput, SitemapReading } from './documents/reading.ts';
import type { BlurFacesParams } from './operations/blur-faces/params.ts';
import type { BlurFacesResult } from './operations/blur-faces/result.ts';
import type { CompressParams } from './operations/compress/params.ts';
import type { FacesResult } from './operations/faces/record.ts';
import type { FaviconParams } from './operations/favicon/params.ts';
import type { FaviconResult } from './operations/favicon/result.ts';
import type { GifParams } from './operations/gif/params.ts';
import type { GifResult } from './operations/gif/result.ts';
import type { IdPhotoParams } from './operations/id-photo/params.ts';
import type { InspectResult } from './operations/inspect/record.ts';
import type { OcrParams } from './operations/ocr/params.ts';
import type { OcrResult } from './operations/ocr/record.ts';
import type { SourceParams } from './operations/parameters.ts';
import type { RemoveBackgroundParams } from './operations/remove-background/params.ts';
import type { UpscaleParams } from './operations/upscale/params.ts';
import type { PipelineInput, PipelinePlanResult, PipelineResult } from './pipeline/record.ts';
import type { ReplaceReason } from './replacement.ts';
import type { ImageResult } from './result.ts';
import type { SourceFile } from './source-file.ts';

export type { SourceFile };

/** Patterns of paths in the syntax of operations/match-paths/patterns.ts. */
export interface PathList {
  patterns: readonly string[];
  /** Their name, for the failure of wrong ones. */
  param: string;
}

export interface TaskMap {
  compress: {
    input: { image: SourceFile; watermark?: SourceFile; params: CompressParams & SourceParams };
    result: ImageResult;
  };
  gif: {
    input: { image: SourceFile; params: GifParams & SourceParams };
    result: GifResult;
  };
  'id-photo': {
    input: { image: SourceFile; params: IdPhotoParams & SourceParams };
    result: ImageResult;
  };
  inspect: {
    input: { image: SourceFile; params: SourceParams };
    result: InspectResult;
  };
  upscale: {
    input: {
      image: SourceFile;
      params: UpscaleParams & SourceParams;
      /** Most that the source may have. */
      maxPixels: number;
    };
    result: ImageResult;
  };
  'remove-background': {
    input: {
      image: SourceFile;
      /** What stands behind the subject. */
      background?: SourceFile;
      /** In place of the model's. */
      mask?: SourceFile;
      params: RemoveBackgroundParams & SourceParams;
    };
    result: ImageResult;
  };
  faces: {
    input: { image: SourceFile; params: SourceParams };
    result: FacesResult;
  };
  'blur-faces': {
    input: { image: SourceFile; params: BlurFacesParams & SourceParams };
    result: BlurFacesResult;
  };
  ocr: {
    input: { image: SourceFile; params: OcrParams & SourceParams };
    result: OcrResult;
  };
  /** Tells which addresses patterns match: they are strangers' work, and may be slow. */
  'match-paths': {
    input: { lists: readonly PathList[]; urls: readonly string[] };
    /** Of each list the addresses that it matches, in their order. */
    result: { matched: string[][] };
  };
  'minify-svg': {
    input: { image: SourceFile };
    result: { data: ArrayBuffer };
  };
  favicon: {
    input: { image: SourceFile; params: FaviconParams & SourceParams };
    result: FaviconResult;
  };
  pipeline: { input: PipelineInput; result: PipelineResult };
  /** Looks at the header and answers what `pipeline` would do. */
  'pipeline-plan': { input: PipelineInput; result: PipelinePlanResult };
  /** Finds what a document of a website refers to. */
  'read-document': { input: DocumentInput; result: DocumentReading };
  'read-sitemap': { input: SitemapInput; result: SitemapReading };
  /** Tells which sizes of images in a page no style sheet can make larger. */
  'judge-sizes': {
    input: {
      /** What the page says of sizes, a `DocumentSizing` as JSON. */
      page: string;
      /** The same of each style sheet that it leads to. */
      stylesheets: readonly string[];
      /** Places that give a size, in CSS pixels, with the numbers of their elements. */
      places: readonly { seq: number; element: number; width: number | null; height: number | null }[];
    };
    /** Numbers of places. */
    result: { certain: number[] };
  };
}

export type TaskName = keyof TaskMap;
export type TaskInput<N extends TaskName> = TaskMap[N]['input'];
export type TaskResult<N extends TaskName> = TaskMap[N]['result'];

/** Interactive work goes before background work, which has workers of its own (pools.ts). */
export type Lane = 'interactive' | 'background';

/**
 * What a worker says once, when it has started: which threads compute for it, by the system's ids. Those of a model are not among
 * them: they compute beside the worker's own thread, which takes part.
 */
export interface WorkerThreads {
  threadId: number;
  /** Of the worker's own thread. */
  systemId: number;
  /** That it has started with. */
  niceness: number;
  libvips: ThreadList['shared'];
}

/** What a worker says after each task, beside the result. */
export interface WorkerReport {
  /** Size of the WebAssembly memories of the worker, in bytes. It never shrinks. */
  wasmBytes: number;
  threadId: number;
  runMs: number;
  /** Why the worker must be replaced, if it must. */
  replace: ReplaceReason | undefined;
  /** The models that the worker has loaded, or could not load. */
  models: LoadReport;
}

export interface TaskMessage<N extends TaskName = TaskName> {
  name: N;
  input: TaskInput<N>;
  /** Memory for decoded pictures that the task is counted with. */
  heldBytes: number;
  /** Of the threads that run it, at least. */
  niceness: number;
}

export type TaskReply<N extends TaskName = TaskName> = { report: WorkerReport } & (
  | { ok: true; result: TaskResult<N> }
  | { ok: false; failure: FailureRecord; cause?: string }
  /** Nothing was done: the task holds more than it is counted with. */
  | { ok: false; neededBytes: number; input: TaskInput<N> }
);
