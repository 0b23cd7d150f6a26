import type { Image, VipsApi } from '../../../codecs/vips.ts';
import type { Size } from '../../steps/step.ts';

/**
 * A picture at another size, each side on its own: smaller with Lanczos3, larger by cubic interpolation between the
 * middles of the pixels, because the enlarging of libvips' own `resize` is shifted by a part of a pixel.
 */
export function scaled(vips: VipsApi, image: Image, size: Size): Image {
  const smaller = shrunk(image, {
    width: Math.min(image.width, size.width),
    height: Math.min(image.height, size.height),
  });
  return enlarged(vips, smaller, size);
}

function shrunk(image: Image, { width, height }: Size): Image {
  if (width === image.width && height === image.height) return image;
  return image.resize(width / image.width, { vscale: height / image.height, kernel: 'lanczos3' });
}

function enlarged(vips: VipsApi, image: Image, { width, height }: Size): Image {
  if (width === image.width && height === image.height) return image;
  const across = width / image.width;
  const down = height / image.height;
  // In memory, because each tile of the result asks for its part of the source again.
  return image.copyMemory().affine([across, 0, 0, down], {
    interpolate: vips.Interpolate.newFromName('bicubic'),
    odx: (across - 1) / 2,
    ody: (down - 1) / 2,
    oarea: [0, 0, width, height],
    extend: 'copy',
  });
}
