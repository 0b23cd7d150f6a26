/**
 * A worker: looks the task up, runs it, transfers the result back with a report on the worker's health. Nothing
 * leaves a worker as a thrown error, because only plain data survives the thread boundary intact.
 */
import { getPriority } from 'node:os';
import { parentPort, threadId, workerData } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { Failure } from '../base/failure.ts';
import { freeBuffer } from '../base/free-buffer.ts';
import { collectGarbage } from '../base/garbage.ts';
import { systemThreadId } from '../base/system-thread-id.ts';
import { availableFormats } from '../codecs/available.ts';
import { corruptImage } from '../codecs/errors.ts';
import type { AvailableFormats } from '../codecs/formats.ts';
import { hasAbandonedInstance, wasmMemoryBytes } from '../codecs/memory.ts';
import { startThreads, startVips } from '../codecs/vips.ts';
import { THREAD_FILE } from '../codecs/vips-thread-list.ts';
import { Models } from '../models/runtime.ts';
import type { WorkerContext } from './context.ts';
import { runCompress } from './operations/compress/run.ts';
import { NeedsMemory } from './operations/decoding.ts';
import { yieldMore } from './priority.ts';
import { Replacement } from './replacement.ts';
import type { WorkerSettings } from './settings.ts';
import { sourceFiles } from './source-files.ts';
import type { TaskInput, TaskMessage, TaskName, TaskReply, TaskResult, WorkerReport, WorkerThreads } from './task.ts';

type Runner<N extends TaskName> = (context: WorkerContext, input: TaskInput<N>) => Promise<TaskResult<N>>;

const RUNNERS: { [N in TaskName]: Runner<N> } = {
  compress: runCompress,
  // What the others need is loaded when it is first asked for.
  gif: async (context, input) => (await import('./operations/gif/run.ts')).runGif(context, input),
  'id-photo': async (context, input) => (await import('./operations/id-photo/run.ts')).runIdPhoto(context, input),
  inspect: async (context, input) => (await import('./operations/inspect/run.ts')).runInspect(context, input),
  upscale: async (context, input) => (await import('./operations/upscale/run.ts')).runUpscale(context, input),
  'remove-background': async (context, input) =>
    (await import('./operations/remove-background/run.ts')).runRemoveBackground(context, input),
  faces: async (context, input) => (await import('./operations/faces/run.ts')).runFaces(context, input),
  'blur-faces': async (context, input) => (await import('./operations/blur-faces/run.ts')).runBlurFaces(context, input),
  ocr: async (context, input) => (await import('./operations/ocr/run.ts')).runOcr(context, input),
  favicon: async (context, input) => (await import('./operations/favicon/run.ts')).runFavicon(context, input),
  'match-paths': async (context, input) =>
    (await import('./operations/match-paths/run.ts')).runMatchPaths(context, input),
  'minify-svg': async (context, input) => (await import('./operations/minify-svg/run.ts')).runMinifySvg(context, input),
  pipeline: async (context, input) => (await import('./pipeline/run.ts')).runPipeline(context, input),
  'pipeline-plan': async (context, input) => (await import('./pipeline/run.ts')).runPipelinePlan(context, input),
  'read-document': async (context, input) => (await import('./documents/read.ts')).runReadDocument(context, input),
  'judge-sizes': async (context, input) => (await import('./documents/sizing/judge.ts')).runJudgeSizes(context, input),
  'read-sitemap': async (context, input) => (await import('./documents/read.ts')).runReadSitemap(context, input),
};

/** A collection takes 10 ms, less than a tenth of what a task takes that leaves more. */
const MAX_LEFT_BYTES = 32 * 2 ** 20;

const { models, replaceAfter, replacement, warmThreads, ...settings } = workerData as WorkerSettings;
const replacements = new Replacement(replacement);
const { vips, releaseHandles, threads } = await startVips(settings.modules, settings.limits.decodedBytes);
const context: Omit<WorkerContext, 'countedBytes'> = { vips, ...settings, models: new Models(models) };
/** Of buffers that a collection did not free, models and fonts among them. */
let usedBufferBytes = 0;
/** Of all tasks until now, in milliseconds. */
let workedMs = 0;
announceThreads();

