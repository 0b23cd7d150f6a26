/** The load of a task for admission, and its estimated processor time. Main-thread safe. */
import { headerCostOf, REFUSED } from './header-cost.ts';
import type { EngineLimits } from './settings.ts';
import type { SourceFile, TaskInput, TaskName } from './task.ts';
import { estimateCostMs, estimateMemory, type FileCost } from './task-cost.ts';
import { decodesAllPages, decodesImages, frameUse, paddedBytes, requestedPage } from './task-requirements.ts';
import type { Ticket } from './ticket.ts';

type Load = Pick<Ticket, 'bytes' | 'pixels' | 'heldBytes' | 'bufferBytes' | 'costMs'>;

/** @param limits maximum cost of a file: the worker refuses larger ones by their header */
export function loadOf(name: TaskName, input: TaskInput<TaskName>, files: SourceFile[], limits: EngineLimits): Load {
  const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);
  const bytes = sum(files.map(({ data }) => data.byteLength));
  const costs = decodesImages(name) ? files.map(({ data }) => fileCostOf(name, input, data, limits)) : [];
  const memory = estimateMemory(name, input, costs);
  return {
    bytes: bytes + paddedBytes(input),
    pixels: sum(costs.map(({ pixels, decodedFrames }) => Math.min(limits.pixels, pixels * decodedFrames))),
    heldBytes: Math.min(limits.decodedBytes, memory.heldBytes),
    bufferBytes: Math.min(limits.decodedBytes, memory.bufferBytes),
    costMs: estimateCostMs(name, input, costs, bytes),
  };
}

function fileCostOf(name: TaskName, input: TaskInput<TaskName>, data: ArrayBuffer, limits: EngineLimits): FileCost {
  const page = pageOf(input);
  const header = headerCostOf(data, page, limits);
  const { pixels, frames, format } = header;
  const use = frames > 1 ? frameUse(name, input, page, format) : 'one';
  if (use === 'one') {
    const decodedFrames = decodesAllPages(name, input, header) ? header.pages : Math.min(page, frames);
    return { ...header, heldFrames: 1, resultFrames: 1, decodedFrames };
  }
  if (use === 'one after the other') return { ...header, heldFrames: 1, resultFrames: frames, decodedFrames: frames };
  if (pixels * frames > limits.decodedPixels) {
    // The worker refuses it after opening it.
    const { decoderBytes } = header;
    return { ...REFUSED, decoderBytes, heldFrames: 1, resultFrames: 1, decodedFrames: 1 };
  }
  return { ...header, heldFrames: frames, resultFrames: 1, decodedFrames: frames };
}

const pageOf = (input: TaskInput<TaskName>): number => requestedPage(input) ?? 1;
