import { withAlpha } from '../../codecs/colour.ts';
import type { Image } from '../../codecs/vips.ts';
import type { StepContext } from './step.ts';

/** Clears everything outside the ellipse that touches the four sides, with a soft edge one pixel wide. */
export function drawCircle(image: Image, { vips }: Pick<StepContext, 'vips'>): Image {
  const { width, height } = image;
  const mask = new Uint8Array(width * height);
  const radiusX = width / 2;
  const radiusY = height / 2;
  const nearEdge = 4 / Math.min(radiusX, radiusY);
  for (let y = 0; y < height; y += 1) {
    const dy = (y + 0.5 - radiusY) / radiusY;
    for (let x = 0; x < width; x += 1) {
      const dx = (x + 0.5 - radiusX) / radiusX;
      const squared = dx * dx + dy * dy;
      // Compute the distance only for pixels near the edge.
      if (Math.abs(squared - 1) > nearEdge) {
        mask[y * width + x] = squared < 1 ? 255 : 0;
        continue;
      }
      // First-order distance to the ellipse by its gradient (Taubin 1994): accurate enough for an edge of one pixel.
      const gradient = 2 * Math.hypot(dx / radiusX, dy / radiusY);
      const distance = gradient === 0 ? -Infinity : (squared - 1) / gradient;
      mask[y * width + x] = 255 * Math.min(1, Math.max(0, 0.5 - distance));
    }
  }
  const coverage = vips.Image.newFromMemory(mask, width, height, 1, vips.BandFormat.uchar);
  const clear = withAlpha(image);
  const alpha = clear
    .extractBand(clear.bands - 1)
    .multiply(coverage)
    .divide(255)
    .cast(image.format);
  return clear
    .extractBand(0, { n: clear.bands - 1 })
    .bandjoin(alpha)
    .copy({ interpretation: image.interpretation });
}
