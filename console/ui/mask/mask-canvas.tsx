import { useComputed } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { DisplayedImage } from '../image.ts';
import { followGestures } from '../viewport/gestures.ts';
import { useViewport } from '../viewport/use-viewport.ts';
import { createPan, createZoom } from '../viewport/view-gestures.ts';
import { KEYS_TEXT, KeysHelp, ZoomBar, zoomByKey } from '../viewport/zoom-controls.tsx';
import { BRUSH_KEYS_TEXT } from './brush-keys.ts';
import type { MaskPixels } from './mask-pixels.ts';
import { MaskTools } from './mask-tools.tsx';
import { useBrush } from './use-brush.ts';
import { useMaskDrawing } from './use-mask-drawing.ts';

export interface MaskCanvasProps {
  image: DisplayedImage;
  /** The mask before any change. */
  first: MaskPixels;
  onChange(mask: MaskPixels): void;
}

const MIDDLE_BUTTON = 1;

/** Shows the image under its mask, and edits the mask with a brush. */
export function MaskCanvas({ image, first, onChange }: MaskCanvasProps) {
  const stage = useRef<HTMLDivElement>(null);
  const pane = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const keys = useId();
  const viewport = useViewport(pane, image);
  const drawn = useMaskDrawing(canvas, first, onChange);
  const brush = useBrush(drawn, viewport, image);
  const { tool } = brush;

  useEffect(
    () =>
      followGestures(stage.current!, {
        ...createZoom(viewport),
        press: (event) =>
          tool.peek() === 'move' || event.button === MIDDLE_BUTTON ? createPan(viewport, event) : brush.press(event),
      }),
    [viewport],
  );

  const onKeyDown = (event: KeyboardEvent) => {
    if (brush.keyDown(event) || zoomByKey(viewport, event)) event.preventDefault();
  };
  const stageClass = useComputed(() =>
    tool.value === 'move' ? `viewport ${viewport.isWhole.value ? '' : 'zoomed'}` : 'viewport zoomed painting',
  );
  const { canUndo, canRedo } = drawn.steps.value;
  return (
    <div class="mask-editor">
      <MaskTools
        tool={tool}
        shade={drawn.shade}
        diameter={brush.diameter}
        maxDiameter={brush.maxDiameter}
        softness={brush.softness}
      />
      <div
        ref={stage}
        class={stageClass}
        role="application"
        aria-roledescription="Mask editor"
        aria-label="Mask"
        aria-describedby={keys}
        tabindex={0}
        style={{ '--ratio': image.width / image.height, '--most': `${image.height}px` }}
        onKeyDown={onKeyDown}
        onKeyUp={brush.keyUp}
        onFocus={brush.focused}
        onBlur={brush.blurred}
        onPointerMove={brush.hover}
        onPointerLeave={brush.left}
      >
        <div class="viewport-pane" ref={pane}>
          <div class="viewport-placed" style={viewport.placed}>
            <img src={image.url} alt="" draggable={false} decoding="async" />
          </div>
          {/* A separate layer, so that a stroke does not repaint the image. */}
          <div class="viewport-placed" style={viewport.placed}>
            <canvas ref={canvas} width={first.width} height={first.height} />
          </div>
        </div>
        <div class="mask-brush" style={brush.outline} />
      </div>
      <div class="mask-bar">
        <div class="mask-steps">
          {/* aria-disabled, because a disabled button would lose the focus after the last step. */}
          <button type="button" aria-disabled={!canUndo} onClick={brush.undo}>
            Undo
          </button>
          <button type="button" aria-disabled={!canRedo} onClick={brush.redo}>
            Redo
          </button>
          <button type="button" onClick={brush.invert}>
            Invert
          </button>
          <button type="button" onClick={brush.reset}>
            Start over
          </button>
        </div>
        <ZoomBar viewport={viewport} />
      </div>
      <KeysHelp id={keys}>{`${BRUSH_KEYS_TEXT} ${KEYS_TEXT}`}</KeysHelp>
      <p class="hidden" role="status">
        {brush.said}
      </p>
    </div>
  );
}
