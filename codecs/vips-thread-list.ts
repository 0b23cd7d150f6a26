/**
 * The threads of libvips by the system's ids: each enters its own where it starts (vips-thread.ts). A worker needs them to lower
 * their priority with its own, the pool to read their processor time.
 */
import { fileURLToPath } from 'node:url';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { systemThreadId } from '../base/system-thread-id.ts';

const KEY = 'imagecrew:threads-of-libvips';
/** wasm-vips starts three. */
const MAX_THREADS = 63;

/**
 * Path of the module that the threads of libvips start with. None in development, where threads of threads load no TypeScript, and
 * none where the system does not tell a thread its id.
 */
export const THREAD_FILE =
  systemThreadId() !== undefined && !import.meta.url.endsWith('.ts')
    ? fileURLToPath(new URL('./vips-thread.js', import.meta.url))
    : undefined;

/** Ids in memory that several threads share. */
export class ThreadList {
  /** First the number of ids, then the ids. */
  readonly shared: Int32Array<SharedArrayBuffer>;

  constructor(shared = new Int32Array(new SharedArrayBuffer((1 + MAX_THREADS) * Int32Array.BYTES_PER_ELEMENT))) {
    this.shared = shared;
  }

  get ids(): readonly number[] {
    // One that is being entered is not there yet.
    return [...this.shared.subarray(1, 1 + Atomics.load(this.shared, 0))].filter((id) => id > 0);
  }

  enter(id: number): void {
    const index = Atomics.add(this.shared, 0, 1);
    if (index < MAX_THREADS) Atomics.store(this.shared, 1 + index, id);
  }
}

/** Of threads that are started from here on by this thread. */
export function shareThreadList(): ThreadList {
  const list = new ThreadList();
  setEnvironmentData(KEY, list.shared);
  return list;
}

/** Called by a thread as it starts. */
export function enterThreadList(): void {
  const id = systemThreadId();
  if (id !== undefined) new ThreadList(getEnvironmentData(KEY) as ThreadList['shared']).enter(id);
}
