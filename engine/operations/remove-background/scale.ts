import type { Size } from '../../../base/geometry.ts';
import type { Image, VipsApi } from '../../../codecs/vips.ts';

/**
 * Resizes an image, each side independently: reduces with Lanczos3, enlarges by cubic interpolation between pixel
 * centres, because libvips' `resize` shifts enlarged images by part of a pixel.
 */
export const scaled = (vips: VipsApi, image: Image, size: Size): Image => enlarged(vips, shrunk(image, size), size);

/** Reduces each side that is longer than requested. */
export function shrunk(image: Image, size: Size): Image {
  const width = Math.min(image.width, size.width);
  const height = Math.min(image.height, size.height);
  if (width === image.width && height === image.height) return image;
  return image.resize(width / image.width, { vscale: height / image.height, kernel: 'lanczos3' });
}

function enlarged(vips: VipsApi, image: Image, { width, height }: Size): Image {
  if (width === image.width && height === image.height) return image;
  const across = width / image.width;
  const down = height / image.height;
  // In memory, because each tile of the result reads its part of the source again.
  return image.copyMemory().affine([across, 0, 0, down], {
    interpolate: vips.Interpolate.newFromName('bicubic'),
    odx: (across - 1) / 2,
    ody: (down - 1) / 2,
    oarea: [0, 0, width, height],
    extend: 'copy',
  });
}
