import type { Point } from '../image.ts';
import type { Area, MaskPixels } from './mask-pixels.ts';

export interface Brush {
  /** True to add to the subject, false to remove from it. */
  adds: boolean;
  /** In pixels of the mask. */
  diameter: number;
  /** Share of the radius over which the brush fades out, from 0 to 1. */
  softness: number;
}

/** One stroke of a brush. Passing twice over a pixel does not strengthen the effect, so that a soft edge stays soft. */
export class Stroke {
  /** The mask before the stroke. */
  readonly start: MaskPixels['data'];
  private readonly mask: MaskPixels;
  private readonly brush: Brush;
  private readonly coverage: Uint8Array;

  constructor(mask: MaskPixels, brush: Brush) {
    this.mask = mask;
    this.brush = brush;
    this.start = mask.data.slice();
    this.coverage = new Uint8Array(mask.data.length);
  }

  /** Paints a line between two points, or a dot if they are equal. */
  line(from: Point, to: Point): Area {
    const { width, height, data } = this.mask;
    const radius = this.brush.diameter / 2;
    // A fade of one pixel gives the sharpest edge without jagged steps.
    const fade = Math.max(1, radius * this.brush.softness);
    const reach = radius + 0.5;
    const target = this.brush.adds ? 255 : 0;
    const [across, down] = [to.x - from.x, to.y - from.y];
    const length = across * across + down * down;
    const area = {
      left: clamp(Math.floor(Math.min(from.x, to.x) - reach), width),
      top: clamp(Math.floor(Math.min(from.y, to.y) - reach), height),
      right: clamp(Math.ceil(Math.max(from.x, to.x) + reach), width),
      bottom: clamp(Math.ceil(Math.max(from.y, to.y) + reach), height),
    };
    for (let row = area.top; row < area.bottom; row += 1) {
      for (let column = area.left; column < area.right; column += 1) {
        const x = column + 0.5 - from.x;
        const y = row + 0.5 - from.y;
        const part = length === 0 ? 0 : Math.min(1, Math.max(0, (x * across + y * down) / length));
        const distance = Math.hypot(x - part * across, y - part * down);
        if (distance >= reach) continue;
        const share = Math.min(1, (reach - distance) / fade);
        const covered = Math.round(255 * share * share * (3 - 2 * share));
        const at = row * width + column;
        if (covered <= this.coverage[at]!) continue;
        this.coverage[at] = covered;
        data[at] = this.start[at]! + ((target - this.start[at]!) * covered) / 255;
      }
    }
    return area;
  }
}

const clamp = (value: number, most: number): number => Math.min(most, Math.max(0, value));
