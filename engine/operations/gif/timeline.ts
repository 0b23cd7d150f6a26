/** Plans which frames an edited animation shows, and for how long. Pure arithmetic, safe on the main thread. */

import { invalidParameter } from '../../../base/failure.ts';
import { OUTPUTS } from '../../../codecs/formats/registry.ts';

/** The formats that the operation offers. All store the times of their frames. */
export const ANIMATION_FORMATS = ['gif', 'webp', 'png', 'avif', 'jxl'] as const;
export type AnimationFormat = (typeof ANIMATION_FORMATS)[number];

/** One frame of the result. */
export interface TimelineFrame {
  /** Its index in the source, from 0. */
  index: number;
  /** In milliseconds. */
  delay: number;
}

/** Minimum frame time of a result, in milliseconds. */
export const MIN_DELAY_MS = 20;

/** Converts a requested time in seconds to whole milliseconds, which removes floating-point error. */
export const milliseconds = (seconds: number): number => Math.round(seconds * 1000);

export const total = (delays: readonly number[]): number => delays.reduce((sum, delay) => sum + delay, 0);

export interface TimelineEdits {
  /** Seconds of the source. */
  trim_start?: number | undefined;
  trim_end?: number | undefined;
  /** Keep one of this many frames. */
  every: number;
  reverse: boolean;
  /** Percent. */
  speed: number;
  format: AnimationFormat;
}

/**
 * Plans the frames of the result, in the order in which they are shown: trim, keep every Nth, reverse, speed.
 * @param delays milliseconds of the source's frames, as played
 * @returns at least one frame
 * @throws Failure `invalid_parameter` if no frame is left
 */
export function planTimeline(delays: readonly number[], edits: TimelineEdits): TimelineFrame[] {
  const kept = keepEvery(trim(delays, edits), edits.every);
  const ordered = edits.reverse ? kept.toReversed() : kept;
  return changeSpeed(ordered, edits.speed, edits.format);
}

/** A frame that is partly inside is kept for the time inside. */
function trim(
  delays: readonly number[],
  { trim_start: start = 0, trim_end: end = Infinity }: TimelineEdits,
): TimelineFrame[] {
  const [from, to] = [milliseconds(start), milliseconds(end)];
  const kept: TimelineFrame[] = [];
  let time = 0;
  for (const [index, delay] of delays.entries()) {
    const inside = Math.min(time + delay, to) - Math.max(time, from);
    if (inside > 0) kept.push({ index, delay: inside });
    time += delay;
  }
  if (kept.length > 0) return kept;
  throw invalidParameter(`a time before the end of the animation (${time / 1000} s)`, 'trim_start', start);
}

/** Keeps the first of every `count` frames, for the time of all of them. */
function keepEvery(frames: readonly TimelineFrame[], count: number): TimelineFrame[] {
  const kept: TimelineFrame[] = [];
  for (const [place, frame] of frames.entries()) {
    const last = kept.at(-1);
    if (last && place % count !== 0) last.delay += frame.delay;
    else kept.push({ ...frame });
  }
  return kept;
}

/**
 * Converts to times that the format can store. The rounding error of a frame is carried to the next, so that the total
 * does not drift. Time added to a frame that would be too short is not taken from other frames.
 */
function changeSpeed(frames: readonly TimelineFrame[], percent: number, format: AnimationFormat): TimelineFrame[] {
  const { unit, longest } = OUTPUTS[format].frameTimes!;
  const inside = (delay: number) => Math.min(Math.max(delay, MIN_DELAY_MS), longest);
  let exact = 0;
  let given = 0;
  return frames.map(({ index, delay }) => {
    exact += inside((delay * 100) / percent);
    const rounded = inside(Math.round((exact - given) / unit) * unit);
    given += rounded;
    return { index, delay: rounded };
  });
}
