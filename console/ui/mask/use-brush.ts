/** The brush of the mask editor: its position, its settings, and its handling of pointer and keys. */
import { useComputed, useSignal } from '@preact/signals';
import type { Point, Size } from '../image.ts';
import type { Drag } from '../viewport/gestures.ts';
import type { Viewport } from '../viewport/use-viewport.ts';
import { moveBrush, resizeBrush } from './brush-keys.ts';
import { describePlace, MaskSpace } from './mask-space.ts';
import type { DrawnMask } from './use-mask-drawing.ts';

export type Tool = 'add' | 'remove' | 'move';

/** In pixels of the mask. */
export const MIN_DIAMETER_PX = 2;

export function useBrush({ drawing, changed }: DrawnMask, viewport: Viewport, image: Size) {
  const longest = Math.max(drawing.mask.width, drawing.mask.height);
  const maxDiameter = Math.max(8, Math.round(longest / 3));
  const tool = useSignal<Tool>('add');
  const diameter = useSignal(Math.max(4, Math.round(longest / 16)));
  /** In percent. */
  const softness = useSignal(30);
  /** Message for screen readers. */
  const said = useSignal('');
  /** In pixels of the mask. Undefined while the brush is not over the image. */
  const at = useSignal<Point | undefined>(undefined);

  const space = new MaskSpace(viewport, drawing.mask, image);
  /** CSS of the brush's outline. */
  const outline = useComputed(() =>
    at.value && tool.value !== 'move' ? space.outline(at.value, diameter.value) : 'display: none',
  );

  const begin = (point: Point) =>
    drawing.begin(
      { adds: tool.peek() !== 'remove', diameter: diameter.peek(), softness: softness.peek() / 100 },
      point,
    );
  const end = () => {
    if (!drawing.end()) return;
    changed();
    said.value = tool.peek() === 'remove' ? 'Removed from the subject.' : 'Added to the subject.';
  };
  const step = (done: boolean, text: string, nothing: string) => {
    if (done) changed();
    said.value = done ? text : nothing;
  };
  const undo = () => step(drawing.undo(), 'Undone.', 'There is nothing to undo.');
  const redo = () => step(drawing.redo(), 'Done again.', 'There is nothing to do again.');

  /** @returns whether the key was handled */
  const keyDown = (event: KeyboardEvent): boolean => {
    const { key, ctrlKey, metaKey, altKey, shiftKey, repeat } = event;
    if (altKey) return false;
    if (ctrlKey || metaKey) {
      const letter = key.toLowerCase();
      if (letter !== 'z' && letter !== 'y') return false;
      if (letter === 'y' || shiftKey) redo();
      else undo();
      return true;
    }
    const place = at.peek() ?? space.middle();
    const moved = moveBrush(place, event, diameter.peek(), drawing.mask);
    const resized = resizeBrush(diameter.peek(), key, MIN_DIAMETER_PX, maxDiameter);
    if (moved) {
      at.value = moved;
      space.reveal(moved);
      if (drawing.isPainting) drawing.paintTo(moved);
      else said.value = describePlace(drawing.mask, moved);
    } else if (resized !== undefined) {
      diameter.value = resized;
      said.value = `Brush of ${resized} pixels.`;
    } else if (key === ' ') {
      at.value = place;
      if (tool.peek() === 'move') tool.value = 'add';
      if (!repeat) begin(place);
    } else if (key.toLowerCase() === 'x') {
      tool.value = tool.peek() === 'remove' ? 'add' : 'remove';
      said.value = tool.peek() === 'remove' ? 'The brush removes.' : 'The brush adds.';
    } else return false;
    return true;
  };

  return {
    ...{ tool, diameter, maxDiameter, softness, outline, said, undo, redo, keyDown },
    press(event: PointerEvent): Drag {
      begin(space.pointAt(event));
      return { move: (next) => drawing.paintTo(space.pointAt(next)), end, cancel: () => drawing.cancel() };
    },
    hover(event: PointerEvent) {
      at.value = space.pointAt(event);
    },
    left() {
      at.value = undefined;
    },
    focused({ currentTarget }: FocusEvent) {
      if ((currentTarget as HTMLElement).matches(':focus-visible')) at.value ??= space.middle();
    },
    blurred() {
      end();
      at.value = undefined;
    },
    keyUp({ key }: KeyboardEvent) {
      if (key === ' ') end();
    },
    invert() {
      drawing.invert();
      step(true, 'Subject and background have changed places.', '');
    },
    reset() {
      drawing.reset();
      step(true, 'The mask is as it was at first.', '');
    },
  };
}
