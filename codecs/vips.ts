/** The one libvips instance of a worker: start it once, count its handles. */
import Vips from 'wasm-vips';
import { instantiateTracked } from './memory.ts';
import type { Modules } from './modules.ts';
import { cleanUpExceptions, type ExceptionExports } from './vips-exceptions.ts';
import { avoidLostBlocks } from './vips-memory.ts';
import { shareThreadList, THREAD_FILE, type ThreadList } from './vips-thread-list.ts';

export type VipsApi = typeof Vips;
export type Image = Vips.Image;

export interface VipsInstance {
  vips: VipsApi;
  /**
   * Ends a task: forgets its messages, frees every picture handle made since the last call and answers how many are still
   * alive after that: 0.
   */
  releaseHandles(): number;
  /** The threads that libvips has started. None are known where there is no `THREAD_FILE`. */
  threads: ThreadList;
}

// Embind's delayed deletion, which wasm-vips exports but does not declare.
interface DelayedDeletion {
  setDelayFunction(schedule: (flush: () => void) => void): void;
  setAutoDeleteLater(enabled: boolean): void;
}

let instance: Promise<VipsInstance> | undefined;

/**
 * Starts libvips from its compiled module; later calls answer the same instance.
 * @param maxBytes of decoded pictures that it may hold at a time
 */
export function startVips(modules: Pick<Modules, 'vips'>, maxBytes = Number.POSITIVE_INFINITY): Promise<VipsInstance> {
  instance ??= start(modules, maxBytes);
  return instance;
}

const PAGE_BYTES = 65_536;
/**
 * Room for what libvips and its libraries hold without a picture, and for an encoder: mode smart needs 1.2 GiB for a WebP of
 * 24 megapixels.
 */
const OWN_BYTES = 256 * 2 ** 20;

/**
 * Runs `work` while the memory that wasm-vips makes for itself gets a smaller maximum than its 2 GiB. The threads of libvips
 * grow that memory too, each with functions of its own, so that nothing but its maximum bounds them all.
 */
async function boundingMemory<T>(maxBytes: number, work: () => Promise<T>): Promise<T> {
  const { Memory } = WebAssembly;
  WebAssembly.Memory = class extends Memory {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      const { initial, maximum = 0, shared } = descriptor;
      const bounded = Math.max(initial, Math.min(maximum, Math.ceil((OWN_BYTES + maxBytes) / PAGE_BYTES)));
      super(shared ? { ...descriptor, maximum: bounded } : descriptor);
    }
  };
  try {
    return await work();
  } finally {
    WebAssembly.Memory = Memory;
  }
}

async function start({ vips: module }: Pick<Modules, 'vips'>, maxBytes: number): Promise<VipsInstance> {
  const threads = shareThreadList();
  const vips = await boundingMemory(maxBytes, () => load(module));
  // The pool is the parallelism, and no two requests share pictures.
  vips.concurrency(1);
  vips.Cache.max(0);

  // Every handle is put in a queue when it is made and freed when the task ends: no step can leak one by forgetting it,
  // not even when it throws.
  let flush: () => void = () => {};
  const deletion = vips as unknown as DelayedDeletion;
  deletion.setDelayFunction((run) => {
    flush = run;
  });
  deletion.setAutoDeleteLater(true);

  return {
    vips,
    threads,
    releaseHandles() {
      clearMessages(vips);
      flush();
      return vips.deletionQueue.length;
    },
  };
}

/** Starts the threads that libvips works with, so that the first picture does not wait for them: 280 ms. They stay. */
export function startThreads(vips: VipsApi): void {
  vips.Image.black(1, 1).writeToBuffer('.png');
}

async function load(module: WebAssembly.Module): Promise<VipsApi> {
  let exports: WebAssembly.Exports = {};
  const vips = await Vips({
    dynamicLibraries: ['vips-jxl.wasm', 'vips-heif.wasm'],
    // libvips prints its warnings; those that matter also arrive as errors or in the picture. Its own threads print past
    // `printErr`, so it is told by its environment as well.
    preRun: (instance) => {
      instance.ENV.VIPS_WARNING = '1';
    },
    print: () => {},
    printErr: () => {},
    instantiateWasm: instantiateTracked(module, (instance) => {
      exports = instance.exports;
    }),
    ...(THREAD_FILE ? { mainScriptUrlOrBlob: THREAD_FILE } : {}),
  });
  avoidLostBlocks(vips);
  cleanUpExceptions(vips, exports as unknown as ExceptionExports);
  return vips;
}

/**
 * libvips adds each message to those before it until one is thrown. Loaders also leave messages where they go on, and the
 * next failure, be it of another request, would tell them as its own.
 */
function clearMessages(vips: VipsApi): void {
  try {
    vips.Image.pngloadBuffer(NO_BYTES);
  } catch {
    // Throwing it has emptied the list.
  }
}

const NO_BYTES = new Uint8Array();

/** Handles that were made together, and are freed together before their task ends. */
export interface Handles {
  /** @param kept all but these */
  free(kept?: readonly Image[]): void;
}

/**
 * The handles that are made from here on until they are freed: what a task does over and over, or has no more use for, must
 * not keep its pixels until the end of the task. Nothing else of the task may make handles meanwhile.
 */
export function handlesFromHere({ deletionQueue }: VipsApi): Handles {
  const before = deletionQueue.length;
  return {
    free(kept = []) {
      for (const handle of deletionQueue.slice(before))
        if (!(kept as readonly unknown[]).includes(handle)) handle.preventAutoDelete()[Symbol.dispose]();
    },
  };
}

/** Runs `work` and frees the handles that it has made. @param work answers with none of them */
export async function freeingHandles<T>(vips: VipsApi, work: () => Promise<T>): Promise<T> {
  const handles = handlesFromHere(vips);
  try {
    return await work();
  } finally {
    handles.free();
  }
}
