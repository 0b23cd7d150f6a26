/** A view shared by all panes that show the same part of an image. */
import { batch, type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { Point, Size } from '../image.ts';
import { type Frame, fitted, isWhole, pan, resizePane, scaled, type View } from './view.ts';

export interface Viewport {
  view: ReadonlySignal<View>;
  /** Size of the pane. */
  pane: ReadonlySignal<Size>;
  /** True if the whole image is visible. */
  isWhole: ReadonlySignal<boolean>;
  /** Screen pixels per image pixel, in percent. */
  percent: ReadonlySignal<number>;
  density: ReadonlySignal<number>;
  /** CSS of elements placed like the image. It is a signal, so that a drag does not render the component again. */
  placed: ReadonlySignal<string>;
  /** Zooms by `factor`, about the middle or a point of the window. */
  zoom(factor: number, about?: Point): void;
  /** Zooms to a number of screen pixels per image pixel. */
  zoomTo(size: number): void;
  fit(): void;
  move(across: number, down: number): void;
  /** Converts a point of the window to a point in the pane under it. */
  inPane(point: Point): Point;
}

/** Zoom factor of one press of a button or key. */
export const ZOOM_STEP = Math.SQRT2;

/** @param pane shows the images; the first one if there are several of the same size */
export function useViewport(pane: RefObject<HTMLElement | null>, { width, height }: Size): Viewport {
  const frame = useSignal<Frame>({ image: { width, height }, pane: { width: 0, height: 0 }, density: 1 });
  const view = useSignal<View>({ scale: 1, x: 0, y: 0 });
  const whole = useComputed(() => isWhole(view.value, frame.value));
  const room = useComputed(() => frame.value.pane);
  const density = useComputed(() => frame.value.density);
  const percent = useComputed(() => Math.round(view.value.scale * frame.value.density * 100));
  const placed = useComputed(() => {
    const { scale, x, y } = view.value;
    const { image } = frame.value;
    return `width: ${image.width * scale}px; height: ${image.height * scale}px; transform: translate(${x}px, ${y}px)`;
  });

  useEffect(() => {
    const element = pane.current;
    // The component may be unmounted before the effect runs.
    if (!element) return;
    const measure = () => {
      const { clientWidth, clientHeight } = element;
      if (clientWidth === 0 || clientHeight === 0) return;
      const next: Frame = {
        image: { width, height },
        pane: { width: clientWidth, height: clientHeight },
        density: devicePixelRatio,
      };
      const before = frame.peek();
      const isNew = before.pane.width === 0 || before.image.width !== width || before.image.height !== height;
      batch(() => {
        frame.value = next;
        view.value = isNew ? fitted(next) : resizePane(view.peek(), before, next);
      });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [width, height]);

  return useMemo(() => {
    const inPane = ({ x, y }: Point): Point => {
      const panes = [...pane.current!.parentElement!.children].filter((child) => child.matches('.viewport-pane'));
      const boxes = panes.map((element) => element.getBoundingClientRect());
      const { left, top } =
        boxes.find((box) => x >= box.left && x < box.right && y >= box.top && y < box.bottom) ?? boxes[0]!;
      return { x: x - left, y: y - top };
    };
    const scaleTo = (scale: number, about?: Point) => {
      const { width: across, height: down } = frame.peek().pane;
      view.value = scaled(view.peek(), scale, about ? inPane(about) : { x: across / 2, y: down / 2 }, frame.peek());
    };
    return {
      ...{ view, pane: room, isWhole: whole, percent, density, placed, inPane },
      zoom: (factor: number, about?: Point) => scaleTo(view.peek().scale * factor, about),
      zoomTo: (size: number) => scaleTo(size / frame.peek().density),
      fit: () => {
        view.value = fitted(frame.peek());
      },
      move: (across: number, down: number) => {
        view.value = pan(view.peek(), across, down, frame.peek());
      },
    };
  }, []);
}
