/** Colours for where there is nothing but the other side of the edge. */
import { Enlarged, LINEAR } from './enlarged.ts';
import type { Field } from './field.ts';

/**
 * Fills in what is not known of a picture from what is known around it, near before far: pull-push over a pyramid of
 * halves (Gortler, Grzeszczuk, Szeliski and Cohen, "The Lumigraph", 1996, section 3.4).
 * @param colours three channels
 * @param weights one: how far each pixel is known, 0 to 1
 * @returns every pixel, as known as it is, the rest of it from the coarser level
 */
export function fillIn(colours: Field, weights: Field): Field {
  const { width, height } = colours;
  if (width === 1 && height === 1) return colours;
  const half = halve(colours, weights);
  const coarse = new Enlarged(fillIn(half.colours, half.weights), { width, height }, LINEAR);
  const data = new Float32Array(colours.data.length);
  for (let y = 0, at = 0, pixel = 0; y < height; y += 1) {
    const guess = coarse.draw(y, 0, width);
    for (let from = 0; from < guess.length; from += 3, at += 3, pixel += 1) {
      const known = weights.data[pixel]!;
      for (let channel = 0; channel < 3; channel += 1)
        data[at + channel] = known * colours.data[at + channel]! + (1 - known) * guess[from + channel]!;
    }
  }
  return { ...colours, data };
}

/** How much of the knowledge of four pixels their mean has: one that is fully known is enough. */
const most = (sum: number) => Math.min(1, sum);

function halve(colours: Field, weights: Field): { colours: Field; weights: Field } {
  const width = Math.ceil(colours.width / 2);
  const height = Math.ceil(colours.height / 2);
  const data = new Float32Array(width * height * 3);
  const known = new Float32Array(width * height);
  for (let y = 0; y < colours.height; y += 1) {
    for (let x = 0; x < colours.width; x += 1) {
      const from = y * colours.width + x;
      const to = (y >> 1) * width + (x >> 1);
      const weight = weights.data[from]!;
      if (weight === 0) continue;
      known[to]! += weight;
      for (let channel = 0; channel < 3; channel += 1)
        data[3 * to + channel]! += weight * colours.data[3 * from + channel]!;
    }
  }
  for (let pixel = 0; pixel < known.length; pixel += 1) {
    const sum = known[pixel]!;
    if (sum === 0) continue;
    for (let channel = 0; channel < 3; channel += 1) data[3 * pixel + channel]! /= sum;
    known[pixel] = most(sum);
  }
  return {
    colours: { data, width, height, channels: 3 },
    weights: { data: known, width, height, channels: 1 },
  };
}
