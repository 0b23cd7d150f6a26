import type { ComponentChildren } from 'preact';
import type { Box, Picture } from '../picture.ts';
import { HANDLES, type Handle, place } from './geometry.ts';

export interface FrameProps {
  picture: Picture;
  area: Box;
  children?: ComponentChildren;
}

/** An area that can be moved and resized, with its handles; keys and fields do what these do. */
export function Frame({ picture, area, children }: FrameProps) {
  return (
    <div class="area-frame" style={place(area, picture)} aria-hidden="true">
      {children}
      {HANDLES.map((handle) => (
        <span key={handle} class={`handle ${handle}`} data-handle={handle} />
      ))}
    </div>
  );
}

/** The handle that the pointer is on. */
export function handleOf(target: Element): Handle | undefined {
  return target instanceof HTMLElement ? (target.dataset.handle as Handle | undefined) : undefined;
}
