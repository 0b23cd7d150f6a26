/**
 * Estimates processor time and memory of a task before it is queued, from its name, its parameters and the size in its
 * header. The time orders the queue and separates short tasks from long ones; when a task ends, its account is charged
 * its real use. The figures are rough (bench/encoders.md has those of the encoders): a factor of two is accurate
 * enough. Main-thread safe.
 */
import { findFormat } from '../codecs/formats/registry.ts';
import type { HeaderCost } from './header-cost.ts';
import type { MemoryNeed } from './memory-budget.ts';
import type { TaskEstimate } from './operations/definition.ts';
import { operationNamed } from './operations/registry.ts';
import { ENCODED_BYTES_PER_PIXEL, wholeImageBytes } from './operations/whole-image.ts';
import type { Outputs } from './pipeline/outputs.ts';
import type { TaskInput, TaskName } from './task.ts';

/** Cost of a task without pixels, or refused by its header, in milliseconds. */
const MIN_COST_MS = 5;
/** Decoding and steps, in milliseconds per megapixel. */
const DECODE_MS = 20;
/** One scan of a progressive JPEG, which visits every coefficient, in milliseconds per megapixel. */
const SCAN_MS = 3;
/** Usual number of scans of a progressive JPEG, included in DECODE_MS. */
const USUAL_SCANS = 10;
/** Reading one byte of text, in milliseconds. */
const TEXT_BYTE_MS = 1 / 50_000;

/** Encoding, in milliseconds per megapixel, of formats that declare no other. */
const DEFAULT_ENCODE_MS = 25;
const MODE_FACTORS: Readonly<Record<string, number>> = { smart: 6, target: 6, lossless: 3 };

/** Reads only the header, unless a condition or a step needs pixels. */
const PLANS: readonly TaskName[] = ['pipeline-plan', 'pipeline-outputs-plan'];
const PLAN_ESTIMATE: TaskEstimate = { baseMs: MIN_COST_MS, megapixelMs: 0 };

const estimateOf = (name: TaskName): TaskEstimate | undefined =>
  PLANS.includes(name) ? PLAN_ESTIMATE : operationNamed(name)?.estimate;

/** Cost of a file for one task. */
export interface FileCost extends HeaderCost {
  /** For an animation, the number of decoded frames in memory; otherwise 1. */
  heldFrames: number;
  /** For an animation, the number of result frames in memory; 1 if they are made while they are written. */
  resultFrames: number;
  /** All frames that the decoder visits. */
  decodedFrames: number;
}

/**
 * The project's own readers hold the samples of the file and the resulting bitmap in JavaScript buffers, and libvips
 * copies the bitmap: 4 bytes per pixel of RGBA each.
 */
const BUFFERED_BYTES_PER_PIXEL = 8;
const COPIED_BYTES_PER_PIXEL = 4;
/** All modes but quality hold several encodings: WebP of 24 megapixels in mode smart held 44 bytes per pixel. */
const MODE_HELD_FACTOR = 4;
/** A frame of a result that waits for the others, in RGBA: 60 frames of a megapixel held 4 bytes per pixel. */
const FRAME_BYTES_PER_PIXEL = 4;
/**
 * Estimates the peak memory of a task for pixels, in bytes. A 60-frame animation of a megapixel per frame, kept by
 * compress, held 6 bytes per pixel of all frames as GIF and 8.5 as WebP. With only one frame requested, it held no more
 * than a still image.
 */
