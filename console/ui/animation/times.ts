/** Positions in an animation, in milliseconds from its start. */

/** Returns the start of each frame. The last entry is the end. */
export function edgesOf(delays: readonly number[]): number[] {
  const edges = [0];
  for (const delay of delays) edges.push(edges.at(-1)! + delay);
  return edges;
}

export const totalDuration = (edges: readonly number[]): number => edges.at(-1)!;
export const frameCount = (edges: readonly number[]): number => edges.length - 1;

/** Returns the index of the frame shown at a time. */
export function frameAt(edges: readonly number[], time: number): number {
  let least = 0;
  let most = frameCount(edges) - 1;
  while (least < most) {
    const middle = (least + most + 1) >> 1;
    if (edges[middle]! <= time) least = middle;
    else most = middle - 1;
  }
  return least;
}

/** Returns the frame boundary nearest to a time. */
export function nearestEdge(edges: readonly number[], time: number): number {
  const frame = frameAt(edges, time);
  const [before, after] = [edges[frame]!, edges[frame + 1]!];
  return time - before <= after - time ? before : after;
}

/** The part to keep. It has at least one frame, and ends at frame boundaries if the user set it with the handles. */
export interface Range {
  start: number;
  end: number;
}

/**
 * Returns the range to keep. An unset or invalid range, e.g. of another animation, means the whole animation.
 * @param start, end in seconds
 */
export function rangeOf(edges: readonly number[], start: number | undefined, end: number | undefined): Range {
  const total = totalDuration(edges);
  const from = start === undefined ? 0 : Math.round(start * 1000);
  const to = end === undefined ? total : Math.min(total, Math.round(end * 1000));
  return from >= 0 && from < to ? { start: from, end: to } : { start: 0, end: total };
}

/** Moves one side of a range to a frame boundary and leaves at least one frame. */
export function withSide(edges: readonly number[], range: Range, side: keyof Range, time: number): Range {
  const edge = nearestEdge(edges, Math.max(0, Math.min(totalDuration(edges), time)));
  if (side === 'start') {
    const last = edges[frameAt(edges, range.end - 1)]!;
    return { ...range, start: Math.min(edge, last) };
  }
  const first = edges[frameAt(edges, range.start) + 1]!;
  return { ...range, end: Math.max(edge, first) };
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
};

/** Returns the new time of a slider after a key: by one frame, by ten, or to an end. Undefined for other keys. */
export function timeAfterKey(edges: readonly number[], time: number, key: string): number | undefined {
  if (key === 'Home') return 0;
  if (key === 'End') return totalDuration(edges);
  const step = STEPS[key];
  if (step === undefined) return undefined;
  const at = edges.indexOf(nearestEdge(edges, time));
  return edges[Math.max(0, Math.min(frameCount(edges), at + step))];
}

/** Converts the range for the API: to seconds, and undefined for a side that is not trimmed. */
export const secondsOf = (
  edges: readonly number[],
  { start, end }: Range,
): [number | undefined, number | undefined] => [
  start === 0 ? undefined : start / 1000,
  end === totalDuration(edges) ? undefined : end / 1000,
];

export const secondsText = (time: number): string => `${(time / 1000).toFixed(2)} s`;

/** Returns the frames for a number of thumbnails. Each is the frame at the middle of the thumbnail's time span. */
export function sampleFrames(edges: readonly number[], places: number): number[] {
  const total = totalDuration(edges);
  return Array.from({ length: places }, (_, place) => frameAt(edges, ((place + 0.5) / places) * total));
}
