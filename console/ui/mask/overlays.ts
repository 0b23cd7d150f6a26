/** Draws the overlay that marks what is not subject. */
import type { Area, MaskPixels } from './mask-pixels.ts';

export const SHADES = [
  { value: 'tint', label: 'Tinted' },
  { value: 'cut', label: 'Cut out' },
  { value: 'mask', label: 'Mask alone' },
] as const;
export type MaskView = (typeof SHADES)[number]['value'];

/** Visible on nearly every image. */
const TINT = [216, 0, 106] as const;
const TINT_STRENGTH = 0.6;
const CHEQUERBOARD_GREYS = [255, 217] as const;
const CHEQUER_SIDE = 16;

/** Returns the overlay's pixels for an area. Except in the mask view, pixels of the subject are transparent. */
export function overlayPixels(
  { width, data }: MaskPixels,
  area: Area,
  shade: MaskView,
): Uint8ClampedArray<ArrayBuffer> {
  const across = area.right - area.left;
  const samples = new Uint8ClampedArray(across * (area.bottom - area.top) * 4);
  for (let row = area.top, to = 0; row < area.bottom; row += 1) {
    for (let column = area.left; column < area.right; column += 1, to += 4) {
      const subject = data[row * width + column]!;
      if (shade === 'mask') {
        samples.fill(subject, to, to + 3);
        samples[to + 3] = 255;
      } else if (shade === 'tint') {
        samples.set(TINT, to);
        samples[to + 3] = (255 - subject) * TINT_STRENGTH;
      } else {
        samples.fill(
          CHEQUERBOARD_GREYS[(Math.floor(column / CHEQUER_SIDE) + Math.floor(row / CHEQUER_SIDE)) % 2]!,
          to,
          to + 3,
        );
        samples[to + 3] = 255 - subject;
      }
    }
  }
  return samples;
}
