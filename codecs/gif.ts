import { toRgb, withAlpha } from './colour.ts';
import { writeGif } from './gif/write.ts';
import type { Image } from './vips.ts';

export interface GifSettings {
  /** 1 to 100: fewer colours and more tolerance between frames towards 1. */
  quality: number;
}

/**
 * Pixels of a frame from which on libvips encodes: slower and larger, but with four bytes a pixel in its bounded memory
 * where our own encoder takes up to 26 outside of it.
 */
export const LARGE_FRAME = 16_000_000;

/** Encodes with a palette of at most 256 colours; `column` holds the frames one below the other. */
export function encodeGif(column: Image, { quality }: GifSettings): Uint8Array {
  // 256 colours down to quality 60, then half as many for every 12 points.
  const bitdepth = Math.max(3, Math.min(8, 8 - Math.ceil((60 - quality) / 12)));
  // Differences between frames that are not written: none at 100, up to 8 of 255 at 1.
  const tolerance = ((100 - quality) / 99) * 8;
  const { width } = column;
  const animated = column.getTypeof('page-height') !== 0;
  const height = animated ? column.getInt('page-height') : column.height;
  if (width * height > LARGE_FRAME) {
    return column.gifsaveBuffer({ bitdepth, interframe_maxerror: tolerance, dither: 1, effort: 7, keep: 'none' });
  }
  const rgba = withAlpha(toRgb(column));
  const frame = (index: number) => rgba.crop(0, index * height, width, height).writeToMemory() as Uint8Array;
  // A still picture may come from a decoder that gives its rows once.
  const still = animated ? undefined : frame(0);
  return writeGif(
    {
      width,
      height,
      delays: animated ? column.getArrayInt('delay') : [0],
      loop: animated ? column.getInt('loop') : null,
      read: (index) => still ?? frame(index),
    },
    { colours: 2 ** bitdepth, tolerance },
  );
}
