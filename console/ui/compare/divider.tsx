import { type Signal, useComputed, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { type Drag, followGestures } from '../viewport/gestures.ts';
import type { Viewport } from '../viewport/use-viewport.ts';
import { createPan, createZoom } from '../viewport/view-gestures.ts';

export interface DividerProps {
  /** Share of the pane to the left of the divider, from 0 to 1. */
  split: Signal<number>;
  handle: RefObject<HTMLDivElement | null>;
  before: string;
  after: string;
}

const STEP = 0.02;
const LARGE_STEP = 0.1;

/**
 * The divider. Moves with the arrow keys, Page Up, Page Down, Home and End, as the ARIA slider pattern requires. The
 * stage moves it by pointer.
 */
export function Divider({ split, handle, before, after }: DividerProps) {
  const style = useComputed(() => `transform: translateX(${split.value * 100}%)`);
  const percent = useComputed(() => Math.round(split.value * 100));
  const text = useComputed(() => `${percent.value}% ${before}, ${100 - percent.value}% ${after}`);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.shiftKey ? LARGE_STEP : STEP;
    const next = new Map([
      ['ArrowLeft', split.value - step],
      ['ArrowDown', split.value - step],
      ['ArrowRight', split.value + step],
      ['ArrowUp', split.value + step],
      ['PageDown', split.value - LARGE_STEP],
      ['PageUp', split.value + LARGE_STEP],
      ['Home', 0],
      ['End', 1],
    ]).get(event.key);
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    split.value = Math.min(1, Math.max(0, next));
  };
  return (
    <div class="compare-divider" style={style}>
      <div
        ref={handle}
        role="slider"
        tabIndex={0}
        aria-label={`Divider between ${before} and ${after}`}
        aria-orientation="horizontal"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={text}
        onKeyDown={onKeyDown}
      >
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path d="M12 10 6 16l6 6M20 10l6 6-6 6" />
        </svg>
      </div>
    </div>
  );
}

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
