/** Places in the time of an animation, in milliseconds from its start. */

/** When each frame begins; the last number is the end. */
export function edgesOf(delays: readonly number[]): number[] {
  const edges = [0];
  for (const delay of delays) edges.push(edges.at(-1)! + delay);
  return edges;
}

export const totalOf = (edges: readonly number[]): number => edges.at(-1)!;
export const countOf = (edges: readonly number[]): number => edges.length - 1;

/** The frame that is shown at a time. */
export function frameAt(edges: readonly number[], time: number): number {
  let least = 0;
  let most = countOf(edges) - 1;
  while (least < most) {
    const middle = (least + most + 1) >> 1;
    if (edges[middle]! <= time) least = middle;
    else most = middle - 1;
  }
  return least;
}

/** The nearest edge of a frame. */
export function nearestEdge(edges: readonly number[], time: number): number {
  const frame = frameAt(edges, time);
  const [before, after] = [edges[frame]!, edges[frame + 1]!];
  return time - before <= after - time ? before : after;
}

/** What is kept: a range from edge to edge where it was set by hand, and at least one frame. */
export interface Range {
  start: number;
  end: number;
}

/** The whole where nothing is set; what lies outside, as of another animation, counts as not set. @param start, end seconds */
export function rangeOf(edges: readonly number[], start: number | undefined, end: number | undefined): Range {
  const total = totalOf(edges);
  const from = start === undefined ? 0 : Math.round(start * 1000);
  const to = end === undefined ? total : Math.min(total, Math.round(end * 1000));
  return from >= 0 && from < to ? { start: from, end: to } : { start: 0, end: total };
}

/** One side of a range moved to the edge of a frame, with at least one frame left. */
export function withSide(edges: readonly number[], range: Range, side: keyof Range, time: number): Range {
  const edge = nearestEdge(edges, Math.max(0, Math.min(totalOf(edges), time)));
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

/** Where a key moves a slider from a time: by one frame, by ten, to an end; undefined of other keys. */
export function keyedTime(edges: readonly number[], time: number, key: string): number | undefined {
  if (key === 'Home') return 0;
  if (key === 'End') return totalOf(edges);
  const step = STEPS[key];
  if (step === undefined) return undefined;
  const at = edges.indexOf(nearestEdge(edges, time));
  return edges[Math.max(0, Math.min(countOf(edges), at + step))];
}

/** As the interface takes them: seconds, undefined for all of it. */
export function secondsOf(edges: readonly number[], { start, end }: Range): [number | undefined, number | undefined] {
  return [start === 0 ? undefined : start / 1000, end === totalOf(edges) ? undefined : end / 1000];
}

export const secondsText = (time: number): string => `${(time / 1000).toFixed(2)} s`;

/** The frames that stand for the whole in so many places along its time, each by the middle of its place. */
export function framesAlong(edges: readonly number[], places: number): number[] {
  const total = totalOf(edges);
  return Array.from({ length: places }, (_, place) => frameAt(edges, ((place + 0.5) / places) * total));
}
