/** Translates touch, mouse and wheel events to changes of a view. */
import type { Point } from '../image.ts';

/** A drag of one pointer, from its press. */
export interface Drag {
  move(event: PointerEvent): void;
  end(): void;
  /** Called if a second finger starts a pinch. */
  cancel(): void;
}

export interface Gestures {
  press(event: PointerEvent): Drag;
  /** Zooms by `factor` about a point of the window, and moves by a number of pixels. For two fingers, or the wheel. */
  pinch(factor: number, about: Point, across: number, down: number): void;
  /** Returns whether the wheel would change the view. If not, it scrolls the page. */
  wheels(factor: number): boolean;
}

/** Pixels per unit of a wheel that counts in pixels, lines or pages. */
const PIXELS_PER_DELTA_UNIT = [1, 16, 400];
/** Pixels of wheel movement that double the size. */
const WHEEL_PIXELS_PER_DOUBLING = 300;
/** Trackpads send a pinch as wheel events with Control, in smaller steps. */
const TRACKPAD_PINCH_FACTOR = 6;

/** @returns a function that stops listening */
export function followGestures(element: HTMLElement, gestures: Gestures): () => void {
  const pointers = new Map<number, Point>();
  let drag: Drag | undefined;

  const pressed = (event: PointerEvent) => {
    if (pointers.size === 2 || event.button > 1) return;
    element.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, pointOf(event));
    drag?.cancel();
    drag = pointers.size === 1 ? gestures.press(event) : undefined;
  };

  const moved = (event: PointerEvent) => {
    if (!pointers.has(event.pointerId)) return;
    const before = spanOf(pointers);
    pointers.set(event.pointerId, pointOf(event));
    drag?.move(event);
    if (pointers.size < 2) return;
    const after = spanOf(pointers);
    gestures.pinch(
      after.length / Math.max(1, before.length),
      before.middle,
      after.middle.x - before.middle.x,
      after.middle.y - before.middle.y,
    );
  };

  const lifted = (event: PointerEvent) => {
    // After a pinch, the finger that stays does nothing more.
    if (!pointers.delete(event.pointerId)) return;
    drag?.end();
    drag = undefined;
  };

  const turned = (event: WheelEvent) => {
    const pixels = event.deltaY * PIXELS_PER_DELTA_UNIT[event.deltaMode]! * (event.ctrlKey ? TRACKPAD_PINCH_FACTOR : 1);
    const factor = 2 ** (-pixels / WHEEL_PIXELS_PER_DOUBLING);
    if (!event.ctrlKey && !gestures.wheels(factor)) return;
    event.preventDefault();
    gestures.pinch(factor, pointOf(event), 0, 0);
  };

  const stopping = new AbortController();
  const { signal } = stopping;
  element.addEventListener('pointerdown', pressed, { signal });
  element.addEventListener('pointermove', moved, { signal });
  element.addEventListener('pointerup', lifted, { signal });
  element.addEventListener('pointercancel', lifted, { signal });
  element.addEventListener('wheel', turned, { signal, passive: false });
  return () => stopping.abort();
}

const pointOf = ({ clientX, clientY }: MouseEvent): Point => ({ x: clientX, y: clientY });

function spanOf(pointers: ReadonlyMap<number, Point>): { middle: Point; length: number } {
  const [one, other = one] = [...pointers.values()] as [Point, Point?];
  return {
    middle: { x: (one.x + other!.x) / 2, y: (one.y + other!.y) / 2 },
    length: Math.hypot(one.x - other!.x, one.y - other!.y),
  };
}
