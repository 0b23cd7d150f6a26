/** The divider between two images, and the gestures on their stage: dragging the divider or the images, and zooming. */
import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { type Drag, followGestures } from '../viewport/gestures.ts';
import type { Viewport } from '../viewport/use-viewport.ts';
import { createPan, createZoom } from '../viewport/view-gestures.ts';

/**
 * @param handle of the divider; empty while there is none
 * @returns the place of the divider, 0 to 1 from left to right
 */
export function useDivider(
  stage: RefObject<HTMLElement | null>,
  handle: RefObject<HTMLElement | null>,
  viewport: Viewport,
): Signal<number> {
  const split = useSignal(0.5);

  const dividing = (): Drag => {
    const start = split.peek();
    return {
      move({ clientX }) {
        const { left, width } = stage.current!.getBoundingClientRect();
        split.value = Math.min(1, Math.max(0, (clientX - left) / width));
      },
      end() {},
      cancel() {
        split.value = start;
      },
    };
  };

  useEffect(
    () =>
      followGestures(stage.current!, {
        ...createZoom(viewport),
        press(event) {
          // While the whole image is visible, there is nothing to move but the divider.
          const divides = handle.current && (handle.current.contains(event.target as Node) || viewport.isWhole.peek());
          return divides ? dividing() : createPan(viewport, event);
        },
      }),
    [viewport],
  );

  return split;
}
