/** Places the subject alone on a canvas of the requested size. */
import type { Box, Size } from '../../../base/geometry.ts';
import { premultiplied } from '../../../codecs/colour.ts';
import type { Image, VipsApi } from '../../../codecs/vips.ts';
import { scaled } from './scale.ts';

/**
 * Centres the subject and scales it to its share of the canvas.
 * @param image with alpha
 * @param fill percent of the side that the subject reaches first
 */
export function framed(vips: VipsApi, image: Image, subject: Box, canvas: Size, fill: number): Image {
  const cut = image.crop(subject.x, subject.y, subject.width, subject.height);
  const factor = (fill / 100) * Math.min(canvas.width / cut.width, canvas.height / cut.height);
  const size = {
    width: Math.max(1, Math.round(cut.width * factor)),
    height: Math.max(1, Math.round(cut.height * factor)),
  };
  const sized = premultiplied(cut, (source) => scaled(vips, source, size));
  const left = Math.floor((canvas.width - size.width) / 2);
  const top = Math.floor((canvas.height - size.height) / 2);
  return sized.embed(left, top, canvas.width, canvas.height, { extend: 'background', background: [0, 0, 0, 0] });
}
