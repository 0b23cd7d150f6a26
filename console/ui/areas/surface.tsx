import type { ComponentChildren, HTMLAttributes } from 'preact';
import { useRef } from 'preact/hooks';
import type { DisplayedImage, Point } from '../image.ts';
import './areas.css';

/** A drag of the pointer, in pixels of the image. */
export interface Drag {
  move(to: Point, from: Point): void;
  /** Called if the pointer is released without a drag. */
  click?(): void;
}

export interface SurfaceProps {
  image: DisplayedImage;
  /** @param target the element under the pointer @returns undefined to ignore the press */
  onPress?(at: Point, target: Element): Drag | undefined;
  onHover?(at: Point | undefined): void;
  /** Attributes of the focusable element. Without them, the element takes no keys. */
  keys?: HTMLAttributes<HTMLDivElement> | undefined;
  children: ComponentChildren;
}

/** In screen pixels. A shorter movement is a click. */
const MIN_DRAG_PX = 4;
/** Smaller images are enlarged to this width, so that single pixels can be selected. */
const MIN_WIDTH_PX = 320;
/** In percent of the window's height. Leaves space beside the image to scroll the page. */
const MAX_HEIGHT_VH = 65;

/** Shows an image with elements drawn over it in its own pixel coordinates. */
export function Surface({ image, onPress, onHover, keys, children }: SurfaceProps) {
  const element = useRef<HTMLDivElement>(null);
  const drag = useRef<{ drag: Drag; from: Point; start: PointerEvent; isMoving: boolean } | undefined>(undefined);
  const shape = image.width / image.height;

  const pointOf = ({ clientX, clientY }: PointerEvent): Point => {
    const { left, top, width, height } = element.current!.getBoundingClientRect();
    return { x: ((clientX - left) / width) * image.width, y: ((clientY - top) / height) * image.height };
  };
  const press = (event: PointerEvent) => {
    if (!event.isPrimary || event.button !== 0) return;
    const from = pointOf(event);
    const begun = onPress?.(from, event.target as Element);
    if (!begun) return;
    element.current!.setPointerCapture(event.pointerId);
    drag.current = { drag: begun, from, start: event, isMoving: false };
  };
  const move = (event: PointerEvent) => {
    if (!event.isPrimary) return;
    const at = pointOf(event);
    const current = drag.current;
    if (!current) return onHover?.(at);
    const { clientX, clientY } = current.start;
    current.isMoving ||= Math.hypot(event.clientX - clientX, event.clientY - clientY) >= MIN_DRAG_PX;
    if (current.isMoving) current.drag.move(at, current.from);
  };
  const lift = (event: PointerEvent) => {
    if (!event.isPrimary || !drag.current) return;
    const { drag: ended, isMoving } = drag.current;
    drag.current = undefined;
    if (!isMoving && event.type === 'pointerup') ended.click?.();
  };

  return (
    <div
      {...keys}
      ref={element}
      class={onPress ? 'surface drawn-on' : 'surface'}
      style={{
        aspectRatio: `${image.width} / ${image.height}`,
        width: `min(100%, ${Math.max(image.width, MIN_WIDTH_PX)}px, ${MAX_HEIGHT_VH * shape}vh)`,
      }}
      onPointerDown={press}
      onPointerMove={move}
      onPointerUp={lift}
      onPointerCancel={lift}
      onPointerLeave={() => onHover?.(undefined)}
    >
      <img src={image.url} alt="" draggable={false} class={image.width < MIN_WIDTH_PX ? 'pixels' : ''} />
      {children}
    </div>
  );
}
