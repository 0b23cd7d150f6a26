import { useEffect, useMemo, useRef } from 'preact/hooks';
import { coalesceCalls } from './coalesce-calls.ts';
import { paint } from './decoding.ts';
import type { Animation } from './load.ts';

/** A preview needs no more pixels. */
const MAX_SIDE_PX = 640;

/** Shows one frame at preview size. */
export function Player({ animation, frame }: { animation: Animation; frame: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height, frames } = animation;
  const scale = Math.min(1, MAX_SIDE_PX / Math.max(width, height));
  const show = useMemo(
    () =>
      coalesceCalls((index: number) => frames.draw(index, (image) => canvas.current && paint(canvas.current, image))),
    [frames],
  );
  useEffect(() => show(frame), [show, frame]);
  return (
    <canvas
      ref={canvas}
      class="player"
      role="img"
      aria-label={`Frame ${frame + 1}`}
      width={Math.max(1, Math.round(width * scale))}
      height={Math.max(1, Math.round(height * scale))}
    />
  );
}
