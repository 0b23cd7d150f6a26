/** The libvips instance of a worker: starts it once and counts its handles. */
import Vips from 'wasm-vips';
import { instantiateTracked } from './memory.ts';
import type { Modules } from './modules.ts';
import { cleanUpExceptions, type ExceptionExports } from './vips-exceptions.ts';
import { avoidUnreusableBlocks } from './vips-memory.ts';
import { shareThreadList, THREAD_FILE, type ThreadList } from './vips-thread-list.ts';

export type VipsApi = typeof Vips;
export type Image = Vips.Image;

export interface VipsInstance {
  vips: VipsApi;
  /**
   * Ends a task: clears its messages, frees every image handle made since the last call, and returns how many are still
   * alive, which should be 0.
   */
  releaseHandles(): number;
  /** The threads that libvips has started. Empty without `THREAD_FILE`. */
  threads: ThreadList;
}

// Embind's delayed deletion, which wasm-vips exports but does not declare.
interface DelayedDeletion {
  setDelayFunction(schedule: (flush: () => void) => void): void;
  setAutoDeleteLater(enabled: boolean): void;
}

let instance: Promise<VipsInstance> | undefined;

/**
 * Starts libvips from its compiled module. Later calls return the same instance.
 * @param maxBytes of decoded images that it may hold at a time
 */
export function startVips(modules: Pick<Modules, 'vips'>, maxBytes = Number.POSITIVE_INFINITY): Promise<VipsInstance> {
  instance ??= start(modules, maxBytes);
  return instance;
}

const PAGE_BYTES = 65_536;
/**
 * Memory for libvips and its libraries without an image, and for an encoder. Mode smart needs 1.2 GiB for a WebP of 24
 * megapixels.
 */
const BASE_BYTES = 256 * 2 ** 20;

/**
 * Runs `work` while wasm-vips creates its memory, and lowers the maximum of that memory from 2 GiB. The threads of
 * libvips grow the memory too, each with functions of its own, so only its maximum limits them all.
 */
async function boundingMemory<T>(maxBytes: number, work: () => Promise<T>): Promise<T> {
  const { Memory } = WebAssembly;
  WebAssembly.Memory = class extends Memory {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      const { initial, maximum = 0, shared } = descriptor;
      const bounded = Math.max(initial, Math.min(maximum, Math.ceil((BASE_BYTES + maxBytes) / PAGE_BYTES)));
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
  // Workers run in parallel instead, and no two requests share images.
  vips.concurrency(1);
  vips.Cache.max(0);

  // Every handle is queued when it is made and freed when the task ends, so no step can leak one, even if it throws.
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

/**
 * Starts the thread of libvips that computes images, so that the first one does not wait for it. It keeps running. Two
 * more take 40 MB and 150 ms of processor time; they start with the first image that libvips saves itself, or that is
 * too large to be read as a whole.
 */
export function startThread(vips: VipsApi): void {
  vips.Image.black(1, 1).writeToMemory();
}

async function load(module: WebAssembly.Module): Promise<VipsApi> {
  let exports: WebAssembly.Exports = {};
  const vips = await Vips({
    dynamicLibraries: ['vips-jxl.wasm', 'vips-heif.wasm'],
    // libvips prints its warnings; those that matter also arrive as errors or in the image. Its threads bypass
    // `printErr`, so the environment variable turns their warnings off.
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
  avoidUnreusableBlocks(vips);
  cleanUpExceptions(vips, exports as unknown as ExceptionExports);
  return vips;
}

/**
 * Clears libvips' list of messages. It adds each message to the list until one is thrown. Loaders leave messages even
 * where they continue, and the next failure, even of another request, would include them.
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
  /**
   * Frees the handles.
   * @param kept handles that are not freed
   */
  free(kept?: readonly Image[]): void;
}

/**
 * Collects the handles that are made from now on, to free them early. Repeated work, and images that are no longer
 * needed, must not keep pixels until the end of the task. Nothing else in the task may make handles meanwhile.
 */
export function trackHandles({ deletionQueue }: VipsApi): Handles {
  const before = deletionQueue.length;
  return {
    free(kept = []) {
      for (const handle of deletionQueue.slice(before))
        if (!(kept as readonly unknown[]).includes(handle)) handle.preventAutoDelete()[Symbol.dispose]();
    },
  };
}

/**
 * Runs `work` and frees the handles that it has made.
 * @param work must not return any of them
 */
export async function withFreedHandles<T>(vips: VipsApi, work: () => Promise<T>): Promise<T> {
  const handles = trackHandles(vips);
  try {
    return await work();
  } finally {
    handles.free();
  }
}
