/** Prepares transparency for the upscaler, which processes colours and alpha as two independent images. */
import { maxSample, type SampleData } from '../../../base/sample-data.ts';
import { SCALE } from '../../../models/upscale.ts';

/** How far colours are spread, in pixels: the receptive field of the upscaler. */
const REACH = 10;
const UNFILLED = 255;

/**
 * Spreads the visible colours into the fully transparent pixels around them, ring by ring: each pixel gets the mean of
 * its neighbours that already have a colour. Pixels farther away become black. These colours are invisible, but the
 * ones that programs leave there would show as a fringe around the subject.
 * @param colours interleaved samples, changed in place
 */
export function fillHidden(colours: SampleData, alpha: SampleData, width: number): void {
  const channels = colours.length / alpha.length;
  const height = alpha.length / width;
  /** The ring in which a pixel got its colour. */
  const since = Uint8Array.from(alpha, (value) => (value === 0 ? UNFILLED : 0));
  const sums = new Float64Array(channels);

  function fill(pixel: number, ring: number): boolean {
    const x = pixel % width;
    const y = (pixel - x) / width;
    const [left, right] = [Math.max(0, x - 1), Math.min(width - 1, x + 1)];
    const [top, bottom] = [Math.max(0, y - 1), Math.min(height - 1, y + 1)];
    let count = 0;
    sums.fill(0);
    for (let row = top; row <= bottom; row += 1) {
      for (let at = row * width + left; at <= row * width + right; at += 1) {
        if ((since[at] as number) >= ring) continue;
        count += 1;
        for (let channel = 0; channel < channels; channel += 1)
          sums[channel] = (sums[channel] as number) + (colours[at * channels + channel] as number);
      }
    }
    if (count === 0) return false;
    since[pixel] = ring;
    for (let channel = 0; channel < channels; channel += 1)
      colours[pixel * channels + channel] = Math.round((sums[channel] as number) / count);
    return true;
  }

  let hidden = new Int32Array(alpha.keys()).filter((pixel) => alpha[pixel] === 0);
  for (let ring = 1; ring <= REACH; ring += 1) hidden = hidden.filter((pixel) => !fill(pixel, ring));
  for (const pixel of hidden) colours.fill(0, pixel * channels, (pixel + 1) * channels);
}

/**
 * Makes result pixels fully opaque or fully transparent if their whole source neighbourhood is. Beside edges the
 * network overshoots by up to 15 of 255 levels, which would make opaque images slightly transparent.
 * @param doubled alpha of the result, changed in place
 */
export function restoreUniformAlpha(doubled: SampleData, alpha: SampleData, width: number): void {
  const opaque = maxSample(alpha);
  const height = alpha.length / width;
  for (let y = 0; y < height; y += 1) {
    const above = Math.max(0, y - 1) * width;
    const row = y * width;
    const below = Math.min(height - 1, y + 1) * width;
    for (let x = 0; x < width; x += 1) {
      const value = alpha[row + x] as number;
      if (value !== 0 && value !== opaque) continue;
      const left = Math.max(0, x - 1);
      const right = Math.min(width - 1, x + 1);
      let solid = true;
      for (let column = left; column <= right; column += 1)
        solid &&= alpha[above + column] === value && alpha[row + column] === value && alpha[below + column] === value;
      if (!solid) continue;
      for (let line = y * SCALE; line < (y + 1) * SCALE; line += 1)
        doubled.fill(value, (line * width + x) * SCALE, (line * width + x + 1) * SCALE);
    }
  }
}
