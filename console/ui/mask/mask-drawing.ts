import type { Point } from '../image.ts';
import { type Area, copied, joined, type MaskPixels, put, wholeOf } from './mask-pixels.ts';
import { type Brush, Stroke } from './stroke.ts';

/** The pixels that an undo or redo restores. */
interface Change {
  area: Area;
  pixels: MaskPixels['data'];
}

/** Limit for all changes that can be undone. */
const MAX_UNDO_BYTES = 16_000_000;
const MAX_UNDO_STEPS = 100;

/** A mask being edited, with undo and redo. */
export class MaskDrawing {
  readonly mask: MaskPixels;
  private readonly first: MaskPixels;
  private readonly onChange: (area: Area) => void;
  private readonly undone: Change[] = [];
  private readonly done: Change[] = [];
  private stroke: { by: Stroke; last: Point; area: Area | undefined } | undefined;

  /** @param onChange called with the area of changed pixels */
  constructor(first: MaskPixels, onChange: (area: Area) => void) {
    this.first = first;
    this.onChange = onChange;
    this.mask = { ...first, data: first.data.slice() };
  }

  get canUndo(): boolean {
    return this.done.length > 0;
  }

  get canRedo(): boolean {
    return this.undone.length > 0;
  }

  get isPainting(): boolean {
    return this.stroke !== undefined;
  }

  begin(brush: Brush, at: Point): void {
    this.end();
    this.stroke = { by: new Stroke(this.mask, brush), last: at, area: undefined };
    this.paintTo(at);
  }

  paintTo(point: Point): void {
    const { stroke } = this;
    if (!stroke) return;
    const area = stroke.by.line(stroke.last, point);
    stroke.last = point;
    if (area.left >= area.right || area.top >= area.bottom) return;
    stroke.area = joined(stroke.area, area);
    this.onChange(area);
  }

  /** @returns whether a stroke changed the mask */
  end(): boolean {
    const { stroke } = this;
    this.stroke = undefined;
    if (!stroke?.area) return false;
    this.remember(stroke.area, stroke.by.start);
    return true;
  }

  /** Discards the current stroke and restores its pixels. */
  cancel(): void {
    const { stroke } = this;
    this.stroke = undefined;
    if (!stroke?.area) return;
    this.mask.data.set(stroke.by.start);
    this.onChange(stroke.area);
  }

  undo(): boolean {
    return this.step(this.done, this.undone);
  }

  redo(): boolean {
    return this.step(this.undone, this.done);
  }

  invert(): void {
    this.replace(this.mask.data.map((value) => 255 - value));
  }

  reset(): void {
    this.replace(this.first.data);
  }

  private replace(data: MaskPixels['data']): void {
    const before = this.mask.data.slice();
    this.mask.data.set(data);
    this.remember(wholeOf(this.mask), before);
    this.onChange(wholeOf(this.mask));
  }

  private remember(area: Area, before: MaskPixels['data']): void {
    this.done.push({ area, pixels: copied({ width: this.mask.width, data: before }, area) });
    this.undone.length = 0;
    let bytes = this.done.reduce((sum, { pixels }) => sum + pixels.length, 0);
    while (this.done.length > MAX_UNDO_STEPS || (bytes > MAX_UNDO_BYTES && this.done.length > 1)) {
      bytes -= this.done.shift()!.pixels.length;
    }
  }

  private step(from: Change[], to: Change[]): boolean {
    this.end();
    const change = from.pop();
    if (!change) return false;
    const { area, pixels } = change;
    to.push({ area, pixels: copied(this.mask, area) });
    put(this.mask, area, pixels);
    this.onChange(area);
    return true;
  }
}
