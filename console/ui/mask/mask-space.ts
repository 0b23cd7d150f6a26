/** Places in a mask, and where they are shown. */

import type { Point, Size } from '../image.ts';
import type { Viewport } from '../viewport/use-viewport.ts';
import { imagePointAt } from '../viewport/view.ts';
import type { MaskPixels } from './mask-pixels.ts';

/** Converts between points of the mask and of the pane that shows it over its image. */
export class MaskSpace {
  readonly #viewport: Viewport;
  /** Pixels of the image per pixel of the mask. */
  readonly #ratio: number;

  constructor(viewport: Viewport, mask: Size, image: Size) {
    this.#viewport = viewport;
    this.#ratio = image.width / mask.width;
  }

  /** The point of the mask under the pointer. */
  pointAt({ clientX, clientY }: PointerEvent): Point {
    const { view, inPane } = this.#viewport;
    const point = imagePointAt(view.peek(), inPane({ x: clientX, y: clientY }));
    return { x: point.x / this.#ratio, y: point.y / this.#ratio };
  }

  /** The point of the mask in the middle of the pane. */
  middle(): Point {
    const { width, height } = this.#viewport.pane.peek();
    const point = imagePointAt(this.#viewport.view.peek(), { x: width / 2, y: height / 2 });
    return { x: Math.round(point.x / this.#ratio), y: Math.round(point.y / this.#ratio) };
  }

  /** CSS of the brush's outline. Depends on the view, so compute it in a computed signal. */
  outline(at: Point, diameter: number): string {
    const { scale, x, y } = this.#viewport.view.value;
    const side = diameter * this.#ratio * scale;
    const left = x + at.x * this.#ratio * scale - side / 2;
    const top = y + at.y * this.#ratio * scale - side / 2;
    return `width: ${side}px; height: ${side}px; transform: translate(${left}px, ${top}px)`;
  }

  /** Pans the view so that the point is inside the pane. */
  reveal({ x, y }: Point): void {
    const view = this.#viewport.view.peek();
    const { width, height } = this.#viewport.pane.peek();
    const [left, top] = [view.x + x * this.#ratio * view.scale, view.y + y * this.#ratio * view.scale];
    this.#viewport.move(Math.min(0, width - left) - Math.min(0, left), Math.min(0, height - top) - Math.min(0, top));
  }
}

/** Describes a point of a mask for screen readers. */
export function describePlace({ width, height, data }: MaskPixels, { x, y }: Point): string {
  const row = Math.min(height - 1, Math.floor(y));
  const opacity = data[row * width + Math.min(width - 1, Math.floor(x))]!;
  const place = `${Math.round((x / width) * 100)}%, ${Math.round((y / height) * 100)}%`;
  return `${place}: ${opacity > 127 ? 'subject' : 'background'}`;
}
