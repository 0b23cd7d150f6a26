import { useEffect, useRef, useState } from 'preact/hooks';
import { openFrames } from './decoding.ts';
import { sampleFrames } from './times.ts';

export interface StripProps {
  bytes: Uint8Array<ArrayBuffer>;
  type: string;
  edges: readonly number[];
  /** Aspect ratio of a frame, as width divided by height. */
  shape: number;
}

/** Height of a thumbnail, in device pixels. Shown at half of it on high-density screens. */
const THUMBNAIL_HEIGHT_PX = 80;
const MAX_THUMBNAILS = 60;

/** Draws thumbnails along the timeline. They are pixels of one canvas, so no frame is kept in memory. */
export function Strip({ bytes, type, edges, shape }: StripProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [places, setPlaces] = useState(0);
  const width = Math.max(8, Math.min(320, Math.round(THUMBNAIL_HEIGHT_PX * shape)));

  useEffect(() => {
    const strip = canvas.current!;
    const measure = () => {
      const { clientWidth, clientHeight } = strip;
      // Not visible.
      if (clientHeight === 0) return;
      setPlaces(
        Math.max(1, Math.min(MAX_THUMBNAILS, Math.round(clientWidth / (clientHeight * (width / THUMBNAIL_HEIGHT_PX))))),
      );
    };
    const observer = new ResizeObserver(measure);
    observer.observe(strip);
    return () => observer.disconnect();
  }, [width]);

  useEffect(() => {
    if (places === 0) return;
    const frames = openFrames(bytes, type);
    let isWanted = true;
    const context = canvas.current!.getContext('2d')!;
    const drawAll = async () => {
      // In order, because a frame of a GIF depends on the frames before it.
      for (const [place, index] of sampleFrames(edges, places).entries()) {
        if (!isWanted) return;
        await frames.draw(index, (frame) => {
          if (isWanted) context.drawImage(frame, place * width, 0, width, THUMBNAIL_HEIGHT_PX);
        });
      }
      if (isWanted) frames.close();
    };
    void drawAll();
    return () => {
      isWanted = false;
      frames.close();
    };
  }, [bytes, type, edges, places, width]);

  return <canvas ref={canvas} class="strip" width={Math.max(1, places) * width} height={THUMBNAIL_HEIGHT_PX} />;
}
