/**
 * The canvas for a Macintosh PICT: pixels, filled outlines and patterns as in QuickDraw, without smoothing (Apple,
 * "Inside Macintosh: Imaging With QuickDraw", 1994, chapters 2 and 3).
 */

/** Alternating x and y in pixels of the canvas; coordinates lie between the pixels. */
export type Outline = readonly number[];

export interface Paint {
  /** Eight rows of eight bits; set bits paint the foreground. */
  pattern: Uint8Array;
  /** 0xRRGGBB. */
  foreground: number;
  background: number;
  mode: 'copy' | 'or' | 'erase' | 'invert';
}

/** Limits the painted pixels per pixel of the canvas, because a small file could fill it a million times. */
const MAX_PAINTED_PER_PIXEL = 32;
/** The cost of one crossing of an outline, which is more than a pixel. */
const SORTING_STEPS = 8;
/** Minimum limit, for small canvases with many shapes. */
const MIN_WORK_LIMIT = 20_000_000;

export class Canvas {
  readonly width: number;
  readonly height: number;
  /** RGBA, initially white and opaque. */
  readonly rgba: Uint8Array;
  /** Pixels of the canvas per unit of the drawing. */
  readonly scale: { x: number; y: number };
  #work: number;

  constructor(width: number, height: number, scale: { x: number; y: number }) {
    this.width = width;
    this.height = height;
    this.scale = scale;
    this.rgba = new Uint8Array(width * height * 4).fill(255);
    this.#work = Math.max(MIN_WORK_LIMIT, width * height * MAX_PAINTED_PER_PIXEL);
  }

  /** Whether something was not drawn because the limit was reached. */
  get exhausted(): boolean {
    return this.#work < 0;
  }

  /** Counts steps against the limit. Returns whether they are allowed. */
  afford(steps: number): boolean {
    this.#work -= steps;
    return this.#work >= 0;
  }

  /** Fills the area that is inside an odd number of the outlines. */
  fill(outlines: readonly Outline[], paint: Paint): void {
    const edges = this.#edges(outlines);
    if (!edges) return;
    const { top, starts, xs } = this.#crossings(edges);
    for (let row = 0; row + 1 < starts.length; row++) {
      const crossed = xs.subarray(starts[row]!, starts[row + 1]!).sort();
      for (let at = 0; at + 1 < crossed.length; at += 2) this.#span(top + row, crossed[at]!, crossed[at + 1]!, paint);
    }
  }

  fillRect(left: number, top: number, right: number, bottom: number, paint: Paint): void {
    const first = Math.max(0, Math.ceil(top - 0.5));
    const last = Math.min(this.height, Math.ceil(bottom - 0.5));
    if (last <= first || !this.afford(last - first)) return;
    for (let y = first; y < last; y++) this.#span(y, left, right, paint);
  }

  /**
   * Returns the edges that cross the middle of a row: first row, row after the last, x in the first row, and the slope
   * of x.
   */
  #edges(outlines: readonly Outline[]): number[] | undefined {
    const edges: number[] = [];
    let crossings = 0;
    for (const outline of outlines) {
      // Counted first: an opcode of two bytes can repeat a shape of thousands of corners, even outside the canvas.
      if (!this.afford(outline.length)) return undefined;
      for (let at = 0; at < outline.length; at += 2) {
        const next = at + 2 < outline.length ? at + 2 : 0;
        const down = outline[at + 1]! < outline[next + 1]!;
        const [top, bottom] = down ? [at, next] : [next, at];
        const y0 = outline[top + 1]!;
        const y1 = outline[bottom + 1]!;
        const first = Math.max(0, Math.ceil(y0 - 0.5));
        const end = Math.min(this.height, Math.ceil(y1 - 0.5));
        if (first >= end) continue;
        const slope = (outline[bottom]! - outline[top]!) / (y1 - y0);
        edges.push(first, end, outline[top]! + (first + 0.5 - y0) * slope, slope);
        crossings += end - first;
      }
    }
    return this.afford(edges.length + crossings * SORTING_STEPS) && crossings > 0 ? edges : undefined;
  }

  /**
   * Returns where edges cross the middle of each row from `top` on. Those of row y are from starts[y - top] to starts[y
   * - top + 1].
   */
  #crossings(edges: readonly number[]): { top: number; starts: Uint32Array; xs: Float64Array } {
    let top = this.height;
    let bottom = 0;
    for (let at = 0; at < edges.length; at += 4) {
      top = Math.min(top, edges[at]!);
      bottom = Math.max(bottom, edges[at + 1]!);
    }
    const starts = new Uint32Array(bottom - top + 1);
    for (let at = 0; at < edges.length; at += 4) {
      for (let y = edges[at]!; y < edges[at + 1]!; y++) starts[y - top + 1]!++;
    }
    for (let row = 1; row < starts.length; row++) starts[row]! += starts[row - 1]!;
    const xs = new Float64Array(starts.at(-1)!);
    const next = starts.slice();
    for (let at = 0; at < edges.length; at += 4) {
      let x = edges[at + 2]!;
      for (let y = edges[at]!; y < edges[at + 1]!; y++, x += edges[at + 3]!) xs[next[y - top]!++] = x;
    }
    return { top, starts, xs };
  }

  #span(y: number, left: number, right: number, { pattern, foreground, background, mode }: Paint): void {
    const first = Math.max(0, Math.ceil(left - 0.5));
    const end = Math.min(this.width, Math.ceil(right - 0.5));
    if (first >= end || !this.afford(end - first)) return;
    const { rgba } = this;
    const bits = pattern[Math.floor(y / this.scale.y) & 7]!;
    for (let x = first, write = (y * this.width + first) * 4; x < end; x++, write += 4) {
      const set = bits === 0xff || ((bits >> (7 - (Math.floor(x / this.scale.x) & 7))) & 1) === 1;
      if (!set && mode !== 'copy') continue;
      if (mode === 'invert') {
        for (let channel = 0; channel < 3; channel++) rgba[write + channel]! ^= 0xff;
        continue;
      }
      const colour = set && mode !== 'erase' ? foreground : background;
      rgba[write] = colour >> 16;
      rgba[write + 1] = (colour >> 8) & 0xff;
      rgba[write + 2] = colour & 0xff;
    }
  }
}
