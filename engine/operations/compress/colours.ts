import type { Image } from '../../../codecs/vips.ts';

/** As many as a palette holds. */
const FEW = 256;

/** Whether a picture has at most 256 colours. A photograph shows more within its first rows, so this ends early. */
export function hasFewColours(image: Image): boolean {
  if (String(image.format) !== 'uchar') return false;
  const { bands } = image;
  const samples = image.writeToMemory() as Uint8Array;
  const seen = new Set<number>();
  for (let at = 0; at < samples.length; at += bands) {
    let colour = 0;
    for (let band = 0; band < bands; band += 1) colour = colour * 256 + (samples[at + band] as number);
    seen.add(colour);
    if (seen.size > FEW) return false;
  }
  return true;
}
