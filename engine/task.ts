/** The types exchanged between the threads: the input and the result of each task. Types only. */
import type { FailureRecord } from '../base/failure.ts';
import type { ThreadList } from '../codecs/vips-thread-list.ts';
import type { LoadReport } from '../models/runtime.ts';
import type { DocumentReading, SitemapReading } from '../web-documents/reading.ts';
import type { DocumentInput, SitemapInput } from './operations/read-document/input.ts';
import type { OperationTasks } from './operations/registry.ts';
import type {
  OutputsParams,
  OutputsPlan,
  OutputsResult,
  PipelineInput,
  PipelinePlanResult,
  PipelineResult,
} from './pipeline/record.ts';
import type { SourceFile } from './source-file.ts';
import type { ReplaceReason } from './worker-recycling.ts';

export type { SourceFile };

/** Path patterns in the syntax of operations/match-paths/patterns.ts. */
export interface PathList {
  patterns: readonly string[];
  /** Name of the list, for the error if a pattern is invalid. */
  param: string;
}

/** The tasks of the operations on one image, and those that only the service itself runs. */
export interface TaskMap extends OperationTasks {
  /** Matches addresses against patterns. In the worker, because patterns come from strangers and may be slow. */
  'match-paths': {
    input: { lists: readonly PathList[]; urls: readonly string[] };
    /** For each list, the addresses that it matches, in order. */
    result: { matched: string[][] };
  };
  'minify-svg': {
    input: { image: SourceFile };
    result: { data: ArrayBuffer };
  };
  pipeline: { input: PipelineInput; result: PipelineResult };
  /** A pipeline with several results. */
  'pipeline-outputs': { input: PipelineInput<OutputsParams>; result: OutputsResult };
  'pipeline-outputs-plan': { input: PipelineInput<OutputsParams>; result: PipelinePlanResult<OutputsPlan> };
  /** Returns what `pipeline` would do, from the header, and from the pixels where a step measures them. */
  'pipeline-plan': { input: PipelineInput; result: PipelinePlanResult };
  /** Finds the images and pages that a document of a website refers to. */
  'read-document': { input: DocumentInput; result: DocumentReading };
  'read-sitemap': { input: SitemapInput; result: SitemapReading };
  /** Decides which sizes of images in a page no style sheet can enlarge. */
  'judge-sizes': {
    input: {
      /** The page's `DocumentSizing` as JSON. */
      page: string;
      /** The same for each style sheet that it uses. */
      stylesheets: readonly string[];
      /** References with a known size in CSS pixels, with the indexes of their elements. */
      places: readonly { seq: number; element: number; width: number | null; height: number | null }[];
    };
    /** `seq` of the references whose size is certain. */
    result: { certain: number[] };
  };
}

export type TaskName = keyof TaskMap;
export type TaskInput<N extends TaskName> = TaskMap[N]['input'];
export type TaskResult<N extends TaskName> = TaskMap[N]['result'];

/** Interactive tasks go before background tasks, which have their own workers (pools.ts). */
export type Lane = 'interactive' | 'background';

/**
 * Sent by a worker once it has started: the system ids of the threads that compute for it. Threads of a model are not
 * included: they compute beside the worker's own thread, which takes part.
 */
export interface WorkerThreads {
  threadId: number;
  /** Of the worker's own thread. */
  systemId: number;
  /** Its niceness at the start. */
  niceness: number;
  libvips: ThreadList['shared'];
}

/** Sent by a worker after each task, with the result. */
export interface WorkerReport {
  /** Size of the worker's WebAssembly memories, in bytes. Never shrinks. */
  wasmBytes: number;
  threadId: number;
  runMs: number;
  /** Why the worker must be replaced; undefined if it need not be. */
  replace: ReplaceReason | undefined;
  /** The models that the worker has loaded or failed to load. */
  models: LoadReport;
}

export interface TaskMessage<N extends TaskName = TaskName> {
  name: N;
  input: TaskInput<N>;
  /** Memory reserved for the decoded images of the task, in bytes. */
  heldBytes: number;
  /** Minimum niceness of the threads that run it. */
  niceness: number;
}

export type TaskReply<N extends TaskName = TaskName> = { report: WorkerReport } & (
  | { ok: true; result: TaskResult<N> }
  | { ok: false; failure: FailureRecord; cause?: string }
  /** Nothing was done: the task needs more memory than reserved. */
  | { ok: false; neededBytes: number; input: TaskInput<N> }
);