export function estimateMemory(name: TaskName, input: TaskInput<TaskName>, files: readonly FileCost[]): MemoryNeed {
  const operation = operationNamed(name);
  const estimate = estimateOf(name);
  const sum = (each: (file: FileCost) => number) => files.reduce((total, file) => total + each(file), 0);
  const whole = ({ pixels, heldFrames, decoderBytes, isBuffered }: FileCost) =>
    Math.max(
      wholeImageBytes(pixels * heldFrames, estimate) + (isBuffered ? COPIED_BYTES_PER_PIXEL * pixels : 0),
      decoderBytes,
    );
  const buffers = sum(({ pixels, isBuffered }) => (isBuffered ? BUFFERED_BYTES_PER_PIXEL * pixels : 0));
  if (estimate) return { heldBytes: sum(whole), bufferBytes: buffers };
  const outputs = outputsOf(input);
  // Several results are made from an image in memory.
  const decoded = sum((file) => (file.streams && !outputs ? file.decoderBytes : whole(file)));
  const steps = [...stepsOf(input), ...(outputs ? [{ width: Math.max(...outputs.widths), mode: outputs.mode }] : [])];
  const written = Math.min(
    sum(({ pixels }) => pixels),
    ...steps.map((step) => boundOf(step) * 1e6),
  );
  const waiting = Math.max(0, ...files.map(({ resultFrames }) => resultFrames - 1)) * FRAME_BYTES_PER_PIXEL * written;
  const factor = steps.some(({ mode }) => String(mode) in MODE_FACTORS) ? MODE_HELD_FACTOR : 1;
  return {
    heldBytes: decoded + ENCODED_BYTES_PER_PIXEL * factor * written + waiting,
    bufferBytes: buffers + (operation?.buffersFrames?.(steps[0]!) ? waiting : 0),
  };
}

/** The parameters of every step of a pipeline; for other operations, their own. */
function stepsOf(input: TaskInput<TaskName>): readonly Record<string, unknown>[] {
  if (!('params' in input)) return [];
  const { params } = input as { params: Record<string, unknown> };
  return Array.isArray(params.steps)
    ? (params.steps as { params: Record<string, unknown> }[]).map((step) => step.params)
    : [params];
}

/** The widths and formats of a pipeline with several results. */
const outputsOf = (input: TaskInput<TaskName>): Outputs | undefined =>
  'params' in input && 'outputs' in input.params ? input.params.outputs : undefined;

/** @param files facts from the headers of all files of the task */
export function estimateCostMs(
  name: TaskName,
  input: TaskInput<TaskName>,
  files: readonly FileCost[],
  bytes: number,
): number {
  if (files.length > 0 && files.every(({ isRefused }) => isRefused)) return MIN_COST_MS;
  const megapixels = files.reduce((sum, { pixels, decodedFrames }) => sum + pixels * decodedFrames, 0) / 1e6;
  const scansMs = files.reduce((sum, file) => sum + scanCostMs(file), 0);
  const known = estimateOf(name);
  if (known) return known.baseMs + known.megapixelMs * megapixels + scansMs;
  const steps = stepsOf(input);
  if ((steps.length === 0 && !outputsOf(input)) || files.length === 0) return MIN_COST_MS + bytes * TEXT_BYTE_MS;
  const written = Math.min(megapixels, ...steps.map(boundOf));
  const outputs = outputsOf(input);
  const encodeMs = outputs ? outputsCostMs(outputs, steps, written) : written * Math.max(...steps.map(encodeCostMs));
  return MIN_COST_MS + megapixels * DECODE_MS + encodeMs + scansMs;
}

/** @param written maximum megapixels of the result of the steps */
function outputsCostMs(
  { widths, formats, mode: own }: Outputs,
  steps: readonly Record<string, unknown>[],
  written: number,
) {
  const mode = own ?? steps.findLast((step) => 'mode' in step)?.mode;
  const megapixels = widths.reduce((sum, width) => sum + Math.min(written, boundOf({ width })), 0);
  return formats.reduce((sum, format) => sum + megapixels * encodeCostMs({ format, mode }), 0);
}

const scanCostMs = ({ pixels, scans }: HeaderCost): number =>
  (Math.max(0, scans - USUAL_SCANS) * SCAN_MS * pixels) / 1e6;

/** Maximum megapixels that the parameters of a step allow. */
function boundOf({ width, height, max_width = width, max_height = height }: Record<string, unknown>): number {
  const sides = [max_width, max_height].filter((side) => typeof side === 'number');
  // If only one side is given, assume a square.
  return sides.length === 0 ? Number.POSITIVE_INFINITY : (sides[0]! * sides.at(-1)!) / 1e6;
}

function encodeCostMs({ format, mode }: Record<string, unknown>): number {
  const output = findFormat(String(format))?.output;
  const lossless = mode === 'lossless' ? output?.losslessEncodeMs : undefined;
  return lossless ?? (output?.encodeMs ?? DEFAULT_ENCODE_MS) * (MODE_FACTORS[String(mode)] ?? 1);
}
