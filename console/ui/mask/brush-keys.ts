/** Keys that move and resize the brush. */
import { ARROWS } from '../arrows.ts';
import type { Point, Size } from '../image.ts';

export const BRUSH_KEYS_TEXT =
  'Arrow keys move the brush, with Shift further. Space paints; held while the brush moves it paints a line. ' +
  'X changes between adding and removing, [ and ] change the size, Control and Z undoes.';

/** As a share of the brush's diameter. */
const STEP = 0.25;
const LARGE_STEP = 2;
const GROWTH = 1.25;

/** Returns the brush's position after a key, within the mask. Undefined for other keys. */
export function moveBrush(
  at: Point,
  { key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>,
  diameter: number,
  { width, height }: Size,
): Point | undefined {
  const arrow = ARROWS[key];
  if (!arrow) return undefined;
  const step = Math.max(1, Math.round(diameter * (shiftKey ? LARGE_STEP : STEP)));
  return {
    x: Math.min(width, Math.max(0, at.x + arrow.x * step)),
    y: Math.min(height, Math.max(0, at.y + arrow.y * step)),
  };
}

/** Returns the diameter after [ or ]. Undefined for other keys. */
export function resizeBrush(diameter: number, key: string, least: number, most: number): number | undefined {
  if (key === '[') return Math.max(least, Math.min(diameter - 1, Math.round(diameter / GROWTH)));
  if (key === ']') return Math.min(most, Math.max(diameter + 1, Math.round(diameter * GROWTH)));
  return undefined;
}
