import { useEffect, useMemo, useRef } from 'preact/hooks';
import { paint } from './decoding.ts';
import { latestOnly } from './latest.ts';
import type { Animation } from './load.ts';

/** A preview needs no more pixels. */
const MOST_SIDE = 640;

/** Shows one frame at preview size. */
export function Player({ animation, frame }: { animation: Animation; frame: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height, frames } = animation;
  const scale = Math.min(1, MOST_SIDE / Math.max(width, height));
  const show = useMemo(
    () => latestOnly((index: number) => frames.draw(index, (image) => canvas.current && paint(canvas.current, image))),
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
