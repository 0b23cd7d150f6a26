/** Gestures that pan and zoom a view. */
import type { Drag, Gestures } from './gestures.ts';
import type { Viewport } from './use-viewport.ts';

export function createPan(viewport: Viewport, { clientX, clientY }: PointerEvent): Drag {
  return {
    move(event) {
      viewport.move(event.clientX - clientX, event.clientY - clientY);
      ({ clientX, clientY } = event);
    },
    end() {},
    cancel() {},
  };
}

export function createZoom(viewport: Viewport): Pick<Gestures, 'pinch' | 'wheels'> {
  return {
    pinch(factor, about, across, down) {
      viewport.zoom(factor, about);
      viewport.move(across, down);
    },
    // If zooming out would change nothing, the wheel scrolls the page.
    wheels: (factor) => factor > 1 || !viewport.isWhole.peek(),
  };
}
