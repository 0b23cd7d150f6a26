/** Draws a mask being edited on a canvas. */
import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { MaskDrawing } from './mask-drawing.ts';
import { type Area, type MaskPixels, wholeOf } from './mask-pixels.ts';
import { type MaskView, overlayPixels } from './overlays.ts';

export type DrawnMask = ReturnType<typeof useMaskDrawing>;

export function useMaskDrawing(
  canvas: RefObject<HTMLCanvasElement | null>,
  first: MaskPixels,
  onChange: (mask: MaskPixels) => void,
) {
  const shade = useSignal<MaskView>('tint');
  const steps = useSignal({ canUndo: false, canRedo: false });

  const { drawing, draw } = useMemo(() => {
    let context: CanvasRenderingContext2D | undefined;
    const show = (area: Area) => {
      // Keeps the canvas in main memory, because every stroke writes pixels.
      context ??= canvas.current!.getContext('2d', { willReadFrequently: true })!;
      const pixels = overlayPixels(made.mask, area, shade.peek());
      context.putImageData(new ImageData(pixels, area.right - area.left), area.left, area.top);
    };
    const made = new MaskDrawing(first, show);
    return { drawing: made, draw: show };
  }, []);

  useEffect(() => draw(wholeOf(first)), [shade.value]);

  return {
    ...{ drawing, shade, steps },
    /** Must be called after each completed change. */
    changed() {
      steps.value = { canUndo: drawing.canUndo, canRedo: drawing.canRedo };
      onChange(drawing.mask);
    },
  };
}
