import { useComputed } from '@preact/signals';
import { useState } from 'preact/hooks';
import { Spinner } from '../feedback.tsx';
import type { Size } from '../image.ts';
import type { Viewport } from '../viewport/use-viewport.ts';
import { showsPixels } from '../viewport/view.ts';
import { placeIn } from './shapes.ts';

export interface ImageLayerProps {
  url: string;
  label: string;
  image: Size;
  /** The image whose pixels are the units of the view. */
  frame: Size;
  viewport: Viewport;
  /** Called if the browser cannot show the image. */
  onFailed(): void;
}

/** Shows an image in its pane once it is fully decoded. Needs its address as `key`. */
export function ImageLayer({ url, label, image, frame, viewport, onFailed }: ImageLayerProps) {
  const [state, setState] = useState<'waiting' | 'ready' | 'failed'>('waiting');
  const { left, top, width, height } = placeIn(frame, image);
  const shared = (frame.width * width) / image.width;
  const look = useComputed(() =>
    showsPixels(viewport.view.value.scale * shared, viewport.density.value) ? 'pixels' : '',
  );
  const percent = (share: number) => `${share * 100}%`;
  return (
    <>
      <div class="viewport-placed" style={viewport.placed}>
        {state !== 'failed' && (
          <img
            src={url}
            alt={label}
            class={look}
            decoding="async"
            draggable={false}
            style={{
              ...{ left: percent(left), top: percent(top), width: percent(width), height: percent(height) },
              visibility: state === 'ready' ? 'visible' : 'hidden',
            }}
            onLoad={({ currentTarget }) => {
              // Shows the image even if decoding fails. Errors then become visible when it is drawn.
              const ready = () => setState('ready');
              currentTarget.decode().then(ready, ready);
            }}
            onError={() => {
              setState('failed');
              onFailed();
            }}
          />
        )}
      </div>
      {state === 'waiting' && <Spinner label={`Opening ${label}`} />}
      {state === 'failed' && <p class="cannot-show">{label}: browsers do not show this format.</p>}
    </>
  );
}