/** Tells the pool whose processor time is that of this worker's tasks, if all its threads are known. */
function announceThreads(): void {
  const systemId = systemThreadId();
  if (THREAD_FILE === undefined || systemId === undefined) return;
  parentPort?.postMessage({
    threadId,
    systemId,
    niceness: getPriority(),
    libvips: threads.shared,
  } satisfies WorkerThreads);
}

/** A WebAssembly trap or an abort: the instance behind it is in an undefined state. */
function isTrap(error: unknown): boolean {
  return error instanceof WebAssembly.RuntimeError || (error instanceof Error && /\bAborted\(/.test(error.message));
}

function toFailure(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  // A decoder that traps does so on bytes that no well-formed file holds.
  if (isTrap(error)) return corruptImage('image', error);
  return undefined;
}

/** The buffers of a result, to be transferred. */
function buffersOf(value: object): ArrayBuffer[] {
  return Object.values(value).filter((member): member is ArrayBuffer => member instanceof ArrayBuffer);
}

/** Answers when the worker is warm: with what it can read and write. */
export function ready(): AvailableFormats {
  if (warmThreads) startThreads(vips);
  return availableFormats(vips);
}

/** Piscina unwraps the value on the other side, so to the caller this is the reply itself. */
function transferring<N extends TaskName>(reply: TaskReply<N>, buffers: ArrayBuffer[]): TaskReply<N> {
  return move({ [transferableSymbol]: buffers, [valueSymbol]: reply }) as unknown as TaskReply<N>;
}

/** Frees the buffers that the task has left: V8 does so only when it makes something new, and an idle worker does not. */
function collectBuffers(): void {
  const { arrayBuffers } = process.memoryUsage();
  if (arrayBuffers <= usedBufferBytes + MAX_LEFT_BYTES) {
    usedBufferBytes = Math.min(usedBufferBytes, arrayBuffers);
    return;
  }
  collectGarbage();
  usedBufferBytes = process.memoryUsage().arrayBuffers;
}

export default async function run<N extends TaskName>(message: TaskMessage<N>): Promise<TaskReply<N>> {
  const { name, input, heldBytes, niceness } = message;
  yieldMore(niceness, threads.ids);
  const started = performance.now();
  const report = (hasTrapped: boolean): WorkerReport => {
    // A task may have gone on without what trapped, as inspect does.
    const poisoned = hasTrapped || hasAbandonedInstance();
    // Its successor may grow before this worker has ended.
    if (poisoned) collectGarbage();
    const liveHandles = releaseHandles();
    const runMs = performance.now() - started;
    workedMs += runMs;
    const wasmBytes = wasmMemoryBytes();
    const replace = replacements.decide(threadId, { wasmBytes, runMs, workedMs, liveHandles, poisoned }, replaceAfter);
    return { wasmBytes, threadId, runMs, replace, models: context.models.report };
  };
  try {
    const result = await RUNNERS[name]({ ...context, countedBytes: heldBytes }, input);
    const buffers = buffersOf(result);
    for (const { data } of sourceFiles(input)) if (!buffers.includes(data)) freeBuffer(data);
    collectBuffers();
    return transferring({ ok: true, result, report: report(false) }, buffers);
  } catch (error) {
    collectBuffers();
    if (error instanceof NeedsMemory) {
      const files = sourceFiles(input).map(({ data }) => data);
      return transferring({ ok: false, neededBytes: error.bytes, input, report: report(false) }, files);
    }
    // A reader may already have said in words what a trap means for the file.
    const poisoned = isTrap(error) || (error instanceof Failure && isTrap(error.cause));
    const failure = toFailure(error);
    const cause =
      error instanceof Error
        ? `${error.stack}${error.cause ? `\ncaused by ${String(error.cause)}` : ''}`
        : String(error);
    return {
      ok: false,
      failure: (
        failure ??
        new Failure(
          'internal_error',
          'Expected to process this image but received an unexpected error of our own. It has been logged.',
        )
      ).toRecord(),
      ...(failure ? {} : { cause }),
      report: report(poisoned),
    };
  }
}
