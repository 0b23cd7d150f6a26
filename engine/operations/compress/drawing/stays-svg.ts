/** In its own file because the rest loads svgo: 400 files that workers without SVGs do not need. */
import { FORMATS } from '../../../../codecs/formats/registry.ts';
import type { Header } from '../../../../codecs/picture.ts';
import { planGeometry } from '../geometry.ts';
import type { CompressParams } from '../params.ts';
import { adjusts } from '../steps.ts';

/**
 * Whether an SVG stays an SVG in the response. A size, a resolution and padding need pixels. A maximum size that the
 * SVG already fits needs nothing.
 */
export function staysDrawing(header: Header, params: CompressParams, isMarked: boolean): boolean {
  const { width, height, percent, print_width, print_height, dpi, min_bytes, crop, crop_ratio, watermark_text } =
    params;
  const ofPixels = [
    width,
    height,
    percent,
    print_width,
    print_height,
    dpi,
    min_bytes,
    crop,
    crop_ratio,
    watermark_text,
  ];
  if (FORMATS[header.format].web?.kind !== 'vector' || params.format !== 'auto' || isMarked) return false;
  if (ofPixels.some((value) => value !== undefined) || adjusts(params)) return false;
  if (params.crop_shape !== 'rect' || params.flip !== 'none' || params.rotate !== 0 || params.border > 0) return false;
  const { canvas } = planGeometry(header, params).plan;
  return canvas.width === header.width && canvas.height === header.height;
}
