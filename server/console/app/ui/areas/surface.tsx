import type { ComponentChildren, HTMLAttributes } from 'preact';
import { useRef } from 'preact/hooks';
import type { Picture } from '../picture.ts';
import type { Point } from './geometry.ts';
import './areas.css';

/** The way of a pointer from where it was pressed, in the pixels of the picture. */
export interface Drag {
  move(to: Point, from: Point): void;
  /** It was lifted where it was pressed. */
  click?(): void;
}

export interface SurfaceProps {
  picture: Picture;
  /** @param target what the pointer is on @returns undefined to leave it alone */
  onPress?(at: Point, target: Element): Drag | undefined;
  onHover?(at: Point | undefined): void;
  /** Of the element that keys reach; without it none does. */
  keys?: HTMLAttributes<HTMLDivElement> | undefined;
  children: ComponentChildren;
}

/** Below so many pixels of the screen a hand has trembled, not drawn. */
const LEAST_DRAG = 4;
/** Small pictures are enlarged to this width, so that single pixels can be chosen. */
const LEAST_WIDTH = 320;
/** Of the height of the window, so that there is room beside a picture to scroll the page by. */
const MOST_HEIGHT = 65;

/** A picture with things drawn over it in its own pixels. */
export function Surface({ picture, onPress, onHover, keys, children }: SurfaceProps) {
  const element = useRef<HTMLDivElement>(null);
  const drag = useRef<{ drag: Drag; from: Point; start: PointerEvent; isMoving: boolean } | undefined>(undefined);
  const shape = picture.width / picture.height;

  const pointOf = ({ clientX, clientY }: PointerEvent): Point => {
    const { left, top, width, height } = element.current!.getBoundingClientRect();
    return { x: ((clientX - left) / width) * picture.width, y: ((clientY - top) / height) * picture.height };
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
    current.isMoving ||= Math.hypot(event.clientX - clientX, event.clientY - clientY) >= LEAST_DRAG;
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
        aspectRatio: `${picture.width} / ${picture.height}`,
        width: `min(100%, ${Math.max(picture.width, LEAST_WIDTH)}px, ${MOST_HEIGHT * shape}vh)`,
      }}
      onPointerDown={press}
      onPointerMove={move}
      onPointerUp={lift}
      onPointerCancel={lift}
      onPointerLeave={() => onHover?.(undefined)}
    >
      <img src={picture.url} alt="" draggable={false} class={picture.width < LEAST_WIDTH ? 'pixels' : ''} />
      {children}
    </div>
  );
}
