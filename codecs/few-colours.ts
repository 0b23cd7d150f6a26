import type { Image } from './vips.ts';

/** As many as a palette holds. */
const FEW = 256;
/** Rows that are looked at together, so that the whole picture is never copied. */
const STRIP_ROWS = 64;

/** Whether a picture has at most 256 colours. A photograph shows more within its first rows, so this ends early. */
export function hasFewColours(image: Image): boolean {
  if (String(image.format) !== 'uchar') return false;
  const seen = new Set<number>();
  for (let top = 0; top < image.height; top += STRIP_ROWS) {
    const strip = image.crop(0, top, image.width, Math.min(STRIP_ROWS, image.height - top));
    if (!countInto(seen, strip.writeToMemory() as Uint8Array, image.bands)) return false;
  }
  return true;
}

/** Adds the colours of some samples; false as soon as there are too many. */
function countInto(seen: Set<number>, samples: Uint8Array, bands: number): boolean {
  for (let at = 0; at < samples.length; at += bands) {
    let colour = 0;
    for (let band = 0; band < bands; band += 1) colour = colour * 256 + (samples[at + band] as number);
    seen.add(colour);
    if (seen.size > FEW) return false;
  }
  return true;
}
