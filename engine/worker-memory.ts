/** The memory that each worker of a pool has grown by. WebAssembly memory never shrinks. */
import { isCounted } from './memory-budget.ts';
import type { WorkerReport } from './task.ts';
import type { Ticket } from './ticket.ts';

/** The untouched part of a worker's initial memory of 288 MiB. */
const UNTOUCHED_BYTES = 224 * 2 ** 20;

/** What is known of one worker after its last task. */
interface WorkerUse {
  report: WorkerReport;
  /** Bytes of input and pixels that it has processed since its start. */
  handledBytes: number;
  /** The largest memory counted for one of its tasks, in bytes. */
  maxHeldBytes: number;
}

/** Workers are named by their thread id. Those that have not finished a task are unknown and have grown by nothing. */
export class WorkerMemory {
  readonly #baseBytes: number;
  readonly #uses = new Map<number, WorkerUse>();

  /** @param baseBytes initial WebAssembly memory of each worker, most of it untouched */
  constructor(baseBytes: number) {
    this.#baseBytes = baseBytes;
  }

  /** Records the report of a worker after a task. */
  record(task: Ticket, report: WorkerReport): void {
    const { handledBytes = 0, maxHeldBytes = 0 } = this.#uses.get(report.threadId) ?? {};
    this.#uses.set(report.threadId, {
      report,
      handledBytes: handledBytes + task.bytes + task.heldBytes,
      maxHeldBytes: Math.max(maxHeldBytes, isCounted(task.heldBytes) ? task.heldBytes : 0),
    });
  }

  forget(threadId: number): void {
    this.#uses.delete(threadId);
  }

  /** The workers that have finished a task. */
  get threadIds(): readonly number[] {
    return [...this.#uses.keys()];
  }

  /** The last report of each worker. */
  get reports(): readonly WorkerReport[] {
    return [...this.#uses.values()].map(({ report }) => report);
  }

  /** Memory that a worker has grown by for its tasks. */
  grownBytes(threadId: number): number {
    const use = this.#uses.get(threadId);
    if (!use) return 0;
    const grown = use.report.wasmBytes - this.#baseBytes;
    // Memory grows only once the initial memory is used up.
    if (grown > 0) return UNTOUCHED_BYTES + grown;
    // Otherwise the touched part is only known from the memory counted for its tasks.
    return Math.min(UNTOUCHED_BYTES, use.maxHeldBytes);
  }

  handledBytes(threadId: number): number {
    return this.#uses.get(threadId)?.handledBytes ?? 0;
  }
}
