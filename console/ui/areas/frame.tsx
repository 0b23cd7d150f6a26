import type { ComponentChildren } from 'preact';
import type { Box, DisplayedImage } from '../image.ts';
import { HANDLES, type Handle, toCssPosition } from './geometry.ts';

export interface FrameProps {
  image: DisplayedImage;
  area: Box;
  children?: ComponentChildren;
}

/**
 * Draws an area with handles to move and resize it. Hidden from screen readers, because keys and fields do the same.
 */
export function Frame({ image, area, children }: FrameProps) {
  return (
    <div class="area-frame" style={toCssPosition(area, image)} aria-hidden="true">
      {children}
      {HANDLES.map((handle) => (
        <span key={handle} class={`handle ${handle}`} data-handle={handle} />
      ))}
    </div>
  );
}

/** Returns the handle under the pointer. */
export const handleOf = (target: Element): Handle | undefined =>
  target instanceof HTMLElement ? (target.dataset.handle as Handle | undefined) : undefined;
