/** Which frames an edited animation shows, and for how long. Arithmetic only, main-thread safe. */
import { invalidParameter } from '../../../base/failure.ts';
import { type AnimationFormat, TIMES } from './formats.ts';

/** One frame of the result. */
export interface ShownFrame {
  /** Its place in the source, from 0. */
  index: number;
  /** Milliseconds. */
  delay: number;
}

/** Browsers take a frame this short for one without a time of its own (Blink, Gecko and WebKit alike, of GIF and WebP). */
const UNTIMED_UP_TO = 10;
/** How long they show it; also the time of a still picture. In milliseconds. */
export const DEFAULT_DELAY = 100;

/** No frame of a result is shown for less. In milliseconds. */
export const SHORTEST_DELAY = 20;

/** A time in seconds, as a request gives it, in whole milliseconds: nobody means the last bit of a decimal fraction. */
export const milliseconds = (seconds: number): number => Math.round(seconds * 1000);

/** The times of the frames as browsers play them. @param stored milliseconds, as the file has them */
export function playedDelays(stored: readonly number[]): number[] {
  return stored.map((delay) => (delay <= UNTIMED_UP_TO ? DEFAULT_DELAY : delay));
}

export const total = (delays: readonly number[]): number => delays.reduce((sum, delay) => sum + delay, 0);

export interface TimelineEdits {
  /** Seconds of the source. */
  trim_start?: number | undefined;
  trim_end?: number | undefined;
  /** Keep the first of so many frames. */
  every: number;
  reverse: boolean;
  /** Percent. */
  speed: number;
  format: AnimationFormat;
}

/**
 * The frames of the result, in the order in which they are shown: trim, keep every Nth, reverse, speed.
 * @param delays milliseconds of the source's frames, as played
 * @returns at least one frame
 * @throws Failure `invalid_parameter` when nothing is left
 */
export function planTimeline(delays: readonly number[], edits: TimelineEdits): ShownFrame[] {
  const kept = keepEvery(trim(delays, edits), edits.every);
  const ordered = edits.reverse ? kept.toReversed() : kept;
  return changeSpeed(ordered, edits.speed, edits.format);
}

/** Of a frame that is partly inside, the part inside is kept. */
function trim(
  delays: readonly number[],
  { trim_start: start = 0, trim_end: end = Infinity }: TimelineEdits,
): ShownFrame[] {
  const [from, to] = [milliseconds(start), milliseconds(end)];
  const kept: ShownFrame[] = [];
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
function keepEvery(frames: readonly ShownFrame[], count: number): ShownFrame[] {
  const kept: ShownFrame[] = [];
  for (const [place, frame] of frames.entries()) {
    const last = kept.at(-1);
    if (last && place % count !== 0) last.delay += frame.delay;
    else kept.push({ ...frame });
  }
  return kept;
}

/**
 * Times that the format can hold. What rounding takes from one frame the next gets, so that the whole does not drift;
 * what a frame gets because it would be too short, no other frame pays for.
 */
function changeSpeed(frames: readonly ShownFrame[], percent: number, format: AnimationFormat): ShownFrame[] {
  const { unit, longest } = TIMES[format];
  const inside = (delay: number) => Math.min(Math.max(delay, SHORTEST_DELAY), longest);
  let exact = 0;
  let given = 0;
  return frames.map(({ index, delay }) => {
    exact += inside((delay * 100) / percent);
    const rounded = inside(Math.round((exact - given) / unit) * unit);
    given += rounded;
    return { index, delay: rounded };
  });
}
