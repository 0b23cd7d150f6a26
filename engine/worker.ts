/**
 * A worker: runs a task by its name, and transfers the result back with a report on the worker's health. Errors are
 * returned as plain data and never thrown, because only plain data crosses the thread boundary unchanged.
 */
import { getPriority } from 'node:os';
import { extname } from 'node:path';
import { parentPort, threadId, workerData } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { Failure } from '../base/failure.ts';
import { freeBuffer } from '../base/free-buffer.ts';
import { collectGarbage } from '../base/garbage.ts';
import { systemThreadId } from '../base/system-thread-id.ts';
import { availableFormats } from '../codecs/available.ts';
import { corruptImage } from '../codecs/errors.ts';
import type { AvailableFormats } from '../codecs/formats/registry.ts';
import { hasAbandonedInstance, wasmMemoryBytes } from '../codecs/memory.ts';
import { startThread, startVips } from '../codecs/vips.ts';
import { THREAD_FILE } from '../codecs/vips-thread-list.ts';
import { Models } from '../models/runtime.ts';
import type { WorkerContext } from './context.ts';
// Most tasks need it, so it is loaded before the first one.
import './operations/compress/run.ts';
import { NeedsMemory } from './operations/decoding.ts';
import type { OperationName } from './operations/registry.ts';
import { lowerPriority } from './priority.ts';
import type { WorkerSettings } from './settings.ts';
import { filesIn, sourceFiles } from './source-files.ts';
import type { TaskInput, TaskMessage, TaskName, TaskReply, TaskResult, WorkerReport, WorkerThreads } from './task.ts';
import { Replacement } from './worker-recycling.ts';

type Runner<N extends TaskName> = (context: WorkerContext, input: TaskInput<N>) => Promise<TaskResult<N>>;

/** The tasks that are no operations on an image. */
const SERVICE_TASKS: { [N in Exclude<TaskName, OperationName>]: Runner<N> } = {
  'match-paths': async (context, input) =>
    (await import('./operations/match-paths/run.ts')).runMatchPaths(context, input),
  'minify-svg': async (context, input) => (await import('./operations/minify-svg/run.ts')).runMinifySvg(context, input),
  pipeline: async (context, input) => (await import('./pipeline/run.ts')).runPipeline(context, input),
  'pipeline-outputs': async (context, input) => (await import('./pipeline/run-outputs.ts')).runOutputs(context, input),
  'pipeline-outputs-plan': async (context, input) =>
    (await import('./pipeline/run-outputs.ts')).runOutputsPlan(context, input),
  'pipeline-plan': async (context, input) => (await import('./pipeline/run.ts')).runPipelinePlan(context, input),
  'read-document': async (context, input) =>
    (await import('./operations/read-document/run.ts')).runReadDocument(context, input),
  'judge-sizes': async (context, input) =>
    (await import('./operations/judge-sizes/run.ts')).runJudgeSizes(context, input),
  'read-sitemap': async (context, input) =>
    (await import('./operations/read-document/run.ts')).runReadSitemap(context, input),
};

/** The extension of this file, which the build changes. */
const EXTENSION = extname(import.meta.url);

/**
 * Loads an operation on first use, from the folder of its name. The definitions are not loaded: they need the library
 * for schemas, which takes 4 MB of heap in each worker.
 */
async function runnerOf<N extends TaskName>(name: N): Promise<Runner<N>> {
  if (name in SERVICE_TASKS) return SERVICE_TASKS[name as keyof typeof SERVICE_TASKS] as unknown as Runner<N>;
  const file = new URL(`./operations/${name}/run${EXTENSION}`, import.meta.url);
  return ((await import(file.href)) as { run: Runner<N> }).run;
}

/**
 * Garbage above this is collected. A collection takes 10 ms, less than a tenth of the time of a task that leaves more.
 */
const MAX_LEFT_BYTES = 32 * 2 ** 20;

const { models, replaceAfter, replacement, warmThreads, ...settings } = workerData as WorkerSettings;
const replacements = new Replacement(replacement);
const { vips, releaseHandles, threads } = await startVips(settings.modules, settings.limits.decodedBytes);
const context: Omit<WorkerContext, 'countedBytes'> = { vips, ...settings, models: new Models(models) };
/** Bytes of buffers that a collection did not free, including models and fonts. */
let usedBufferBytes = 0;
/** Run time of all tasks until now, in milliseconds. */
let workedMs = 0;
announceThreads();

/** Reports the threads whose processor time belongs to this worker's tasks, if all of them are known. */
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

/** A WebAssembly trap or abort: the instance is in an undefined state afterwards. */
const isTrap = (error: unknown): boolean =>
  error instanceof WebAssembly.RuntimeError || (error instanceof Error && /\bAborted\(/.test(error.message));

function toFailure(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  // A decoder traps only on bytes that no well-formed file contains.
  if (isTrap(error)) return corruptImage('image', error);
  return undefined;
}

/** The buffers of a result, also of the files in a list of it, to be transferred. */
const buffersOf = (value: object): ArrayBuffer[] =>
  Object.values(value).flatMap((member: unknown) => {
    if (member instanceof ArrayBuffer) return member;
    return Array.isArray(member) ? filesIn(member).map(({ data }) => data) : [];
  });

/** Called to warm the worker up. Returns the formats that it can read and write. */
export function ready(): AvailableFormats {
  if (warmThreads) startThread(vips);
  return availableFormats(vips);
}

/** Piscina unwraps the value on the receiving side, so the caller gets the reply itself. */
const transferring = <N extends TaskName>(reply: TaskReply<N>, buffers: ArrayBuffer[]): TaskReply<N> =>
  move({ [transferableSymbol]: buffers, [valueSymbol]: reply }) as unknown as TaskReply<N>;

/** Frees the buffers that the task has left. V8 frees them only when it allocates, and an idle worker does not. */
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
  lowerPriority(niceness, threads.ids);
  const started = performance.now();
  const report = (hasTrapped: boolean): WorkerReport => {
    // A task may have continued after a trap, as inspect does.
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
    const result = await (await runnerOf(name))({ ...context, countedBytes: heldBytes }, input);
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
    // A reader may already have converted a trap to a Failure.
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
