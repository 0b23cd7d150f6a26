/**
 * Lists the system ids of libvips' threads. Each thread adds its own id when it starts (vips-thread.ts). A worker needs
 * the ids to lower their priority together with its own; the pool needs them to read their processor time.
 */
import { fileURLToPath } from 'node:url';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { systemThreadId } from '../base/system-thread-id.ts';

const KEY = 'imagecrew:threads-of-libvips';
/** wasm-vips starts three. */
const MAX_THREADS = 63;

/**
 * Path of the module that libvips' threads start with. Undefined in development, where threads of threads cannot load
 * TypeScript, and on systems where a thread cannot find its id.
 */
export const THREAD_FILE =
  systemThreadId() !== undefined && !import.meta.url.endsWith('.ts')
    ? fileURLToPath(new URL('./vips-thread.js', import.meta.url))
    : undefined;

/** Thread ids in memory that several threads share. */
export class ThreadList {
  /** The number of ids, followed by the ids. */
  readonly shared: Int32Array<SharedArrayBuffer>;

  constructor(shared = new Int32Array(new SharedArrayBuffer((1 + MAX_THREADS) * Int32Array.BYTES_PER_ELEMENT))) {
    this.shared = shared;
  }

  get ids(): readonly number[] {
    // Skips an id that is still being added.
    return [...this.shared.subarray(1, 1 + Atomics.load(this.shared, 0))].filter((id) => id > 0);
  }

  enter(id: number): void {
    const index = Atomics.add(this.shared, 0, 1);
    if (index < MAX_THREADS) Atomics.store(this.shared, 1 + index, id);
  }
}

/** Creates the list for threads that this thread starts from now on. */
export function shareThreadList(): ThreadList {
  const list = new ThreadList();
  setEnvironmentData(KEY, list.shared);
  return list;
}

/** Adds the calling thread; called when it starts. */
export function addToThreadList(): void {
  const id = systemThreadId();
  if (id !== undefined) new ThreadList(getEnvironmentData(KEY) as ThreadList['shared']).enter(id);
}
