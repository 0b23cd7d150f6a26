import '../viewport/viewport.css';
import './compare.css';
import { computed, useSignal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { ARROWS } from '../arrows.ts';
import type { DisplayedImage, Size } from '../image.ts';
import { SegmentedControl } from '../segments.tsx';
import { useViewport, type Viewport } from '../viewport/use-viewport.ts';
import { KEYS_TEXT, KeysHelp, ZoomBar, zoomByKey } from '../viewport/zoom-controls.tsx';
import { Divider, useDivider } from './divider.tsx';
import { HoldButton } from './hold-button.tsx';
import { ImageLayer } from './image-layer.tsx';
import { isSameShape, sizesText } from './shapes.ts';

export interface ComparedImage extends DisplayedImage {
  /** Text shown over the image, for example `Original`. */
  label: string;
}

export interface CompareProps {
  before: ComparedImage;
  after: ComparedImage;
  /** Drawn over the images, in an SVG whose units are pixels of the image before. */
  overlay?: ComponentChildren;
}

const MODES = [
  { value: 'slider', label: 'Slider' },
  { value: 'side', label: 'Side by side' },
  { value: 'switch', label: 'Switch' },
] as const;
type Mode = (typeof MODES)[number]['value'];

/** In pixels, per press of an arrow key. */
const ARROW_STEP_PX = 60;

/** Compares two images that lie over each other, with a divider and a zoom that applies to both. */
export function Compare({ before, after, overlay }: CompareProps) {
  const root = useRef<HTMLDivElement>(null);
  const stage = useRef<HTMLElement>(null);
  const pane = useRef<HTMLDivElement>(null);
  const handle = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<Mode>();
  /** The `blob:` address of an image that the browser cannot show. */
  const [failed, setFailed] = useState<string>();
  // The slider is of little use if the two images do not cover each other.
  const covers = isSameShape(before, after) && failed !== before.url && failed !== after.url;
  const mode = chosen ?? (covers ? 'slider' : 'side');
  const isHeld = useSignal(false);
  const keys = useId();
  const viewport = useViewport(pane, before);
  const split = useDivider(stage, handle, viewport);

  const onKeyDown = (event: KeyboardEvent) => {
    const arrow = ARROWS[event.key];
    if (arrow && !viewport.isWhole.peek()) viewport.move(-ARROW_STEP_PX * arrow.x, -ARROW_STEP_PX * arrow.y);
    else if (!zoomByKey(viewport, event)) return;
    event.preventDefault();
  };

  const clip = useMemo(
    () =>
      computed(() => {
        if (mode === 'side') return '';
        const shownBefore = mode === 'slider' ? split.value : Number(isHeld.value);
        return `clip-path: inset(0 0 0 ${shownBefore * 100}%)`;
      }),
    [mode],
  );
  const stageClass = useMemo(
    () => computed(() => `viewport ${mode} ${viewport.isWhole.value ? '' : 'zoomed'}`),
    [mode],
  );
  const sizes = sizesText(before, after);
  const both = `${before.label} and ${after.label}`;
  return (
    <div class="compare" ref={root}>
      <div class="compare-bar">
        <SegmentedControl label="How to compare" options={MODES} value={mode} onValue={setChosen} />
        {mode === 'switch' && <HoldButton isHeld={isHeld} before={before.label} after={after.label} />}
        <ZoomBar viewport={viewport} />
        <FullScreenButton element={root} />
      </div>
      <section
        ref={stage}
        class={stageClass}
        aria-label={both}
        aria-describedby={keys}
        tabindex={0}
        style={{ '--ratio': before.width / before.height, '--most': `${before.height}px` }}
        onKeyDown={onKeyDown}
      >
        <div class="viewport-pane" ref={pane}>
          <ImageLayer
            key={before.url}
            url={before.url}
            label={before.label}
            image={before}
            frame={before}
            viewport={viewport}
            onFailed={() => setFailed(before.url)}
          />
          <span class="compare-label" aria-hidden="true">
            {before.label}
          </span>
        </div>
        <div class="viewport-pane" style={clip}>
          <ImageLayer
            key={after.url}
            url={after.url}
            label={after.label}
            image={after}
            frame={before}
            viewport={viewport}
            onFailed={() => setFailed(after.url)}
          />
          <span class="compare-label after" aria-hidden="true">
            {after.label}
          </span>
        </div>
        {overlay && <Overlay viewport={viewport} image={before} drawing={overlay} />}
        {mode === 'slider' && <Divider split={split} handle={handle} before={before.label} after={after.label} />}
      </section>
      {sizes && <p class="help">{sizes}</p>}
      <KeysHelp id={keys}>{`${KEYS_TEXT} Arrow keys move the images, or the divider while it has the focus.`}</KeysHelp>
    </div>
  );
}

/** Draws over the images. */
function Overlay({ viewport, image, drawing }: { viewport: Viewport; image: Size; drawing: ComponentChildren }) {
  return (
    <div class="viewport-pane over">
      {/* On a `div`: on the SVG the style would be an attribute, which the content security policy forbids. */}
      <div class="viewport-placed" style={viewport.placed}>
        <svg viewBox={`0 0 ${image.width} ${image.height}`}>
          <title>Drawn over the images</title>
          {drawing}
        </svg>
      </div>
    </div>
  );
}

/** Renders nothing if the browser cannot show an element in full screen. */
function FullScreenButton({ element }: { element: RefObject<HTMLElement | null> }) {
  const [isFull, setIsFull] = useState(false);
  useEffect(() => {
    const changed = () => setIsFull(document.fullscreenElement === element.current);
    document.addEventListener('fullscreenchange', changed);
    return () => document.removeEventListener('fullscreenchange', changed);
  }, []);
  if (!document.fullscreenEnabled) return null;
  const toggle = () => (isFull ? document.exitFullscreen() : element.current!.requestFullscreen());
  return (
    <button type="button" aria-label="Full screen" title="Full screen" aria-pressed={isFull} onClick={toggle}>
      <svg
        width="18"
        height="18"
        viewBox="0 0 18 18"
        fill="none"
        stroke="currentColor"
        stroke-width="2"
        aria-hidden="true"
      >
        <path d={isFull ? 'M2 7h5V2M16 7h-5V2M2 11h5v5M16 11h-5v5' : 'M2 7V2h5M16 7V2h-5M2 11v5h5M16 11v5h-5'} />
      </svg>
    </button>
  );
}
